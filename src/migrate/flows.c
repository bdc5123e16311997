/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows addresses inside objects through variables, parameters and results: memory cannot hold such references. The
 * pointers of declarations are the nodes, and assignments are the edges. The edges are noted while the program is
 * walked, and followed once, before the classes are solved.
 */
#include "migrate/program.h"

void cn_flow_note(struct cn_program *program, const struct cn_type *to, const struct cn_value *from, bool memory,
                  struct cn_position position)
{
  if (to->kind != CN_TYPE_POINTER || from->type->kind != CN_TYPE_POINTER)
    return;
  if (from->interior)
    program->classes.pointers.at[to->pointer].interior = true;
  struct cn_flow flow = {from->type->pointer, to->pointer, memory, position};
  if (from->interior && memory)
    cn_classes_hold(&program->classes, flow.from, (struct cn_held){.reason = CN_REASON_INTERIOR, .position = position});
  else if (flow.from != flow.to)
    cn_push(&program->flows, flow);
}

void cn_flow_link(struct cn_program *program, const struct cn_type *one, const struct cn_type *other)
{
  if (one->kind != other->kind || one == other)
    return;
  if (one->kind == CN_TYPE_POINTER) {
    cn_push(&program->flows, (struct cn_flow){.from = one->pointer, .to = other->pointer});
    cn_push(&program->flows, (struct cn_flow){.from = other->pointer, .to = one->pointer});
  } else if (one->kind == CN_TYPE_FUNCTION) {
    cn_flow_link(program, one->to, other->to);
    for (size_t i = 0; i < one->count && i < other->count; i++)
      cn_flow_link(program, one->parameters[i], other->parameters[i]);
  }
}

void cn_flow_note_interior(struct cn_program *program, const struct cn_type *type)
{
  if (type->kind == CN_TYPE_POINTER)
    program->classes.pointers.at[type->pointer].interior = true;
}

void cn_flows_resolve(struct cn_program *program)
{
  struct cn_pointer *pointers = program->classes.pointers.at;
  bool again = true;

  while (again) {
    again = false;
    for (size_t i = 0; i < program->flows.count; i++) {
      const struct cn_flow *flow = &program->flows.at[i];
      if (!pointers[flow->from].interior || flow->memory || pointers[flow->to].interior)
        continue;
      again = pointers[flow->to].interior = true;
    }
  }
  for (size_t i = 0; i < program->flows.count; i++) {
    const struct cn_flow *flow = &program->flows.at[i];
    if (pointers[flow->from].interior && flow->memory)
      cn_classes_hold(&program->classes, flow->from,
                      (struct cn_held){.reason = CN_REASON_INTERIOR, .position = flow->position});
  }
}
