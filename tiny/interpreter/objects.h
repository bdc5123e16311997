/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of loads, variables, objects and elements. Managed C; the state is in the activation.
 */
#ifndef TINY_INTERPRETER_OBJECTS_H
#define TINY_INTERPRETER_OBJECTS_H

#include "tiny/interpreter/activation.h"

/* ---- loads ---- */

#define LOAD_VALUE(NAME, v) \
  INSTRUCTION(NAME) \
  { \
    A = (v); \
    return NEXT; \
  }

LOAD_VALUE(MOVE, B)
LOAD_VALUE(LOAD, s->constants[TINY_WIDE_OF(s->word)])
LOAD_VALUE(INTEGER, tiny_from_small(TINY_SIGNED_WIDE_OF(s->word)))
LOAD_VALUE(NIL, TINY_NIL)
LOAD_VALUE(TRUE, TINY_TRUE)
LOAD_VALUE(FALSE, TINY_FALSE)

/* ---- variables ---- */

RARE enum step undefined_global(uint32_t global)
{
  tiny_throw("'%s' is used before its definition", tiny_symbol_at(tiny_global_at(tiny_tables, global)->name)->bytes);
  return THROWN;
}

INSTRUCTION(GET_GLOBAL)
{
  value v = tiny_globals[TINY_WIDE_OF(s->word)];

  if (unlikely(v == TINY_HOLE))
    return undefined_global(TINY_WIDE_OF(s->word));
  A = v;
  return NEXT;
}

INSTRUCTION(SET_GLOBAL)
{
  uint32_t global = TINY_WIDE_OF(s->word);

  if (unlikely(tiny_global_at(tiny_tables, global)->flags & TINY_GLOBAL_ASSUMED))
    tiny_hooks.global_changes(global);
  tiny_globals[global] = A;
  return NEXT;
}

RARE value make_cell(value content)
{
  struct tiny_cell managed *cell = cairn_new(struct tiny_cell);

  cell->kind = cell->shape = TINY_CELL;
  cell->content = content;
  return cairn_value_of(cell);
}

INLINE enum step get_cell(struct activation *s, value cell)
{
  if (unlikely(!tiny_is(cell, TINY_CELL)))
    return BROKEN;
  A = tiny_cell_of(cell)->content;
  return NEXT;
}

INLINE enum step set_cell(value cell, value content)
{
  if (unlikely(!tiny_is(cell, TINY_CELL)))
    return BROKEN;
  tiny_cell_of(cell)->content = content;
  return NEXT;
}

#define CAPTURED (tiny_closure_of(R[-1])->captured[TINY_B(s->word)])

LOAD_VALUE(GET_CAPTURED, CAPTURED)
LOAD_VALUE(NEW_CELL, make_cell(B))

SHORT_INSTRUCTION(GET_CAPTURED_CELL, get_cell(s, CAPTURED))
SHORT_INSTRUCTION(SET_CAPTURED_CELL, set_cell(CAPTURED, A))
SHORT_INSTRUCTION(GET_CELL, get_cell(s, B))
SHORT_INSTRUCTION(SET_CELL, set_cell(A, B))

RARE value make_closure(value prototype, const uint32_t *words, value *registers, value outer)
{
  value closure = tiny_closure_new(prototype);
  unsigned count = tiny_closure_of(closure)->function->captures;

  for (unsigned i = 0; i < count; i++) {
    uint32_t from = words[i] >> 1;
    tiny_closure_of(closure)->captured[i] = words[i] & 1 ? tiny_closure_of(outer)->captured[from] : registers[from];
  }
  return closure;
}

INSTRUCTION(CLOSURE)
{
  value made = make_closure(s->constants[TINY_WIDE_OF(s->word)], s->pc, R, R[-1]);

  A = made;
  return next(s, tiny_closure_of(made)->function->captures);
}

/* ---- objects ---- */

RARE value make_array(value *items, unsigned count)
{
  value array = tiny_array_new(count);

  for (unsigned i = 0; i < count; i++)
    tiny_array_of(array)->items[i] = items[i];
  tiny_array_of(array)->length = count;
  return array;
}

