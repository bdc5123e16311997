/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: turn LLVM's stack maps into Cairn's frame maps. `cairn-cc` does it with every object
 * that it makes or links; another build or a JIT calls this on each object before a linker sees
 * it (docs/frame-maps.md, docs/frontends.md "In memory"). In libcairn-object.a, which
 * needs libdw and libelf; LLVM is not needed. The stack maps are those of stackmaps-v2.
 */
#ifndef CAIRN_OBJECT_H
#define CAIRN_OBJECT_H

#include <stddef.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* `bytes` is a relocatable ELF object for x86-64, of `size` bytes, at any alignment; it is read
 * only. Its section .llvm_stackmaps goes; for each code section with safepoints the result has a
 * section `cairn_frames` that lives and dies with it. So are such sections taken apart that `ld -r`
 * joined. What kept the object from being linked before (see cairn_compile_pipeline()) goes, too.
 * If it registers an image, constructors and destructors move from .ctors and .dtors, where target
 * machines of LLVM's C interface put them and lld and mold ignore them, to .init_array and
 * .fini_array.
 *
 * CAIRN_OK: *out is the new object, of *out_size bytes, to be given to free(), or null if there is
 *    nothing to replace: then the object can be used as it is. *error is null.
 * ELF (it cannot be read) or REFUSED: *error is a message to be given to free(), which names the
 *    function and the offset of the safepoint where it is about one; *out is null.
 *
 * Nothing else is kept or changed: any number of threads may call at once. The same bytes give the
 * same result. Input may be hostile. When memory is exhausted the process ends. */
enum cairn_status cairn_object_rewrite(const void *bytes, size_t size, void **out, size_t *out_size, char **error);

/* The same for an object that is loaded into the running program without a linker, by LLVM's
 * JITLink for instance; docs/frontends.md, "In memory", has the whole of it. What a linker would do
 * is done: the symbols __start_SECTION and __stop_SECTION are bound to the object's own sections,
 * all frame maps stand in one, and the thread's mutator is bound to `mutator`, which the runtime's
 * cairn_mutator_offset() tells in the process that the code is to run in. The code was compiled for
 * an executable (struct cairn_compile_options, shared: false), and went through
 * cairn_compile_in_memory(). Errors, ownership and threads as above, but that *out is never null
 * with CAIRN_OK. */
enum cairn_status cairn_object_rewrite_in_memory(const void *bytes, size_t size, ptrdiff_t mutator, void **out,
                                                 size_t *out_size, char **error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
