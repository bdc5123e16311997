/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: turns LLVM's stack maps into Cairn's frame maps. `cairn-cc` rewrites every object that it makes or links;
 * another build or a JIT calls these functions on each object before a linker reads it (docs/frame-maps.md,
 * docs/frontends.md "In memory"). The functions are in libcairn-object.a, which needs libdw and libelf, but not LLVM.
 * stackmaps-v2 describes the format of stack maps.
 */
#ifndef CAIRN_OBJECT_H
#define CAIRN_OBJECT_H

#include <stddef.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Replaces the section .llvm_stackmaps of a relocatable ELF object for x86-64 or AArch64 by sections `cairn_frames`,
 * one for each code section with safepoints; a linker keeps or drops both together. `bytes` is the object, of `size`
 * bytes, at any alignment, and stays unchanged. The function also splits sections that `ld -r` joined, and removes the
 * undefined symbol that keeps the object from being linked (cairn_compile_pipeline()). If the object registers an
 * image, constructors and destructors move from .ctors and .dtors to .init_array and .fini_array: target machines of
 * LLVM's C interface use .ctors and .dtors, which lld and mold ignore.
 *
 * CAIRN_OK: *out is the new object, of *out_size bytes, which the caller frees with free(), or null if the object needs
 *    no change. *error is null.
 * ELF (the object is unreadable) or REFUSED: *error is a message, which the caller frees with free(); a message about a
 *    safepoint names its function and offset. *out is null.
 *
 * The function has no state: any number of threads may call at once, and equal bytes give equal results. The bytes may
 * be hostile. Exhausted memory ends the process. */
enum cairn_status cairn_object_rewrite(const void *bytes, size_t size, void **out, size_t *out_size, char **error);

/* Like cairn_object_rewrite(), for an object that is loaded into the running program without a linker, for example by
 * LLVM's JITLink; docs/frontends.md, "In memory", has the whole procedure. The function does the linker's work: it
 * binds the symbols __start_SECTION and __stop_SECTION to the object's own sections, joins all frame maps in one
 * section, and binds the thread's mutator to `mutator`. `mutator` is the result of cairn_mutator_offset() in the
 * process that will run the code. The code must be compiled for an executable (struct cairn_compile_options, shared:
 * false), and prepared by cairn_compile_in_memory(). Errors, ownership and threads are as for cairn_object_rewrite(),
 * except that with CAIRN_OK *out is never null. */
enum cairn_status cairn_object_rewrite_in_memory(const void *bytes, size_t size, ptrdiff_t mutator, void **out,
                                                 size_t *out_size, char **error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
