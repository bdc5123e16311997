/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that never collects: for programs that end before memory does, to measure what
 * collections cost, and as the least that a collector can be. Native code against
 * <cairn/collector.h> alone.
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c never.c && cairn-cc -O2 program.c never.o -o program
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/collector.h>

enum { SHARE = 256 << 10 }; /* bytes that a thread takes at a time, if no larger block is wanted */

static uintptr_t end;          /* of the heap */
static _Atomic uintptr_t next; /* the first byte that no thread has taken */

/* Reserve all that the program may ever have. A page takes no memory before it is written. */
static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  (void)initial_bytes;
  void *heap = mmap(NULL, max_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (heap == MAP_FAILED)
    return CAIRN_E_MEMORY;
  next = (uintptr_t)heap;
  end = (uintptr_t)heap + (max_bytes & ~(size_t)7);
  return CAIRN_OK;
}

/* Several threads come at once. Blocks lie one after another, so what is left of the buffer goes on
 * in the new one if no other thread has come between; else it is lost. */
static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  uintptr_t at = next, share;

  do {
    if (bytes > end - at)
      return CAIRN_E_MEMORY;
    share = bytes > SHARE ? bytes : SHARE;
    if (share > end - at)
      share = end - at;
  } while (!atomic_compare_exchange_weak(&next, &at, at + share));
  uintptr_t old_end, old = cairn_buffer_take(mutator, &old_end);
  cairn_buffer_give(mutator, old_end == at ? old : at, at + share);
  return CAIRN_OK;
}

static const struct cairn_collector never = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                             .size = sizeof(struct cairn_collector),
                                             .name = "never",
                                             .traits = CAIRN_COLLECTOR_WORDS,
                                             .init = init,
                                             .refill = refill,
                                             .grow = refill};

__attribute__((constructor(102))) static void use_never(void)
{
  cairn_set_collector(&never);
}
