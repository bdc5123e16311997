/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: steps that make objects, and read and write them, in bounds only. Derived
 * references (cells, slots) are never stored in objects: only stacks may hold them.
 */
#include "random/modules/maker.h"

static LLVMValueRef allocate(struct cn_maker *m, const char *function, enum cn_kind kind, int64_t size)
{
  LLVMValueRef args[] = {m->layouts[kind], cn_int(m, size)};

  return cn_call_native(m, function, args, 2);
}

static void store(struct cn_maker *m, LLVMValueRef value, LLVMValueRef at)
{
  LLVMSetAlignment(LLVMBuildStore(m->builder, value, at), 8);
}

LLVMValueRef cn_new_node(struct cn_maker *m, LLVMValueRef left, LLVMValueRef right)
{
  LLVMValueRef node = allocate(m, "cairn_alloc", CN_NODE, 32);

  /* The first node is its own left and right. */
  store(m, left ? left : node, cn_offset(m, node, 8));
  store(m, right ? right : node, cn_offset(m, node, 16));
  store(m, cn_int(m, cn_below(m, 100)), node);
  return node;
}

LLVMValueRef cn_new_array(struct cn_maker *m, enum cn_kind kind, LLVMValueRef node)
{
  LLVMValueRef array = allocate(m, "cairn_alloc_array", kind, CN_LENGTH);

  for (int i = 0; i < CN_LENGTH; i++)
    if (kind == CN_NODES)
      store(m, node, cn_offset(m, array, 8 * i));
    else if (i % 3 == 0)
      store(m, cn_int(m, i), cn_offset(m, array, 8 * i));
  return array;
}

static LLVMValueRef tree_part(struct cn_maker *m, LLVMValueRef tree, unsigned part)
{
  LLVMValueRef at[4] = {cn_int(m, 0), LLVMConstInt(m->i32, 1, false), NULL, NULL};

  if (part >= 3) { /* an element of the tail */
    at[1] = LLVMConstInt(m->i32, 3, false);
    at[2] = cn_int(m, part - 3);
    return LLVMBuildGEP2(m->builder, m->tree, tree, at, 3, "");
  }
  at[2] = LLVMConstInt(m->i32, part > 0, false);
  at[3] = cn_int(m, part > 0 ? part - 1 : 0);
  return LLVMBuildInBoundsGEP2(m->builder, m->tree, tree, at, part > 0 ? 4 : 3, "");
}

LLVMValueRef cn_new_tree(struct cn_maker *m, LLVMValueRef node)
{
  LLVMValueRef tree = allocate(m, "cairn_alloc_flex", CN_TREE, 4);

  for (unsigned part = 0; part < 7; part++)
    store(m, node, tree_part(m, tree, part));
  return tree;
}

static void make_object(struct cn_maker *m)
{
  LLVMValueRef a = cn_get(m, CN_NODE), b;

  switch (cn_below(m, 6)) {
  case 0:
    cn_set(m, CN_LONGS, cn_new_array(m, CN_LONGS, NULL));
    break;
  case 1:
    cn_set(m, CN_NODES, cn_new_array(m, CN_NODES, a));
    break;
  case 2:
    cn_set(m, CN_TREE, cn_new_tree(m, a));
    break;
  default:
    b = cn_get(m, CN_NODE);
    cn_set(m, CN_NODE, cn_new_node(m, a, b));
  }
}

/* An index below CN_LENGTH, constant or not. */
static LLVMValueRef an_index(struct cn_maker *m, unsigned below)
{
  return cn_chance(m, 50) ? cn_int(m, cn_below(m, below)) : cn_next_below(m, below);
}

static void make_cell(struct cn_maker *m)
{
  LLVMValueRef from, at;

  switch (cn_below(m, 4)) {
  case 0:
    from = cn_get(m, CN_NODE);
    cn_set(m, CN_CELL, cn_offset(m, from, cn_chance(m, 50) ? 0 : 24));
    break;
  case 1:
    from = cn_get(m, CN_TREE);
    cn_set(m, CN_CELL, cn_chance(m, 50) ? from : cn_offset(m, from, 0));
    break;
  case 2:
    from = cn_get(m, CN_LONGS);
    at = an_index(m, CN_LENGTH);
    cn_set(m, CN_CELL, cn_gep(m, m->i64, from, at));
    break;
  default: /* derived from what is derived, over a safepoint maybe */
    from = cn_get(m, CN_LONGS);
    at = an_index(m, CN_LENGTH / 2);
    from = cn_gep(m, m->i64, from, at);
    if (cn_chance(m, 50))
      cn_safepoint(m);
    at = an_index(m, CN_LENGTH / 2);
    cn_set(m, CN_CELL, cn_gep(m, m->i64, from, at));
  }
}

static void make_slot(struct cn_maker *m)
{
  LLVMValueRef from, at;

  switch (cn_below(m, 4)) {
  case 0:
    from = cn_get(m, CN_NODE);
    cn_set(m, CN_SLOT, cn_offset(m, from, cn_chance(m, 50) ? 8 : 16));
    break;
  case 1:
    from = cn_get(m, CN_TREE);
    cn_set(m, CN_SLOT, tree_part(m, from, cn_below(m, 7)));
    break;
  default:
    from = cn_get(m, CN_NODES);
    at = an_index(m, CN_LENGTH);
    cn_set(m, CN_SLOT, cn_gep(m, m->ref, from, at));
  }
}

