/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers call-frame information with the unwinder of the C++ library. Unwinders differ: the first kind searches all
 * registrations one by one, so the modules of a slab have one registration, of a table that is replaced when a module
 * comes or goes; the second kind finds a registration in logarithmic time, but overlapping tables confuse it, so each
 * module has one. A probe tells the kinds apart. Owns the probe's result, which pthread_once() protects; the session's
 * lock covers the tables of its slabs.
 */
#include "jit/unwinding.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "jit/linking_layer.h"

/* Of the unwinder. Only libgcc's has tables. */
void __register_frame(void *frames);
void __deregister_frame(void *frames);
extern void __register_frame_info_table(void *parts, void *object) __attribute__((weak));
extern void *__deregister_frame_info(const void *parts) __attribute__((weak));
extern const void *_Unwind_Find_FDE(void *pc, void *bases) __attribute__((weak));

/* The unwinder's data of a registration: libgcc has at most 7 words. */
struct unwinder_object {
  void *words[16];
};

static bool has_replaceable_tables;

/* ---- the probe ---- */

/* Call-frame information of one function of one byte, which is `code`. */
struct probe_frames {
  uint32_t cie_bytes, cie_id;
  uint8_t cie[8]; /* version 1, no augmentation, factors 1, return register 0 */
  uint32_t fde_bytes, cie_distance;
  const void *start;
  uintptr_t bytes;
  uint32_t end;
};
_Static_assert(offsetof(struct probe_frames, start) == 24, "the record has no padding");

/* Register two tables for the same function, and withdraw the first, as the replacement of a table does. The second
 * registration of an unwinder of the other kind is void, and stays. */
static void probe(void)
{
  static const char code[1];
  static struct probe_frames frames = {
      .cie_bytes = 12, .cie = {1, 0, 1, 1, 0}, .fde_bytes = 20, .cie_distance = 20, .start = code, .bytes = 1};
  static void *tables[2][2] = {{&frames}, {&frames}};
  static struct unwinder_object objects[2];
  void *bases[3];

  if (!__register_frame_info_table || !__deregister_frame_info || !_Unwind_Find_FDE)
    return;
  __register_frame_info_table(tables[0], &objects[0]);
  __register_frame_info_table(tables[1], &objects[1]);
  __deregister_frame_info(tables[0]);
  has_replaceable_tables = _Unwind_Find_FDE((void *)code, bases) != NULL;
  if (has_replaceable_tables)
    __deregister_frame_info(tables[1]);
}

/* ---- tables ---- */

/* Other threads may have found the table before it was withdrawn, and still read its data. */
static void keep_withdrawn(struct cn_frame_table *table, void *object)
{
  void **place = &table->withdrawn[table->withdrawals++ % CN_FRAME_TABLES_KEPT];

  free(*place);
  *place = object;
}

/* Register the table's new parts before the old ones go: other threads unwind meanwhile. */
static void replace_table(struct cn_frame_table *table, void **parts, size_t count)
{
  void **old_parts = table->parts, *old_object = table->object;

  table->parts = count ? parts : NULL;
  table->count = count;
  table->object = count ? cn_alloc(sizeof(struct unwinder_object)) : NULL;
  if (count)
    __register_frame_info_table(parts, table->object);
  else
    free(parts);
  if (old_parts) {
    __deregister_frame_info(old_parts);
    free(old_parts);
    keep_withdrawn(table, old_object);
  }
}

static void add_to_table(struct cn_frame_table *table, void *frames)
{
  void **parts = cn_alloc((table->count + 2) * sizeof *parts);

  if (table->count)
    memcpy(parts, table->parts, table->count * sizeof *parts);
  parts[table->count] = frames;
  replace_table(table, parts, table->count + 1);
}

static void remove_from_table(struct cn_frame_table *table, const void *frames)
{
  void **parts = cn_alloc((table->count + 1) * sizeof *parts);
  size_t kept = 0;

  for (size_t i = 0; i < table->count; i++)
    if (table->parts[i] != frames)
      parts[kept++] = table->parts[i];
  CN_CHECK(kept + 1 == table->count);
  replace_table(table, parts, kept);
}

void cn_unwinding_add(struct cn_linked *linked)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once(&once, probe);
  if (has_replaceable_tables)
    add_to_table(cn_slab_frames(linked->code.slab), (void *)linked->frames);
  else
    __register_frame((void *)linked->frames);
}

void cn_unwinding_remove(struct cn_linked *linked)
{
  if (has_replaceable_tables)
    remove_from_table(cn_slab_frames(linked->code.slab), (void *)linked->frames);
  else
    __deregister_frame((void *)linked->frames);
}
