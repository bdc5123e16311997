/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores the program's own layouts in reserved addresses, so that one comparison tells if an address may be a layout of
 * the store. The file owns these addresses, a table from names to layouts at their start, and the end of their used
 * part. One thread at a time adds, under its caller's lock. Any thread reads, in any phase: a layout is complete before
 * the table refers to it, and stays for the program's life. The child of a fork() that interrupted an addition loses
 * only memory.
 */
#include "runtime/tables/layout_store.h"

#include <stdatomic.h>
#include <string.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { STORE_BYTES = 64 << 20, STEP_BYTES = 64 << 10, BUCKET_COUNT = 8192 };

typedef const struct cn_stored_layout *_Atomic bucket;

static _Atomic uintptr_t store_start, store_used; /* 0: no layout was added yet */
static uintptr_t store_committed;

_Static_assert(BUCKET_COUNT * sizeof(bucket) % STEP_BYTES == 0, "the table takes whole steps");

static size_t hash_of(const char *name)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

  CN_ASSERT(name != NULL);
  for (; *name != '\0'; name++)
    hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
  return (size_t)(hash ^ hash >> 32) % BUCKET_COUNT;
}

static bucket *bucket_at(uintptr_t start, size_t index)
{
  CN_CHECK(start != 0 && index < BUCKET_COUNT);
  return (bucket *)start + index;
}

static bool reserve_store(void)
{
  uintptr_t start = cn_os_reserve_addresses(STORE_BYTES);
  size_t table = BUCKET_COUNT * sizeof(bucket);

  if (start == 0)
    return false;
  if (!cn_os_commit_memory(start, table)) {
    cn_os_free_mapping((void *)start, STORE_BYTES);
    return false;
  }
  store_committed = start + table;
  atomic_store(&store_start, start);
  atomic_store(&store_used, start + table);
  return true;
}

static size_t round_up(size_t bytes, size_t to)
{
  return (bytes + to - 1) / to * to;
}

/* Commit `bytes` bytes after the used part. */
static bool commit_space(size_t bytes)
{
  uintptr_t start = atomic_load(&store_start), used = atomic_load(&store_used);

  CN_CHECK(store_committed >= used && used >= start);
  if (bytes <= store_committed - used)
    return true;
  size_t more = round_up(bytes - (store_committed - used), STEP_BYTES);
  if (more > start + STORE_BYTES - store_committed || !cn_os_commit_memory(store_committed, more))
    return false;
  store_committed += more;
  return true;
}

const struct cn_stored_layout *cn_layout_store_find(const char *name)
{
  uintptr_t start = atomic_load(&store_start);
  const struct cn_stored_layout *at = start != 0 ? atomic_load(bucket_at(start, hash_of(name))) : NULL;

  while (at != NULL && strcmp(at->name, name) != 0)
    at = at->next;
  return at;
}

static char *append_bytes(char *to, const void *bytes, size_t size)
{
  memcpy(to, bytes, size);
  return to + size;
}

/* A record is followed by its layout, and by the strings. */
const struct cn_stored_layout *cn_layout_store_add(const char *name, const struct cairn_layout *layout,
                                                   const char *names, const char *origin)
{
  size_t bytes = sizeof *layout + ((size_t)layout->base_refs + layout->elem_refs) * sizeof *layout->offsets;
  size_t strings = strlen(names) + strlen(name) + strlen(origin) + 3;
  size_t all = round_up(sizeof(struct cn_stored_layout) + bytes + strings, _Alignof(struct cn_stored_layout));

  CN_CHECK(strlen(name) <= CN_LAYOUT_NAME_BYTES && cn_layout_store_find(name) == NULL);
  if ((atomic_load(&store_start) == 0 && !reserve_store()) || !commit_space(all))
    return NULL;
  struct cn_stored_layout *added = (struct cn_stored_layout *)atomic_load(&store_used);
  struct cairn_layout *copy = (struct cairn_layout *)(added + 1);
  char *text = append_bytes((char *)copy, layout, bytes);
  copy->names = (int32_t)(text - (char *)copy);
  CN_CHECK((uintptr_t)copy % _Alignof(struct cairn_layout) == 0 && (uintptr_t)text + strings <= (uintptr_t)added + all);
  added->name = append_bytes(text, names, strlen(names) + 1);
  added->origin = append_bytes((char *)added->name, name, strlen(name) + 1);
  append_bytes((char *)added->origin, origin, strlen(origin) + 1);
  added->layout = copy;
  bucket *head = bucket_at(atomic_load(&store_start), hash_of(name));
  added->next = atomic_load(head);
  atomic_store(&store_used, (uintptr_t)added + all);
  atomic_store(head, added);
  return added;
}

bool cn_layout_store_has_address(uintptr_t address)
{
  uintptr_t start = atomic_load(&store_start) + BUCKET_COUNT * sizeof(bucket), used = atomic_load(&store_used);

  return address >= start && address < used && used - address >= sizeof(struct cairn_layout) &&
         address % _Alignof(struct cairn_layout) == 0;
}

bool cn_layout_store_visit(bool (*visit)(void *env, const struct cn_stored_layout *stored), void *env)
{
  uintptr_t start = atomic_load(&store_start);

  CN_ASSERT(visit != NULL);
  for (size_t i = 0; start != 0 && i < BUCKET_COUNT; i++)
    for (const struct cn_stored_layout *at = atomic_load(bucket_at(start, i)); at != NULL; at = at->next)
      if (!visit(env, at))
        return false;
  return true;
}
