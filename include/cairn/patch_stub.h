/* SPDX-License-Identifier: Apache-2.0
 *
 * Stubs: code between a point of managed code and a handler in C (docs/patching.md, "Stubs"). A patch turns the region
 * of a shadow or of a patchpoint into a call of a stub. The stub stores all registers in a structure, calls the
 * handler, loads the registers from the structure, and continues at the address that the handler returns.
 *
 *   static uintptr_t count_visits(struct cairn_point_state *state)
 *   {
 *     ++*(uint64_t *)state->data;
 *     return state->resume;
 *   }
 *
 *   struct cairn_patch_stub *stub;
 *   if (cairn_patch_stub_new(count_visits, &visits, point.address, &stub) == CAIRN_OK)
 *     cairn_patch_call(patch, &point, cairn_patch_stub_address(stub));
 *
 * The code of a point that a handler resumes must consist of nops and the call: LLVM counts the instructions after a
 * stackmap as its shadow, and a patch replaces these instructions. A handler that leaves the function for good may
 * replace any region.
 *
 * A handler is a leaf of managed code: collections, calls of managed code, waits for other threads, and exceptions are
 * forbidden. It may read and write references, which stay in place while the handler runs.
 */
#ifndef CAIRN_PATCH_STUB_H
#define CAIRN_PATCH_STUB_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/patch.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The registers at the point. The handler may change all of them.
 *
 * The stack pointer is that of the code before the call. The handler may raise it, to leave frames; a lower value ends
 * the program. */
#if defined(__aarch64__)
enum { CAIRN_POINT_GENERAL_COUNT = 32, CAIRN_POINT_VECTOR_COUNT = 32 };
enum { CAIRN_POINT_VECTOR_BYTES = 16, CAIRN_POINT_OTHER_BYTES = 64 };

/* x16, x17 and x30 have no value at points, because LLVM leaves them to calls; x30 gets the address to continue at.
 * `vector_bytes` is 16, and `vector_count` is 32. */
struct cairn_point_state {
  uint64_t general[CAIRN_POINT_GENERAL_COUNT]; /* by DWARF number; number 31 is the stack pointer */
  uint64_t flags;                              /* N, Z, C and V from bit 31 on */
  void *data;                                  /* as given to cairn_patch_stub_new() */
  uintptr_t resume; /* the address after the call, which is the end of the region; changes have no effect */
  uint32_t vector_bytes, vector_count;
  unsigned char vector[CAIRN_POINT_VECTOR_COUNT][CAIRN_POINT_VECTOR_BYTES]; /* v0 to v31 */
  unsigned char other[CAIRN_POINT_OTHER_BYTES];                             /* private */
};
#else
enum { CAIRN_POINT_GENERAL_COUNT = 16, CAIRN_POINT_VECTOR_COUNT = 32, CAIRN_POINT_MASK_COUNT = 8 };
enum { CAIRN_POINT_VECTOR_BYTES = 64, CAIRN_POINT_OTHER_BYTES = 576 };

/* `vector_bytes` is 16, 32 or 64, and `vector_count` is 16 or 32: other parts of the vector registers are unused or
 * missing. They have no value in the structure; in the processor they are 0, and stay 0. */
struct cairn_point_state {
  uint64_t general[CAIRN_POINT_GENERAL_COUNT]; /* by DWARF number; number 7 is the stack pointer */
  uint64_t flags;
  void *data;       /* as given to cairn_patch_stub_new() */
  uintptr_t resume; /* the address after the call, which is the end of the region; changes have no effect */
  uint32_t vector_bytes, vector_count;
  uint64_t unused[4];
  uint64_t mask[CAIRN_POINT_MASK_COUNT];
  unsigned char vector[CAIRN_POINT_VECTOR_COUNT][CAIRN_POINT_VECTOR_BYTES]; /* by the machine's number */
  unsigned char other[CAIRN_POINT_OTHER_BYTES];                             /* private */
};
#endif

/* Returns the address to continue at. An address other than state->resume ends the program if the thread has a shadow
 * stack. */
typedef uintptr_t cairn_point_handler(struct cairn_point_state *state);

struct cairn_patch_stub;

#pragma GCC visibility push(default)

/* Makes a stub that calls near `near` reach: within 2 GiB on x86-64, within 124 MiB on AArch64. A stub may serve any
 * number of points; state->resume tells them apart. MEMORY; CODE: the system denies executable memory near the address;
 * REFUSED: the processor's registers cannot be stored one by one (AVX-512 without BW). After a failure *stub is null.
 * Any thread, outside of signal handlers and stops. */
enum cairn_status cairn_patch_stub_new(cairn_point_handler *handler, void *data, uintptr_t near,
                                       struct cairn_patch_stub **stub);

/* Frees a stub, or null. All code that calls the stub has been patched or unloaded before; threads may still be in the
 * stub, which therefore stays as it is up to the next commit of patches that stops the threads. */
void cairn_patch_stub_free(struct cairn_patch_stub *stub);

/* The address to call. */
uintptr_t cairn_patch_stub_address(const struct cairn_patch_stub *stub);

/* The place of a vector register in state->vector by its DWARF number, for values of records: null if the number is not
 * one of a stored vector register. */
unsigned char *cairn_point_state_vector(struct cairn_point_state *state, unsigned reg);

/* Read a value of the point (cairn_point_read_value()) with the registers of the state, or write it: `word` has the
 * value in its lowest `bits` bits. Reads set the other bits to 0; writes ignore them. REGISTER: the register is not
 * stored; BOUNDS: constants and addresses cannot be written. After a failure *word and the state are unchanged. */
enum cairn_status cairn_point_state_read(struct cairn_point_state *state, const struct cairn_point_value *value,
                                         uint64_t *word);
enum cairn_status cairn_point_state_write(struct cairn_point_state *state, const struct cairn_point_value *value,
                                          uint64_t word);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
