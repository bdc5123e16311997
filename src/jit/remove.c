/* SPDX-License-Identifier: Apache-2.0
 *
 * Frees the memory of removed modules. The code of a removed module is dead once no stack has a frame of it and no
 * module whose code may run refers to it. Then its globals stop being roots, its frame maps go, and its layouts stay
 * known for its objects. Once the objects are gone, the memory goes. The session's lock is held; a look stops the
 * program at most twice, for any number of modules.
 */
#include <stdlib.h>
#include <string.h>
#include <cairn/code.h>
#include "base/check.h"
#include "jit/session.h"

/* A program that rarely collects still frees modules: after this many removals, and when they are as many as the
 * modules that a look has left. */
enum { UNSEEN_BEFORE_LOOK = 64 };

/* A stub of the runtime, which <cairn/cairn.h> declares for managed C. */
void cairn_collect(void);

/* Free a module whose images are no longer registered. Other code must not come to lie where a debugger may have
 * breakpoints: GDB takes them for inserted (findings/gdb-jit-breakpoints.sh). */
static void unload(struct cairn_jit *session, struct cn_jit_module *module)
{
  cairn_code_unname(module->named);
  if (module->has_debug_file)
    cn_push(&session->debugged, module->linked);
  else if (module->linked)
    cn_linking_layer_unlink(session->layer, module->linked);
  for (size_t i = 0; i < module->entries.count; i++)
    cn_jit_entry_end(&session->entries, module->entries.at[i]);
  if (module->lazy)
    cn_jit_lazy_remove_part(session, module->lazy);
  free(module->layouts);
  cn_jit_module_free(module);
}

/* ---- the uses of modules ---- */

static bool count_uses(struct cairn_jit *session)
{
  CN_VECTOR(struct cairn_image_use) uses = {0};
  size_t at = 0;

  for (size_t i = 0; i < session->removed.count; i++) {
    const struct cn_jit_module *module = session->removed.at[i];
    for (size_t k = 0; k < module->images.count; k++)
      cn_push(&uses, (struct cairn_image_use){module->layouts ? &module->layouts[k] : module->images.at[k], 0, 0});
  }
  bool counted = cairn_image_count_uses(uses.at, uses.count) == CAIRN_OK;
  for (size_t i = 0; counted && i < session->removed.count; i++) {
    struct cn_jit_module *module = session->removed.at[i];
    module->frames = module->objects = 0;
    for (size_t k = 0; k < module->images.count; k++, at++) {
      module->frames += uses.at[at].frames;
      module->objects += uses.at[at].objects;
    }
  }
  cn_free(&uses);
  return counted;
}

typedef CN_VECTOR(struct cn_jit_module *) module_vector;

static void reach(module_vector *running, struct cn_jit_module *module)
{
  if (!module->reached && !module->frames)
    cn_push(running, module);
  module->reached = true;
}

static void reach_from(module_vector *running, const struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->links.count; i++)
    reach(running, module->links.at[i]);
  for (size_t i = 0; i < module->entry_links.count; i++)
    if (module->entry_links.at[i]->owner != module)
      reach(running, module->entry_links.at[i]->owner);
}

static bool has_users(const struct cn_jit_module *module)
{
  size_t users = module->users;

  for (size_t i = 0; i < module->entries.count; i++)
    users += module->entries.at[i]->users;
  return users != 0;
}

/* Set `reached` of the removed modules that code which may run refers to. */
static void mark_reached(struct cairn_jit *session)
{
  module_vector running = {0};

  for (size_t i = 0; i < session->removed.count; i++) {
    struct cn_jit_module *module = session->removed.at[i];
    module->reached = has_users(module);
    if (module->frames || module->reached)
      cn_push(&running, module);
  }
  for (size_t i = 0; i < running.count; i++)
    reach_from(&running, running.at[i]);
  cn_free(&running);
}

/* ---- steps of a removal ---- */

/* The module's code will never run again: only its layouts stay registered. */
static void register_layouts(struct cn_jit_module *module)
{
  module->layouts = cn_alloc((module->images.count + 1) * sizeof *module->layouts);
  for (size_t i = 0; i < module->images.count; i++) {
    struct cairn_image *copy = &module->layouts[i];
    const struct cairn_image *image = module->images.at[i];
    *copy = (struct cairn_image){.version = image->version,
                                 .size = image->size,
                                 .flags = image->flags,
                                 .layouts_start = image->layouts_start,
                                 .layouts_stop = image->layouts_stop};
    cairn_image_register(copy);
  }
  module->links.count = module->entry_links.count = 0;
}

static bool is_dead(const struct cn_jit_module *module)
{
  return !module->frames && !module->reached;
}

/* Unregister images of dead modules: all images if there are no objects, else those with code. */
static void unregister_dead_images(struct cairn_jit *session)
{
  CN_VECTOR(const struct cairn_image *) gone = {0};

  for (size_t i = 0; i < session->removed.count; i++) {
    struct cn_jit_module *module = session->removed.at[i];
    const struct cairn_image *layouts = module->layouts;
    if (!is_dead(module) || (module->objects && layouts))
      continue;
    for (size_t k = module->images.count; k-- > 0;)
      cn_push(&gone, layouts ? &layouts[k] : module->images.at[k]);
    if (module->objects)
      register_layouts(module);
  }
  cairn_image_unregister_all(gone.at, gone.count);
  cn_free(&gone);
}

static void look_at_removed(struct cairn_jit *session)
{
  size_t kept = 0;

  session->unseen = 0;
  if (!session->removed.count || !count_uses(session))
    return;
  mark_reached(session);
  unregister_dead_images(session);
  for (size_t i = 0; i < session->removed.count; i++) {
    struct cn_jit_module *module = session->removed.at[i];
    if (is_dead(module) && !module->objects)
      unload(session, module);
    else
      session->removed.at[kept++] = module;
  }
  session->removed.count = kept;
}

void cn_jit_reclaim(struct cairn_jit *session)
{
  look_at_removed(session);
}

/* Collect if garbage of modules without frames is all that keeps them. */
static void reclaim_by_collection(struct cairn_jit *session)
{
  size_t only_objects = 0;

  look_at_removed(session);
  for (size_t i = 0; i < session->removed.count; i++)
    only_objects += session->removed.at[i]->layouts != NULL;
  if (2 * only_objects < UNSEEN_BEFORE_LOOK)
    return;
  cairn_collect();
  look_at_removed(session);
}

void cn_jit_retire(struct cairn_jit *session, struct cn_jit_module *module)
{
  if (!module->linked) {
    unload(session, module);
    return;
  }
  for (size_t i = 0; i < module->links.count; i++)
    module->links.at[i]->users--;
  for (size_t i = 0; i < module->entry_links.count; i++)
    module->entry_links.at[i]->users--;
  cn_push(&session->removed, module);
  cn_jit_reclaimer_add(session);
  if (++session->unseen >= UNSEEN_BEFORE_LOOK && 2 * session->unseen >= session->removed.count)
    reclaim_by_collection(session);
}

/* ---- reports ---- */

size_t cairn_jit_pending(struct cairn_jit *session, cairn_jit_pending_visitor *visit, void *env)
{
  pthread_mutex_lock(&session->lock);
  look_at_removed(session);
  size_t count = session->removed.count;
  for (size_t i = 0; visit && i < count; i++) {
    const struct cn_jit_module *module = session->removed.at[i];
    visit(env,
          &(struct cairn_jit_pending){module->number, module->title, module->frames, module->objects, module->reached});
  }
  pthread_mutex_unlock(&session->lock);
  return count;
}
