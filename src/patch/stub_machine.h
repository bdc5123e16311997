/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for stubs and islands (stub.c): the code of each, and the common part that all stubs enter.
 */
#ifndef CN_PATCH_STUB_MACHINE_H
#define CN_PATCH_STUB_MACHINE_H

#include <cairn/patch_stub.h>
#include <stdbool.h>

enum { CN_STUB_CODE_BYTES = 16, CN_STUB_BYTES = 64 };

/* A stub. Threads run and read it through its executable mapping; the runtime writes it through the other mapping. The
 * port's assembly knows the offsets. */
struct cn_stub {
  unsigned char code[CN_STUB_CODE_BYTES]; /* push `self`, and jump to the address in `enter` */
  uintptr_t self, enter;
  cairn_point_handler *handler;
  void *data;
  struct cn_stub_slab *slab; /* of stub.c */
  struct cn_stub *next;      /* of stub.c */
};
_Static_assert(sizeof(struct cn_stub) == CN_STUB_BYTES, "stubs fill their places");

/* Write the code, `self` and `enter` of the stub that threads will see at `address`. */
void cn_stub_machine_write(struct cn_stub *stub, uintptr_t address);

/* Write the code, `self` and `enter` of an island: a jump to `target`, which may change the register that LLVM leaves
 * to calls in shadows, too. */
void cn_stub_machine_write_island(struct cn_stub *island, uintptr_t address, uintptr_t target);

/* False: the common part cannot store the processor's registers. */
bool cn_stub_machine_is_supported(void);

/* The place in a state's array of vector registers by DWARF number. False: no vector register has the number. */
bool cn_stub_machine_find_vector(unsigned reg, unsigned char *number);

/* Called by the common part. Returns the address to continue at. */
uintptr_t cn_stub_run(struct cairn_point_state *state, const struct cn_stub *stub);

#endif
