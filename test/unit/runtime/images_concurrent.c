/* SPDX-License-Identifier: Apache-2.0
 *
 * Images and code regions that come and go, walks, and collections, all at once: threads that only
 * say that they walk and collect. What would go wrong: a table is freed while somebody reads it, or
 * what an image has is read when it is gone, or an entry of the index is found before it is whole.
 * The same file runs under ThreadSanitizer (test/run/threads/sanitize_images.test).
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/stack.h>
#include "mock_frames.h"
#include "runtime/arch/arch.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"

enum { ROUNDS = 15, CODE = 0x4100000, PLACES = 8, EACH = 64, REGIONS = 20 };

static _Atomic int running; /* threads that load and unload */
static _Atomic int walks, collections;

/* Do not get ahead of the others. */
static void wait_for_others(int round)
{
  while (walks < 2 * round || collections < round)
    sched_yield();
}

/* What a shared object would bring. */
struct library {
  struct cairn_image image;
  struct cairn_layout layouts[4];
  struct cairn_global_root root;
  struct mock_function function;
  struct mock_safepoint safepoints[EACH];
  uintptr_t global;
};

static struct library *load(uintptr_t code, int32_t cfa_offset)
{
  struct library *library = calloc(1, sizeof *library);

  if (library == NULL)
    abort();
  for (int i = 0; i < 4; i++)
    library->layouts[i].magic = CAIRN_ABI_LAYOUT_MAGIC;
  for (int i = 0; i < EACH; i++)
    library->safepoints[i] =
        (struct mock_safepoint){.pc = code + 16 * ((uintptr_t)i + 1),
                                .safepoint = {.cfa_reg = (uint8_t)cn_arch_sp_dwarf_number, .cfa_offset = cfa_offset}};
  library->function = (struct mock_function){code, 16 * EACH + 16, EACH, library->safepoints};
  library->root = (struct cairn_global_root){&library->global, &library->layouts[0]};
  library->image = (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION,
                                        .size = sizeof(struct cairn_image),
                                        .frames_start = (const unsigned char *)&library->function,
                                        .frames_stop = (const unsigned char *)(&library->function + 1),
                                        .roots_start = &library->root,
                                        .roots_stop = &library->root + 1,
                                        .layouts_start = (const unsigned char *)library->layouts,
                                        .layouts_stop = (const unsigned char *)(library->layouts + 4)};
  cairn_image_register(&library->image);
  return library;
}

static void unload(struct library *library)
{
  cairn_image_unregister(&library->image);
  memset(library, 0x5a, sizeof *library); /* something else lies there now */
  free(library);
}

/* ---- those who load and unload ---- */

/* Whose code is on the stacks of all walkers: it may go only while none walks. */
static pthread_rwlock_t common = PTHREAD_RWLOCK_INITIALIZER;
static struct library *library;
static uintptr_t library_code;
static int32_t library_offset;

static void replace_common(int round)
{
  pthread_rwlock_wrlock(&common);
  unload(library);
  library_code = CODE + (uintptr_t)(round % PLACES) * 0x10000;
  library_offset = 16 + 8 * (round % 30);
  library = load(library_code, library_offset);
  pthread_rwlock_unlock(&common);
}

static void *load_common(void *unused)
{
  for (int round = 0; round < ROUNDS; round++) {
    replace_common(round);
    wait_for_others(round);
  }
  running--;
  return unused;
}

/* Code that is on no stack goes at any time. */
static void *load_own(void *unused)
{
  for (int round = 0; round < ROUNDS; round++) {
    struct library *own = load(0x8100000 + (uintptr_t)(round % PLACES) * 0x10000, 24);
    if (!cairn_layout_is_known(&own->layouts[1]) || cairn_layout_is_known((void *)&own->global))
      abort();
    unload(own);
    wait_for_others(round);
  }
  running--;
  return unused;
}

static uintptr_t region_at(uintptr_t i)
{
  return 0xc100000 + 0x1000 * i;
}

static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  (void)iterator, (void)data;
}

static void *add_regions(void *unused)
{
  static const struct cairn_code_manager manager = {.previous = previous};

  for (int round = 0; round < ROUNDS; round++) {
    for (uintptr_t i = 0; i < REGIONS; i++)
      if (cairn_code_region_add(&manager, region_at(i), region_at(i + 1), NULL) != CAIRN_OK)
        abort();
    for (uintptr_t i = 0; i < REGIONS; i++)
      if (cairn_code_region_remove(region_at(i * 7 % REGIONS)) != CAIRN_OK)
        abort();
    wait_for_others(round);
  }
  running--;
  return unused;
}

/* ---- those who walk ---- */

/* Read the table for so long that others replace it and collections would free it; but yield not
 * too often, since each time takes a slice where other programs run. */