static LLVMValueRef load(struct cn_maker *m, LLVMTypeRef type, LLVMValueRef at)
{
  LLVMValueRef value = LLVMBuildLoad2(m->builder, type, at, "");

  LLVMSetAlignment(value, 8);
  LLVMSetVolatile(value, cn_chance(m, 10));
  return value;
}

static void access_object(struct cn_maker *m)
{
  LLVMValueRef a, b;

  switch (cn_below(m, 8)) {
  case 0:
  case 1:
    a = cn_get(m, CN_NODE);
    cn_set(m, CN_NODE, load(m, m->ref, cn_offset(m, a, cn_chance(m, 50) ? 8 : 16)));
    break;
  case 2:
    a = cn_get(m, CN_NODE);
    b = cn_get(m, CN_NODE);
    store(m, b, cn_offset(m, a, cn_chance(m, 50) ? 8 : 16));
    break;
  case 3:
    cn_set(m, CN_NUMBER, load(m, m->i64, cn_get(m, CN_CELL)));
    break;
  case 4:
    a = cn_get(m, CN_NUMBER);
    store(m, a, cn_get(m, CN_CELL));
    break;
  case 5:
    cn_set(m, CN_NODE, load(m, m->ref, cn_get(m, CN_SLOT)));
    break;
  case 6:
    a = cn_get(m, CN_NODE);
    store(m, a, cn_get(m, CN_SLOT));
    break;
  default:
    cn_note(m, load(m, m->i64, cn_get(m, CN_CELL)));
  }
}

static void copy_range(struct cn_maker *m)
{
  enum cn_kind kind = cn_chance(m, 50) ? CN_LONGS : CN_NODES;
  LLVMValueRef from = cn_get(m, kind), to = cn_get(m, kind);

  from = cn_offset(m, from, 8 * (int64_t)cn_below(m, 3));
  to = cn_offset(m, to, 8 * (int64_t)cn_below(m, 3));
  LLVMBuildMemMove(m->builder, to, 8, from, 8, cn_int(m, 8 * (1 + (int64_t)cn_below(m, 5))));
}

static void use_root(struct cn_maker *m)
{
  static const enum cn_kind kinds[] = {CN_NODE, CN_LONGS, CN_NODES, CN_TREE};
  enum cn_kind kind = kinds[cn_below(m, 4)];

  if (cn_chance(m, 60))
    cn_set(m, kind, load(m, m->ref, m->roots[kind]));
  else
    store(m, cn_get(m, kind), m->roots[kind]);
}

static void exchange(struct cn_maker *m)
{
  LLVMValueRef at, old, new;

  switch (cn_below(m, 3)) {
  case 0:
    new = cn_get(m, CN_NODE);
    at = cn_get(m, CN_SLOT);
    cn_set(m, CN_NODE,
           LLVMBuildAtomicRMW(m->builder, LLVMAtomicRMWBinOpXchg, at, new, LLVMAtomicOrderingSequentiallyConsistent,
                              false));
    break;
  case 1:
    at = cn_get(m, CN_SLOT);
    old = cn_get(m, CN_NODE);
    new = cn_get(m, CN_NODE);
    old = LLVMBuildAtomicCmpXchg(m->builder, at, old, new, LLVMAtomicOrderingAcquireRelease,
                                 LLVMAtomicOrderingMonotonic, false);
    if (cn_chance(m, 50))
      cn_safepoint(m);
    cn_set(m, CN_NODE, LLVMBuildExtractValue(m->builder, old, 0, ""));
    new = LLVMBuildExtractValue(m->builder, old, 1, "");
    cn_note(m, LLVMBuildZExt(m->builder, new, m->i64, ""));
    break;
  default:
    new = cn_get(m, CN_NUMBER);
    at = cn_get(m, CN_CELL);
    cn_set(m, CN_NUMBER,
           LLVMBuildAtomicRMW(m->builder, LLVMAtomicRMWBinOpAdd, at, new, LLVMAtomicOrderingMonotonic, false));
  }
}

/* The node in a local whose address is taken; other functions may write it. */
void cn_local_step(struct cn_maker *m)
{
  LLVMValueRef place = cn_get(m, CN_PLACE);

  switch (cn_below(m, 4)) {
  case 0:
    store(m, cn_get(m, CN_NODE), place);
    break;
  case 1:
    cn_set(m, CN_PLACE, place);
    break;
  default:
    cn_set(m, CN_NODE, load(m, m->ref, place));
  }
}

void cn_object_step(struct cn_maker *m)
{
  switch (cn_below(m, 12)) {
  case 0:
  case 1:
    make_object(m);
    break;
  case 2:
  case 3:
    make_cell(m);
    break;
  case 4:
  case 5:
    make_slot(m);
    break;
  case 6:
    copy_range(m);
    break;
  case 7:
    use_root(m);
    break;
  case 8:
    if (cn_has(m, CN_FORM_EXCHANGES)) {
      exchange(m);
      break;
    }
    /* fall through */
  default:
    access_object(m);
  }
}
