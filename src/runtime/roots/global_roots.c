/* SPDX-License-Identifier: Apache-2.0
 *
 * The roots of images. A thread-local that holds references has the same distance from the thread
 * pointer in all threads, and so has the mutator (docs/threads.md). So its accessor's answer on the
 * calling thread gives its place in each.
 */
#include "runtime/roots/global_roots.h"

#include "base/check.h"
#include "runtime/core/image.h"

/* The distance from a thread's mutator to its thread-local. */
static uintptr_t distance(const struct cairn_global_root *root)
{
  CN_CHECK(cn_image_root_is_thread_local(root));
  return cn_image_root_address(root) - (uintptr_t)&cairn_mutator;
}

static uint64_t visit_at(uintptr_t address, const struct cairn_layout *layout,
                         cairn_root_visitor *visit, void *env)
{
  CN_ASSERT(layout->base_refs * sizeof(uintptr_t) <= layout->base_size);
  for (uint32_t i = 0; i < layout->base_refs; i++)
    visit(env, (struct cairn_slot){(uintptr_t *)(address + layout->offsets[i])});
  return layout->base_refs;
}

static uint64_t visit_root(const struct cairn_global_root *root, cairn_root_visitor *visit,
                           void *env)
{
  if (!cairn_layout_is_known(root->layout) || root->layout->elem_size != 0)
    cairn_fatal("the layout of the global at %p is damaged", root->address);
  if (root->address == NULL) /* a weak global that no unit defines */
    return 0;
  if (!cn_image_root_is_thread_local(root))
    return visit_at((uintptr_t)root->address, root->layout, visit, env);
  uintptr_t from = distance(root);
  uint64_t count = 0;
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    count += visit_at((uintptr_t)m + from, root->layout, visit, env);
  return count;
}

uint64_t cn_global_roots_visit(cairn_root_visitor *visit, void *env)
{
  bool entered = cn_image_enter();
  const struct cn_image_list *list = cn_image_list();
  uint64_t count = 0;

  for (size_t i = 0; i < list->count; i++) {
    const struct cairn_image *image = &list->at[i].image;
    const struct cairn_global_root *root = image->roots_start;
    for (; root != image->roots_stop; root++)
      count += visit_root(root, visit, env);
  }
  cn_image_leave(entered);
  return count;
}

static void clear(const struct cairn_global_root *root, struct cairn_mutator *mutator)
{
  uintptr_t address = (uintptr_t)mutator + distance(root);

  for (uint32_t i = 0; i < root->layout->base_refs; i++)
    *(uintptr_t *)(address + root->layout->offsets[i]) = 0;
}

void cn_global_roots_clear(struct cairn_mutator *mutator)
{
  bool entered = cn_image_enter();
  const struct cn_image_list *list = cn_image_list();

  CN_CHECK(mutator == &cairn_mutator);
  for (size_t i = 0; i < list->count; i++) {
    const struct cairn_image *image = &list->at[i].image;
    const struct cairn_global_root *root = image->roots_start;
    for (; root != image->roots_stop; root++)
      if (cn_image_root_is_thread_local(root))
        clear(root, mutator);
  }
  cn_image_leave(entered);
}
