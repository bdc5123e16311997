/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows addresses inside objects through variables, parameters and results: memory cannot hold such references. The
 * pointers of declarations are the nodes, and assignments are the edges. The edges are noted while the program is
 * walked, and followed once, before the classes are solved. A variable has the value of the last assignment in the text
 * before a use. In a loop, all assignments of the loop count.
 */
#include "migrate/program.h"

/* The offset of the outermost loop around the expression; 0 outside of loops. */
static uint32_t loop_of(struct cn_walk *walk)
{
  for (size_t i = 0; i < walk->enclosing.count; i++) {
    enum CXCursorKind kind = clang_getCursorKind(walk->enclosing.at[i]);
    if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt)
      return cn_walk_position(walk, walk->enclosing.at[i]).at + 1;
  }
  return 0;
}

static void add(struct cn_program *program, struct cn_flow flow)
{
  struct cn_pointer *to = &program->classes.pointers.at[flow.to];

  flow.next = to->flows;
  cn_push(&program->flows, flow);
  to->flows = (uint32_t)program->flows.count;
}

/* The edge of the expression `at` to a variable, a parameter or a result. */
static struct cn_flow flow_at(struct cn_walk *walk, uint32_t to, enum cn_flow_kind kind, CXCursor at)
{
  struct cn_flow flow = {.to = to, .kind = kind, .position = cn_walk_position(walk, at)};
  struct cn_position end;

  if (kind == CN_FLOW_CALL)
    return flow;
  cn_program_locate(walk->program, clang_getRangeEnd(clang_getCursorExtent(at)), &end);
  flow.end = end.at;
  flow.loop = loop_of(walk);
  return flow;
}

void cn_flow_note(struct cn_walk *walk, const struct cn_type *to, const struct cn_value *from, enum cn_flow_kind kind,
                  CXCursor at)
{
  if (to->kind != CN_TYPE_POINTER || from->type->kind != CN_TYPE_POINTER)
    return;
  struct cn_flow flow = flow_at(walk, to->pointer, kind, at);
  flow.from = from->type->pointer;
  flow.inside = from->interior;
  if (kind != CN_FLOW_CALL || flow.from != flow.to)
    add(walk->program, flow);
}

void cn_flow_link(struct cn_program *program, const struct cn_type *one, const struct cn_type *other)
{
  if (one->kind != other->kind || one == other)
    return;
  if (one->kind == CN_TYPE_POINTER) {
    add(program, (struct cn_flow){.from = one->pointer, .to = other->pointer, .kind = CN_FLOW_CALL});
    add(program, (struct cn_flow){.from = other->pointer, .to = one->pointer, .kind = CN_FLOW_CALL});
  } else if (one->kind == CN_TYPE_FUNCTION) {
    cn_flow_link(program, one->to, other->to);
    for (size_t i = 0; i < one->count && i < other->count; i++)
      cn_flow_link(program, one->parameters[i], other->parameters[i]);
  }
}

void cn_flow_note_interior(struct cn_walk *walk, const struct cn_type *type, CXCursor at)
{
  if (type->kind != CN_TYPE_POINTER)
    return;
  struct cn_flow flow = flow_at(walk, type->pointer, CN_FLOW_VARIABLE, at);
  flow.inside = true;
  add(walk->program, flow);
}

bool cn_flow_is_inside(const struct cn_program *program, uint32_t pointer)
{
  bool inside = false;

  for (uint32_t i = program->classes.pointers.at[pointer].flows; i && !inside; i = program->flows.at[i - 1].next)
    inside = program->flows.at[i - 1].inside;
  return inside;
}

/* True if the source of the edge may point into an object: by the last edges to it before this one, or by an edge of
 * the same loop. A call passes the values of all edges. */
static bool takes_inside(const struct cn_program *program, const struct cn_flow *flow)
{
  uint32_t latest = 0;
  bool inside = false;

  if (flow->kind == CN_FLOW_CALL)
    return cn_flow_is_inside(program, flow->from);
  for (uint32_t i = program->classes.pointers.at[flow->from].flows; i; i = program->flows.at[i - 1].next) {
    const struct cn_flow *to = &program->flows.at[i - 1];
    if (to->kind == CN_FLOW_MEMORY)
      continue;
    if (to->inside && to->loop && to->loop == flow->loop)
      return true;
    if (to->end > flow->end || to->end < latest)
      continue;
    inside = to->end == latest ? inside || to->inside : to->inside;
    latest = to->end;
  }
  return inside;
}

void cn_flows_resolve(struct cn_program *program)
{
  bool again = true;

  while (again) {
    again = false;
    for (size_t i = 0; i < program->flows.count; i++) {
      struct cn_flow *flow = &program->flows.at[i];
      if (flow->inside || !flow->from || !takes_inside(program, flow))
        continue;
      again = flow->inside = true;
    }
  }
  for (size_t i = 0; i < program->flows.count; i++) {
    const struct cn_flow *flow = &program->flows.at[i];
    if (flow->inside && flow->kind == CN_FLOW_MEMORY)
      cn_classes_hold(&program->classes, flow->from,
                      (struct cn_held){.reason = CN_REASON_INTERIOR, .position = flow->position});
  }
}
