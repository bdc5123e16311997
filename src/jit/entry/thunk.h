/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for thunks: the code of an entry (entries.c), which jumps to the current version of a
 * function. A thunk looks like a managed function: mark, entry, body (abi.def). Private to src/jit.
 */
#ifndef CN_JIT_THUNK_H
#define CN_JIT_THUNK_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>

enum { CN_JIT_THUNK_BYTES = 96 };

/* A thunk. Threads run and read it through its executable mapping; the session writes it through the other mapping. */
struct cn_jit_thunk {
  unsigned char service_code[16]; /* pass the thunk's address to the code at `service`, in the register of `nest` */
  unsigned char prefix[16];       /* make the thread managed, and call `body` */
  uint64_t mark;
  unsigned char entry[CAIRN_ABI_ENTRY_SIZE];
  unsigned char body[8]; /* jump to the code at `target` */
  uintptr_t target;      /* the body of the current version, or `service_code` */
  uintptr_t service;
  void *data; /* for the service */
};
_Static_assert(sizeof(struct cn_jit_thunk) == CN_JIT_THUNK_BYTES, "thunks fill their places");
_Static_assert(offsetof(struct cn_jit_thunk, mark) % 16 == 0, "the mark's place");

/* The first place of a slab of thunks. */
struct cn_jit_thunk_head {
  unsigned char enter_code[16]; /* jump to the code at `enter` */
  unsigned char gone_code[16];  /* a service: call `gone` with the thunk's address */
  uintptr_t enter;
  void (*gone)(const struct cn_jit_thunk *thunk);
};
_Static_assert(sizeof(struct cn_jit_thunk_head) <= CN_JIT_THUNK_BYTES, "the head fits into its place");

/* Write the code of a slab's head, and of a thunk, which threads will see at `address` in the slab at `head`. The
 * thunk's words stay. */
void cn_jit_thunk_write_head(struct cn_jit_thunk_head *head);
void cn_jit_thunk_write(struct cn_jit_thunk *thunk, uintptr_t address, uintptr_t head);

#endif
