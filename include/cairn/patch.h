/* SPDX-License-Identifier: Apache-2.0
 *
 * Patch points: places of managed code that a program looks up and changes while other threads run there
 * (docs/patching.md). A point is the shadow of a stackmap, a patchpoint, or a statepoint with patch bytes
 * (llvm-stackmaps, "Intrinsics"; llvm-statepoints, "num patch bytes").
 *
 *   struct cairn_point point;
 *
 *   if (cairn_points_with_id(7, &point, 1) == 1) {
 *     struct cairn_patch *patch = cairn_patch_begin();
 *     struct cairn_patch_failure failure;
 *     cairn_patch_call(patch, &point, new_target);
 *     if (cairn_patch_commit(patch, &failure) != CAIRN_OK)
 *       fprintf(stderr, "no patch at 0x%lx: %s\n", (unsigned long)failure.address, failure.text);
 *   }
 *
 * The region of a point is the code that may change. A patch replaces the whole region. A batch of patches takes effect
 * as a whole or not at all, with one stop of all threads for any number of points; without a stop if only the targets
 * of calls and jumps change, each within an aligned word of 8 bytes.
 *
 * A shadow and a patchpoint are leaves: what they call neither collects nor calls managed code. The target of a
 * statepoint may collect.
 *
 * Code is written through a second mapping; code is never writable where it runs. At the first patch of an executable,
 * a shared object or a module in memory, the pages from its first point to its last are copied, and the copy, which is
 * shared memory, is mapped in their place. Debuggers cannot set breakpoints there afterwards. A child of fork() gets
 * its own copy, as of the fork().
 *
 * Functions run on any thread, attached or not, outside of signal handlers, collectors and the operations of
 * handshakes; look-ups also during a stop. Managed code calls them as native functions, not as leaves. The library is
 * libcairn.a.
 */
#ifndef CAIRN_PATCH_H
#define CAIRN_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- points ---- */

enum cairn_point_kind {
  CAIRN_POINT_SHADOW,     /* llvm.experimental.stackmap; the region is the shadow */
  CAIRN_POINT_PATCHPOINT, /* llvm.experimental.patchpoint; the region is the reserved bytes */
  CAIRN_POINT_STATEPOINT, /* gc.statepoint with patch bytes; the region ends at the return address */
};

enum { CAIRN_POINT_SAVED_MAX = 12 };

/* A register that the function's prologue has saved: its DWARF number, and its offset from the frame address. On
 * AArch64 the last one is x30, the return address. */
struct cairn_point_saved {
  uint8_t reg;
  int32_t offset;
};

/* A point, filled by value. It stays valid, but of no use, when its code is unloaded: functions then return GONE. */
struct cairn_point {
  uintptr_t address; /* start of the region */
  uint32_t length;   /* of the region in bytes; 0: the point is for reading only */
  enum cairn_point_kind kind;
  uint64_t id;          /* the program's number, which may repeat */
  uintptr_t function;   /* address of the managed function with the point */
  uint16_t convention;  /* LLVM's number of the calling convention */
  bool has_target;      /* the region had a call of the program's target when it was compiled */
  bool has_result;      /* value 0 is the place of the result (anyregcc) */
  bool nops;            /* the region had only no-ops when it was compiled, so a jump past it skips no instruction */
  uint32_t arguments;   /* number of values after the result that are arguments of the call (anyregcc) */
  uint32_t values;      /* number of values: the result's place, the arguments, the live values */
  uint32_t live_outs;   /* number of live-outs */
  uint8_t frame_reg;    /* the frame address (CFA) of the function is this register plus `frame_offset` */
  uint8_t saved_count;  /* number of elements of `saved` */
  int32_t frame_offset; /* in bytes */
  struct cairn_point_saved saved[CAIRN_POINT_SAVED_MAX];
  struct { /* private */
    void *image;
    uint64_t image_id;
    void *function;
    uint32_t index;
  } private_data;
};

enum cairn_point_class {
  CAIRN_POINT_INTEGER,
  CAIRN_POINT_FLOAT,     /* of 16, 32 or 64 bits */
  CAIRN_POINT_POINTER,   /* an address outside the heap */
  CAIRN_POINT_REFERENCE, /* a reference, which the next collection may change */
  CAIRN_POINT_UNDEFINED, /* the program has no value here; the constant 0 stands for it */
  CAIRN_POINT_LOCAL,     /* the address of a local variable of the frame */
};

enum cairn_point_place {
  CAIRN_POINT_CONSTANT, /* the value is `constant` */
  CAIRN_POINT_REGISTER, /* the value is in register `reg` */
  CAIRN_POINT_MEMORY,   /* the value is in memory at register `reg` + `offset` */
  CAIRN_POINT_ADDRESS,  /* the value is the address `reg` + `offset` */
};

/* A value at the start of the region. Registers have DWARF numbers. Bits of the place above the lowest `bits` bits have
 * no meaning. */
struct cairn_point_value {
  enum cairn_point_class value_class;
  enum cairn_point_place place;
  uint8_t bits; /* 1 to 64 */
  uint8_t reg;
  int32_t offset;
  uint64_t constant;
};

/* A register that code after the region reads: its DWARF number, and its size in bytes. */
struct cairn_point_live_out {
  uint8_t reg;
  uint8_t size;
};

#pragma GCC visibility push(default)

/* Find the points with an id, in the order of addresses, or the points of the managed function `function`, in the order
 * of regions. Return their number, and fill at most `capacity` elements of `points`, which may be null if `capacity` is
 * 0. The points of a loaded image are indexed at the first look-up after its loading. */
size_t cairn_points_with_id(uint64_t id, struct cairn_point *points, size_t capacity);
size_t cairn_points_of_function(uintptr_t function, struct cairn_point *points, size_t capacity);

