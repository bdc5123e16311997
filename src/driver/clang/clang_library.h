/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs clang's C front end in this process. A process of clang would load LLVM again, and would write bitcode that this
 * process reads.
 */
#ifndef CN_DRIVER_CLANG_LIBRARY_H
#define CN_DRIVER_CLANG_LIBRARY_H

#include <llvm-c/Types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cn_clang_outcome {
  CN_CLANG_DONE,
  CN_CLANG_FAILED, /* clang has printed errors */
  CN_CLANG_MIXED,  /* clang has printed errors about references and ordinary pointers that meet */
  CN_CLANG_LEFT,   /* the command needs a process of clang; nothing has happened */
};

/* The type of cn_clang_compile(), for programs that may lack clang's libraries. */
typedef enum cn_clang_outcome cn_clang_front_end(const char *const *words, size_t count, const char *output,
                                                 LLVMContextRef context, LLVMModuleRef *module);

/* Compile C as the command `words` does: clang's path, options for unoptimised bitcode, and the source. Gives the
 * module in `context`, where the command writes bitcode. Clang's messages go to stderr, and all that it writes to
 * standard output to the file `output`. All other files of the command are written. The main thread calls this function
 * before it starts threads, because it redirects standard output. */
cn_clang_front_end cn_clang_compile;

#ifdef __cplusplus
}
#endif

#endif
