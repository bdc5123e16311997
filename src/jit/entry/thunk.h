/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for thunks: the code of an entry (entries.c), which jumps to the current version of a
 * function. A thunk looks like a managed function: mark, entry, body (abi.def). Private to src/jit.
 */
#ifndef CN_JIT_THUNK_H
#define CN_JIT_THUNK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cairn/abi.h>

/* Marks lie at multiples of 16. */
enum { CN_JIT_THUNK_BYTES = (72 + CAIRN_ABI_ENTRY_SIZE + 15) / 16 * 16 };

/* A thunk. Threads run and read it through its executable mapping; the session writes it through the other mapping. */
struct cn_jit_thunk {
  _Alignas(16) unsigned char service_code[16]; /* pass the thunk's address to the code at `service`, in the register of
                                                  `nest` */
  unsigned char prefix[16];                    /* make the thread managed, and call `body` */
  uint64_t mark;
  unsigned char entry[CAIRN_ABI_ENTRY_SIZE];
  unsigned char body[8]; /* jump to the code at `target` */
  uintptr_t target;      /* the body of the current version, or `service_code` */
  uintptr_t service;
  void *data; /* for the service */
};
_Static_assert(sizeof(struct cn_jit_thunk) == CN_JIT_THUNK_BYTES, "thunks fill their places");
_Static_assert(offsetof(struct cn_jit_thunk, mark) % 16 == 0, "the mark's place");

/* Call-frame information of a slab, in the form of .eh_frame: one CIE and one FDE, with the port's rules. */
enum { CN_JIT_THUNK_RULES = 16 };
struct cn_jit_thunk_frames {
  uint32_t cie_bytes, cie_id;
  unsigned char cie[CN_JIT_THUNK_RULES];
  uint32_t fde_bytes, cie_distance;
  uintptr_t start, bytes; /* of the slab */
  unsigned char fde[CN_JIT_THUNK_RULES];
  uint32_t end; /* 0 */
};
_Static_assert(offsetof(struct cn_jit_thunk_frames, start) == 32, "the record has no padding");

static inline void cn_jit_thunk_fill_frames(struct cn_jit_thunk_frames *frames, uintptr_t slab, size_t bytes,
                                            const unsigned char cie[CN_JIT_THUNK_RULES],
                                            const unsigned char fde[CN_JIT_THUNK_RULES])
{
  frames->cie_bytes = sizeof frames->cie_id + sizeof frames->cie;
  frames->fde_bytes = offsetof(struct cn_jit_thunk_frames, end) - offsetof(struct cn_jit_thunk_frames, cie_distance);
  frames->cie_distance = offsetof(struct cn_jit_thunk_frames, cie_distance);
  frames->start = slab;
  frames->bytes = bytes;
  memcpy(frames->cie, cie, sizeof frames->cie);
  memcpy(frames->fde, fde, sizeof frames->fde);
}

/* The first places of a slab of thunks. */
struct cn_jit_thunk_head {
  unsigned char enter_code[16]; /* jump to the code at `enter` */
  unsigned char gone_code[24];  /* a service: call `gone` with the thunk's address */
  uintptr_t enter;
  void (*gone)(const struct cn_jit_thunk *thunk);
  struct cn_jit_thunk_frames frames;
};
enum { CN_JIT_THUNK_HEAD_PLACES = 2 };
_Static_assert(sizeof(struct cn_jit_thunk_head) <= CN_JIT_THUNK_HEAD_PLACES * CN_JIT_THUNK_BYTES, "the head fits");

/* Write the code and the call-frame information of the head of a slab, which threads will see at `slab`; and the code
 * of a thunk, which they will see at `address` in the slab at `head`. The other words stay. */
void cn_jit_thunk_write_head(struct cn_jit_thunk_head *head, uintptr_t slab, size_t bytes);
void cn_jit_thunk_write(struct cn_jit_thunk *thunk, uintptr_t address, uintptr_t head);

#endif
