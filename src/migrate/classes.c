/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins pointers to classes by union-find with ranks, and keeps the reasons that hold a class ordinary. All state is in
 * struct cn_classes.
 */
#include "migrate/classes.h"

#define CN_REASON(name, hard, text, choices) [CN_REASON_##name] = (text),
const char *const cn_reason_texts[CN_REASON_COUNT] = {
#include "migrate/reasons.def"
};
#undef CN_REASON
#define CN_REASON(name, hard, text, choices) [CN_REASON_##name] = (choices),
const char *const cn_reason_choices[CN_REASON_COUNT] = {
#include "migrate/reasons.def"
};
#undef CN_REASON
#define CN_REASON(name, hard, text, choices) [CN_REASON_##name] = (hard),
const bool cn_reason_is_hard[CN_REASON_COUNT] = {
#include "migrate/reasons.def"
};
#undef CN_REASON

uint32_t cn_classes_add(struct cn_classes *classes, struct cn_type *target)
{
  if (!classes->pointers.count)
    cn_push(&classes->pointers, (struct cn_pointer){0});
  uint32_t pointer = (uint32_t)classes->pointers.count;
  cn_push(&classes->pointers, (struct cn_pointer){.parent = pointer, .target = target});
  return pointer;
}

uint32_t cn_classes_find(struct cn_classes *classes, uint32_t pointer)
{
  CN_CHECK(pointer && pointer < classes->pointers.count);
  struct cn_pointer *at = classes->pointers.at;
  while (at[pointer].parent != pointer) {
    at[pointer].parent = at[at[pointer].parent].parent;
    pointer = at[pointer].parent;
  }
  return pointer;
}

static void append_held(struct cn_classes *classes, uint32_t *list, uint32_t tail)
{
  while (*list)
    list = &classes->held.at[*list - 1].next;
  *list = tail;
}

bool cn_classes_join(struct cn_classes *classes, uint32_t a, uint32_t b, struct cn_type **one, struct cn_type **other)
{
  struct cn_pointer *at = classes->pointers.at;

  a = cn_classes_find(classes, a);
  b = cn_classes_find(classes, b);
  if (a == b)
    return false;
  if (at[a].rank < at[b].rank) {
    uint32_t swap = a;
    a = b;
    b = swap;
  }
  *one = at[a].target;
  *other = at[b].target;
  at[a].rank += at[a].rank == at[b].rank;
  at[b].parent = a;
  at[a].target = at[a].target ? at[a].target : at[b].target;
  at[a].allocated |= at[b].allocated;
  at[a].resized |= at[b].resized;
  at[a].managed |= at[b].managed;
  at[a].frees |= at[b].frees;
  append_held(classes, &at[a].held, at[b].held);
  return true;
}

void cn_classes_hold(struct cn_classes *classes, uint32_t pointer, struct cn_held what)
{
  struct cn_pointer *class = &classes->pointers.at[cn_classes_find(classes, pointer)];

  CN_CHECK(what.reason > CN_REASON_NONE && what.reason < CN_REASON_COUNT);
  for (uint32_t i = class->held; i; i = classes->held.at[i - 1].next) {
    const struct cn_held *held = &classes->held.at[i - 1].what;
    if (held->reason == what.reason && held->position.file == what.position.file &&
        held->position.at == what.position.at) {
      free(what.name);
      return;
    }
  }
  cn_push(&classes->held, (__typeof__(*classes->held.at)){.what = what, .next = class->held});
  class->held = (uint32_t)classes->held.count;
}

bool cn_classes_is_managed(struct cn_classes *classes, uint32_t pointer, bool prefer)
{
  const struct cn_pointer *class = &classes->pointers.at[cn_classes_find(classes, pointer)];

  if (!class->allocated && !class->managed && !class->follows)
    return false;
  for (uint32_t i = class->held; i; i = classes->held.at[i - 1].next)
    if (!prefer || cn_reason_is_hard[classes->held.at[i - 1].what.reason])
      return false;
  return true;
}

void cn_classes_free(struct cn_classes *classes)
{
  for (size_t i = 0; i < classes->held.count; i++)
    free(classes->held.at[i].what.name);
  cn_free(&classes->held);
  cn_free(&classes->pointers);
}
