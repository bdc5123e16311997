/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: turns LLVM's stack maps into Cairn's frame maps. `cairn-cc` does so with every object that it makes or
 * links; another build or a JIT calls these functions on each object before a linker reads it (docs/frame-maps.md,
 * docs/frontends.md "In memory"). In libcairn-object.a, which needs libdw and libelf, but not LLVM. The stack maps are
 * those of stackmaps-v2.
 */
#ifndef CAIRN_OBJECT_H
#define CAIRN_OBJECT_H

#include <stddef.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* `bytes` is a relocatable ELF object for x86-64, of `size` bytes, at any alignment; it is only read. The result lacks
 * its section .llvm_stackmaps; for each code section with safepoints the result has a section `cairn_frames` that lives
 * and dies with it. Such sections that `ld -r` joined are taken apart as well. The symbol that keeps the object from
 * being linked (see cairn_compile_pipeline()) goes, too. If the object registers an image, constructors and destructors
 * move from .ctors and .dtors, where target machines of LLVM's C interface put them and lld and mold ignore them, to
 * .init_array and .fini_array.
 *
 * CAIRN_OK: *out is the new object, of *out_size bytes, which the caller frees with free(); or null: the object stays
 *    as it is. *error is null.
 * ELF (the object is unreadable) or REFUSED: *error is a message, which the caller frees with free(); a message about a
 *    safepoint names its function and offset. *out is null.
 *
 * The function keeps no other state: any number of threads may call at once. The same bytes give the same result. Input
 * may be hostile. When memory is exhausted the process ends. */
enum cairn_status cairn_object_rewrite(const void *bytes, size_t size, void **out, size_t *out_size, char **error);

/* Like cairn_object_rewrite(), for an object that is loaded into the running program without a linker, for example by
 * LLVM's JITLink; docs/frontends.md, "In memory", has the whole procedure. The function does the linker's work: it
 * binds the symbols __start_SECTION and __stop_SECTION to the object's own sections, joins all frame maps in one
 * section, and binds the thread's mutator to `mutator`, the result of the runtime's cairn_mutator_offset() in the
 * process that will run the code. The code was compiled for an executable (struct cairn_compile_options, shared:
 * false), and went through cairn_compile_in_memory(). Errors, ownership and threads as for cairn_object_rewrite(),
 * except that with CAIRN_OK *out is never null. */
enum cairn_status cairn_object_rewrite_in_memory(const void *bytes, size_t size, ptrdiff_t mutator, void **out,
                                                 size_t *out_size, char **error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
