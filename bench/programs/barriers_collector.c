/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that never collects, for bench/barriers: what the program does at its stores is all
 * that differs. KIND is the kind of its barriers: 0, none, or that of cards.
 */
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/collector.h>

enum { CARDS = 1 << 21 }; /* of 512 bytes: for a gigabyte */

static uintptr_t next, end;

static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  static unsigned char cards[CARDS];
  (void)initial_bytes;
  void *heap = mmap(NULL, max_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (heap == MAP_FAILED)
    return CAIRN_E_MEMORY;
  next = (uintptr_t)heap;
  end = next + (max_bytes & ~(size_t)7);
  if (KIND)
    cairn_barrier_cards(cards, CARDS - 1);
  return CAIRN_OK;
}

/* For one thread. */
static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  enum { SHARE = 1 << 20 };
  uintptr_t old_end;

  cairn_buffer_take(mutator, &old_end);
  if (bytes > SHARE || end - next < SHARE)
    return CAIRN_E_MEMORY;
  cairn_buffer_give(mutator, next, next + SHARE);
  next += SHARE;
  return CAIRN_OK;
}

static const struct cairn_collector collector = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                                 .size = sizeof(struct cairn_collector),
                                                 .name = "bench",
                                                 .barriers = KIND,
                                                 .init = init,
                                                 .refill = refill,
                                                 .grow = refill};

__attribute__((constructor(102))) static void use_collector(void)
{
  cairn_set_collector(&collector);
}
