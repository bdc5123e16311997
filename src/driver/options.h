/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of clang that a driver must know.
 */
#ifndef CN_DRIVER_OPTIONS_H
#define CN_DRIVER_OPTIONS_H

enum cn_shape {
  FLAG,     /* the word itself */
  SEPARATE, /* the word itself; its argument is the next word */
  PREFIX,   /* any word that begins so; the argument follows in the same word */
  BOTH,     /* "-Xarg" or "-X arg" */
};

enum cn_effect {
  KEEP, /* nothing to know, except that the next word is no input */
  OUTPUT,
  LANGUAGE,
  OPTIMISE,
  DEBUG_INFO,
  OWN,
  CLANG_ONLY,
  STOP_AT_OBJECT,
  STOP_AT_ASSEMBLY,
  EMIT_LLVM,
  DRY_RUN,
  VERBOSE,
  SAVE_TEMPS,
  VERSION,
  HELP,
  SHARED,
  RELOCATABLE,
  NO_LIBRARIES,
  LINKER,
  PIC,
  PIE,
  NO_PIC,
  FUNCTION_SECTIONS,
  NO_FUNCTION_SECTIONS,
  DATA_SECTIONS,
  NO_DATA_SECTIONS,
  DEPENDENCIES,
  DEPENDENCY_FILE,
  DEPENDENCY_TARGET,
  DEPENDENCY_OTHER,
  PREPROCESSOR,
  LLVM_OPTION,
  CPU,
  ASSEMBLER,
  LTO,
  NO_LTO,
  REFUSED,
  SANITIZE,
};

struct cn_option {
  const char *name;
  enum cn_shape shape;
  enum cn_effect effect;
};

/* The row for `word`, an option as written; null: clang's, to compile and to link, without a
 * separate argument. */
const struct cn_option *cn_options_find(const char *word);

#endif