static void read_long(uintptr_t pc)
{
  uint64_t key;
  bool entered = cn_index_enter();
  const struct cn_index_entry *entry = cn_index_find_entry(atomic_load(&cn_index_current), pc, &key);

  for (int since = collections, tries = 0; collections < since + 3 && tries < 50; tries++)
    sched_yield();
  if (entry != NULL && atomic_load(&entry->key) >> CN_ENTRY_ADDRESS_SHIFT != pc)
    abort();
  cn_index_leave(entered);
}

/* The layouts of all images, one of which may be about to go. */
static void read_layouts(void)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();

  for (const struct cn_registered_image *image = cn_image_from(list, 0); image != NULL;
       image = cn_image_from(list, image->id + 1))
    for (int i = 0; i < 4; i++)
      if (((const struct cairn_layout *)image->image.layouts_start)[i].magic != CAIRN_ABI_LAYOUT_MAGIC)
        abort();
  cn_image_end_reading(entered);
}

/* All frames of a stack, and what a walk asks on the way. */
static void walk(unsigned random)
{
  struct cn_code_region region;
  uintptr_t pc = 0;

  pthread_rwlock_rdlock(&common);
  cn_index_prepare_walk();
  for (unsigned i = 0; i < EACH; i++) {
    uint64_t key, value;
    pc = library_code + 16 * ((random + i) % EACH + 1);
    if (!cn_index_look_up_concurrent(pc, &key, &value) && cn_index_find_or_decode(pc, &key, &value) != CN_FRAMES_FOUND)
      abort();
    if (cn_entry_map_of(value)->cfa_offset != library_offset)
      abort();
  }
  if (cn_index_look_up_map(CODE - 0x100) != NULL || !cn_index_has_code_at(library_code + 20))
    abort();
  if (!cairn_layout_is_known(&library->layouts[2]))
    abort();
  pthread_rwlock_unlock(&common);
  read_long(pc);
  for (uintptr_t i = 0; i < REGIONS; i++)
    cn_code_regions_find(region_at((i + random) % REGIONS) + 1, &region);
  cn_index_has_code_in(CODE, CODE + 0x100000);
  read_layouts();
  walks++;
}

static void *walk_natively(void *argument)
{
  for (unsigned i = 0; running != 0; i += 7)
    walk(i);
  return argument;
}

/* As the stubs do. */
static void come_back(struct cairn_mutator *m)
{
  __atomic_store_n(&m->state, CAIRN_ABI_MANAGED, __ATOMIC_RELAXED);
  if (__atomic_load_n(&m->poll, __ATOMIC_ACQUIRE) & CAIRN_ABI_POLL_BACK)
    cn_stop_answer_requests(m);
}

static void leave(struct cairn_mutator *m)
{
  __atomic_store_n(&m->state, CAIRN_ABI_NATIVE, __ATOMIC_RELEASE);
}

static void no_farewell(struct cairn_mutator *mutator)
{
  (void)mutator;
}

static void *walk_as_mutator(void *argument)
{
  struct cairn_mutator *self = &cairn_mutator;

  self->stack_floor = 1;
  cn_poll_word_disarm(self, CN_POLL_REASON_STRESS);
  self->attached = 1;
  self->state = CAIRN_ABI_NATIVE;
  cn_stop_add_mutator(self);
  for (unsigned i = 0; running != 0; i += 5) {
    come_back(self);
    if (cn_stop_is_requested(self))
      cn_stop_answer_requests(self);
    leave(self);
    walk(i);
  }
  cn_stop_remove_mutator(self, no_farewell);
  self->attached = 0;
  return argument;
}

/* ---- who collects ---- */

static void collect(void)
{
  uintptr_t sum = 0;

  cn_stop_begin(NULL);
  cn_index_free_replaced();
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();
  for (const struct cn_registered_image *image = cn_image_with_roots_from(list, 0); image != NULL;
       image = cn_image_with_roots_from(list, image->id + 1))
    for (const struct cairn_global_root *root = image->image.roots_start; root != image->image.roots_stop; root++) {
      if (!cairn_layout_is_known(root->layout))
        abort();
      sum += *(uintptr_t *)root->address;
    }
  cn_image_end_reading(entered);
  cn_stop_end(NULL);
  if (sum != 0)
    abort();
  collections++;
}

static void *collect_always(void *unused)
{
  while (running != 0)
    collect();
  return unused;
}

static void all_at_once(void **state)
{
  void *(*const what[])(void *) = {load_common,   load_own,        add_regions,     walk_natively,
                                   walk_natively, walk_as_mutator, walk_as_mutator, collect_always};
  enum { THREADS = sizeof what / sizeof *what };
  pthread_t threads[THREADS];
  size_t safepoints, bytes;

  (void)state;
  cn_os_prepare_thread_fence(true);
  library_code = CODE;
  library_offset = 16;
  library = load(library_code, library_offset);
  running = 3;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, what[i], NULL), 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 3; i++)
    collect();
  walk(0);
  bytes = cn_index_memory_bytes(&safepoints);
  assert_true(safepoints >= EACH && bytes < 1 << 20); /* no table that was replaced is left */
  unload(library);
  assert_int_equal(cn_images_count(), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_at_once)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