RARE enum step append(value array, value *items, unsigned count)
{
  if (!tiny_is(array, TINY_ARRAY))
    return BROKEN;
  for (unsigned i = 0; i < count; i++)
    if (tiny_is_thrown(tiny_array_push(array, items[i])))
      return THROWN;
  return NEXT;
}

RARE value make_object(uint32_t shape, value *slots, unsigned count)
{
  value object = tiny_instance_new(shape);

  for (unsigned i = 0; i < count; i++)
    tiny_instance_of(object)->slots[i] = slots[i];
  return object;
}

LOAD_VALUE(NEW_ARRAY, make_array(&B, TINY_C(s->word)))

SHORT_INSTRUCTION(APPEND, append(A, &B, TINY_C(s->word)))

INSTRUCTION(NEW_OBJECT)
{
  A = make_object(s->pc[0], &B, TINY_C(s->word));
  return next(s, 1);
}

SHORT_INSTRUCTION(TEXT, set(s, tiny_text_of(&B, TINY_C(s->word)), 0))

INSTRUCTION(NEW_CLASS)
{
  bool has_super = TINY_B(s->word) != TINY_NO_SUPER;

  if (has_super && !tiny_is(B, TINY_CLASS))
    return set(s, tiny_throw("the superclass is no class, but %s", tiny_describe(B)), 2);
  A = tiny_class_make(s->pc[0], has_super ? B : TINY_NIL, s->pc[1]);
  return next(s, 2);
}

SHORT_INSTRUCTION(METHOD, tiny_is_thrown(tiny_class_method(A, s->pc[0], B)) ? THROWN : next(s, 1))

/* ---- properties and elements ---- */

/* True if the first entry of the site says the place of the object's property, in a slot in line. */
INLINE bool is_seen_slot(value object, const uint32_t *site)
{
  return likely(tiny_shape_is(object, site[1])) && likely(tiny_place_kind(site[2]) == TINY_PLACE_SLOT);
}

INSTRUCTION(GET_FIELD)
{
  value object = B;
  uint32_t *site = s->feedback + s->pc[1];

  if (!is_seen_slot(object, site))
    return set(s, tiny_get_field_at(object, s->pc[0], site), 2);
  A = tiny_instance_of(object)->slots[site[2]];
  return next(s, 2);
}

INSTRUCTION(SET_FIELD)
{
  value object = A;
  uint32_t *site = s->feedback + s->pc[1];

  if (!is_seen_slot(object, site))
    return tiny_is_thrown(tiny_set_field_at(object, s->pc[0], B, site)) ? THROWN : next_rare(s, 2);
  tiny_instance_of(object)->slots[site[2]] = B;
  if (site[3])
    tiny_instance_of(object)->shape = site[3];
  return next(s, 2);
}

/* True if the array has the element. */
INLINE bool has_item(value array, value index)
{
  return likely(tiny_is(array, TINY_ARRAY) && tiny_is_integer(index)) &&
         likely((unsigned long)tiny_integer(index) < (unsigned long)tiny_array_of(array)->length);
}

INSTRUCTION(GET_INDEX)
{
  value object = B, index = C;

  if (has_item(object, index)) {
    A = tiny_array_of(object)->items[tiny_integer(index)];
    return NEXT;
  }
  return tiny_is(object, TINY_ARRAY) ? set(s, tiny_get_index(object, index), 0) : rewrite(s, TINY_OP_GET_INDEX_X);
}

SHORT_INSTRUCTION(GET_INDEX_X, set(s, tiny_get_index(B, C), 0))
SHORT_INSTRUCTION(SET_INDEX_X, unlikely(tiny_is_thrown(tiny_set_index(A, B, C))) ? THROWN : NEXT_RARE)

INSTRUCTION(SET_INDEX)
{
  value object = A, index = B;

  if (has_item(object, index)) {
    tiny_array_of(object)->items[tiny_integer(index)] = C;
    return NEXT;
  }
  return tiny_is(object, TINY_ARRAY) ? run_SET_INDEX_X(s) : rewrite(s, TINY_OP_SET_INDEX_X);
}

#endif
