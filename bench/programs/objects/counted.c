/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/objects/run: preloaded into a program, it counts the objects that are alive after each collection of the
 * semispace collector, which leaves no garbage, and writes the largest set of them into the file that OBJECTS_FILE
 * names: a line for each layout, with its number of objects, whether they have a count (0 or 1), the bytes of their
 * payloads without and with padding to 8 bytes, the number of objects whose payload's last word has at most four bytes,
 * the largest count, and the type's name. The collecting thread counts, in phase STOP.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/heap_object.h>

enum { MAX_LAYOUTS = 4096, MIN_BUFFER_BYTES = 256 << 10, LIVE_BYTES_PER_BUFFER_BYTE = 16 };

struct census {
  size_t layouts;
  uint64_t bytes; /* of objects, headers included */
  struct row {
    const struct cairn_layout *layout;
    uint64_t objects, payload, padded, short_tails, largest_count;
  } rows[MAX_LAYOUTS];
};

static struct census now, most;
static const struct cairn_collector *semispace;
static struct cairn_collector counted;

static struct row *row_of(const struct cairn_layout *layout)
{
  static size_t last;

  if (last < now.layouts && now.rows[last].layout == layout)
    return &now.rows[last];
  for (last = 0; last < now.layouts; last++)
    if (now.rows[last].layout == layout)
      return &now.rows[last];
  if (now.layouts == MAX_LAYOUTS)
    abort();
  now.rows[now.layouts++].layout = layout;
  return &now.rows[last];
}

/* The bytes of payload without padding. */
static uint64_t unpadded_bytes(const struct cairn_layout *layout, uint64_t count)
{
  uint64_t elements = layout->elem_offset + count * layout->elem_size;

  return layout->elem_size == 0 || elements < layout->base_size ? layout->base_size : elements;
}

/* The single mutator's allocation buffer, or an empty range. */
static uintptr_t buffer_start, buffer_end;

static void count_range(void *env, uintptr_t block, uintptr_t end, bool blocks)
{
  (void)env;
  while (blocks && block < end) {
    if (block == buffer_start && buffer_start != buffer_end) {
      block = buffer_end;
      continue;
    }
    uintptr_t object = cairn_block_object(block);
    const struct cairn_layout *layout = cairn_object_layout(object);
    uint64_t bytes, count = layout->elem_size != 0 ? cairn_object_count(object) : 0;
    if (cairn_object_payload(object, layout, &bytes) != CAIRN_OK)
      abort();
    struct row *row = row_of(layout);
    row->objects++;
    uint64_t unpadded = unpadded_bytes(layout, count);
    row->payload += unpadded;
    row->short_tails += unpadded % 8 != 0 && unpadded % 8 <= 4;
    row->padded += bytes;
    row->largest_count = count > row->largest_count ? count : row->largest_count;
    now.bytes += object + bytes - block;
    block = object + bytes;
  }
}

/* Gives the mutator a part of its buffer and fills the rest, so that the next collection comes soon: the largest set is
 * found when little more has been allocated. A large object that waits takes the rest. */
static void give_part_of_buffer(struct cairn_mutator *single, size_t bytes_needed)
{
  size_t bytes = MIN_BUFFER_BYTES + now.bytes / LIVE_BYTES_PER_BUFFER_BYTE + bytes_needed;

  bytes = bytes < buffer_end - buffer_start && bytes_needed < CAIRN_ABI_INLINE_ALLOC_MAX ? bytes & ~(size_t)7
                                                                                         : buffer_end - buffer_start;
  cairn_buffer_give(single, buffer_start, buffer_start + bytes);
  cairn_fill(buffer_start + bytes, buffer_end);
}

static void collect(const struct cairn_collection *collection)
{
  semispace->collect(collection);
  now.layouts = 0;
  now.bytes = 0;
  memset(now.rows, 0, sizeof now.rows);
  struct cairn_mutator *single = cairn_mutator_next(NULL);
  buffer_start = buffer_end = 0;
  if (single != NULL && cairn_mutator_next(single) == NULL)
    buffer_start = cairn_buffer_take(single, &buffer_end);
  semispace->ranges(count_range, NULL);
  if (buffer_start != buffer_end)
    give_part_of_buffer(single, collection->bytes_needed);
  if (now.bytes > most.bytes)
    most = now;
}

__attribute__((constructor)) static void begin(void)
{
  semispace = dlsym(RTLD_DEFAULT, "cairn_collector_semispace");
  if (semispace == NULL)
    return; /* a command that starts the program */
  counted = *semispace;
  counted.collect = collect;
  cairn_set_collector(&counted);
}

__attribute__((destructor)) static void end(void)
{
  const char *path = getenv("OBJECTS_FILE");
  FILE *file = counted.collect == NULL || path == NULL ? NULL : fopen(path, "w");
  char type[200];

  for (size_t i = 0; file != NULL && i < most.layouts; i++) {
    const struct row *row = &most.rows[i];
    cairn_layout_type(row->layout, type, sizeof type);
    fprintf(file, "%lu %d %lu %lu %lu %lu %s\n", row->objects, row->layout->elem_size != 0, row->payload, row->padded,
            row->short_tails, row->largest_count, type);
  }
  if (file != NULL && fclose(file) != 0)
    perror("objects: OBJECTS_FILE");
}