/* Find the point whose region contains the address, or, if its region is empty, begins there. Of several points at one
 * address a point with a region is preferred. UNKNOWN: there is no such point; *point is unchanged. */
enum cairn_status cairn_point_at(uintptr_t address, struct cairn_point *point);

/* Read value `index` of the point, or live-out `index`. BOUNDS: the point has no such item; GONE: its code was
 * unloaded; UNKNOWN: no look-up filled the point; after a failure the result is unchanged. Linear in `index`. */
enum cairn_status cairn_point_read_value(const struct cairn_point *point, uint32_t index,
                                         struct cairn_point_value *value);
enum cairn_status cairn_point_read_live_out(const struct cairn_point *point, uint32_t index,
                                            struct cairn_point_live_out *live_out);

/* ---- patches ---- */

struct cairn_patch;

enum { CAIRN_PATCH_TEXT_BYTES = 160 };

/* The first failure of a batch. */
struct cairn_patch_failure {
  enum cairn_status status;
  uintptr_t address;                 /* of the point, or 0 for a failure of the whole batch */
  char text[CAIRN_PATCH_TEXT_BYTES]; /* a sentence without its full stop */
};

/* Begin a batch, which belongs to one thread at a time. Null: memory is exhausted; functions that take a batch accept
 * null, and return MEMORY. */
struct cairn_patch *cairn_patch_begin(void);

/* Add a patch to the batch. Nothing is written before the commit. A function that fails adds nothing, and the commit
 * will report the batch's first failure, so that its status covers all calls.
 *
 * cairn_patch_add(): `bytes` become the code of the region; the caller keeps them. `length` must be the region's length
 *   (LENGTH). cairn_assembler_end() of <cairn/assembler.h> fills code up to a length with nops. The new code of a
 *   statepoint must end with a call, or consist of nops, or be nops and a jump (SHAPE).
 * cairn_patch_restore(): the region gets the code that it had before the first patch.
 * cairn_patch_nops(): the region becomes nops.
 * cairn_patch_jump(): the region becomes a jump to `target` and nops.
 * cairn_patch_call(): the region becomes nops and a call of `target`, which ends at the region's end. `target` may be
 *   the address of a managed function only for a statepoint (REFUSED); a native target of a statepoint runs as a leaf.
 *   The arguments are those that the code before the region has set. For a shadow the target must preserve all
 *   registers: stubs do.
 * Jumps and calls: a target out of a branch's reach, 2 GiB on x86-64 and 128 MiB on AArch64, is called through the
 *   register that LLVM leaves to calls, or reached by an island: a jump to the target near the region, which is made at
 *   once and stays. FAR: the system has no memory for an island there.
 * All: ROOM: the region is too short; UNKNOWN: no look-up filled the point; MEMORY. */
enum cairn_status cairn_patch_add(struct cairn_patch *patch, const struct cairn_point *point, const void *bytes,
                                  size_t length);
enum cairn_status cairn_patch_restore(struct cairn_patch *patch, const struct cairn_point *point);
enum cairn_status cairn_patch_nops(struct cairn_patch *patch, const struct cairn_point *point);
enum cairn_status cairn_patch_jump(struct cairn_patch *patch, const struct cairn_point *point, uintptr_t target);
enum cairn_status cairn_patch_call(struct cairn_patch *patch, const struct cairn_point *point, uintptr_t target);

/* Write all patches of the batch, and free the batch. When the call returns, every thread runs the new code; meanwhile
 * a thread runs the old or the new code of each point. After a failure no code has changed, and *failure, unless it is
 * null, describes the failure; after success its status is CAIRN_OK.
 *
 * GONE: code of the batch was unloaded. TWICE: the batch has two patches of a point. CODE: the code's pages cannot be
 * replaced by a second mapping: the system denies memfd_create() or executable memory, or the pages are not plain code.
 * SHARED: another process shares the code's pages. BUSY: the caller is a signal handler, a collector, an operation of a
 * handshake, or a leaf function of managed code. REFUSED: code without safepoints is loaded, which makes stops
 * impossible. MEMORY. Also the first failure of an added patch. */
enum cairn_status cairn_patch_commit(struct cairn_patch *patch, struct cairn_patch_failure *failure);

/* Free a batch without writing. */
void cairn_patch_abandon(struct cairn_patch *patch);

/* ---- code with its own second mapping ---- */

/* Declares that the executable pages [start, end) are also mapped writable at `writable`, both MAP_SHARED from one
 * file, as JIT compilers do: patches are written there. A child of fork() gets a copy of both mappings at the same
 * addresses. Addresses are multiples of the page size (BOUNDS). OVERLAP: a part of the code has a second mapping
 * already. MEMORY. cairn_code_alias_remove() is called before the pages are unmapped; UNKNOWN: no such start. */
enum cairn_status cairn_code_alias_add(uintptr_t start, uintptr_t end, void *writable);
enum cairn_status cairn_code_alias_remove(uintptr_t start);

/* The lowest `size` bytes of `value`, 4 or 8, for code or data in pages with a declared second mapping. */
struct cairn_code_store {
  uintptr_t address;
  uint64_t value;
  unsigned size;
};

/* Makes `count` stores in one stop of all threads: a loader's way to switch addresses and operands of branches. When
 * the call returns, every thread runs the new code. The caller sees to it that the code is valid. After a failure
 * nothing has changed. BOUNDS: a size is neither 4 nor 8; CODE: an address has no second mapping; SHARED, BUSY,
 * REFUSED: as for cairn_patch_commit(). */
enum cairn_status cairn_code_store(const struct cairn_code_store *stores, size_t count);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
