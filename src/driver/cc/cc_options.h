/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the options of clang that the driver interprets.
 */
#ifndef CN_DRIVER_CC_CC_OPTIONS_H
#define CN_DRIVER_CC_CC_OPTIONS_H

#include <stddef.h>

enum cn_option_shape {
  CN_SHAPE_FLAG,     /* the word itself */
  CN_SHAPE_SEPARATE, /* the option is one word; its argument is the next word */
  CN_SHAPE_PREFIX,   /* any word with this prefix; its argument is the rest of the word */
  CN_SHAPE_BOTH,     /* "-Xarg" or "-X arg" */
};

enum cn_effect {
  CN_EFFECT_KEEP, /* the driver only consumes the option's argument */
  CN_EFFECT_OUTPUT,
  CN_EFFECT_LANGUAGE,
  CN_EFFECT_OPTIMISE,
  CN_EFFECT_DEBUG_INFO,
  CN_EFFECT_OWN,
  CN_EFFECT_CLANG_ONLY,
  CN_EFFECT_PREPROCESS, /* by clang alone */
  CN_EFFECT_STOP_AT_OBJECT,
  CN_EFFECT_STOP_AT_ASSEMBLY,
  CN_EFFECT_EMIT_LLVM,
  CN_EFFECT_DRY_RUN,
  CN_EFFECT_VERBOSE,
  CN_EFFECT_SAVE_TEMPS,
  CN_EFFECT_VERSION,
  CN_EFFECT_HELP,
  CN_EFFECT_EXPLAIN,
  CN_EFFECT_DIAGNOSTICS_FORMAT,
  CN_EFFECT_SHARED,
  CN_EFFECT_SHARED_RUNTIME,
  CN_EFFECT_STATIC_RUNTIME,
  CN_EFFECT_RELOCATABLE,
  CN_EFFECT_NO_LIBRARIES,
  CN_EFFECT_LINKER,
  CN_EFFECT_PIC,
  CN_EFFECT_PIE,
  CN_EFFECT_NO_PIC,
  CN_EFFECT_FUNCTION_SECTIONS,
  CN_EFFECT_NO_FUNCTION_SECTIONS,
  CN_EFFECT_DATA_SECTIONS,
  CN_EFFECT_NO_DATA_SECTIONS,
  CN_EFFECT_DEPENDENCIES,
  CN_EFFECT_DEPENDENCY_FILE,
  CN_EFFECT_DEPENDENCY_TARGET,
  CN_EFFECT_DEPENDENCY_OTHER,
  CN_EFFECT_PREPROCESSOR,
  CN_EFFECT_LLVM_OPTION,
  CN_EFFECT_SAMPLES,
  CN_EFFECT_CPU,
  CN_EFFECT_MCPU,
  CN_EFFECT_TARGET,
  CN_EFFECT_ASSEMBLER,
  CN_EFFECT_LTO,
  CN_EFFECT_NO_LTO,
  CN_EFFECT_REFUSED,
  CN_EFFECT_SANITIZE,
  CN_EFFECT_NO_EFFECT, /* on managed code */
};

struct cn_option {
  const char *name;
  enum cn_option_shape shape;
  enum cn_effect effect;
};

/* The row for the option `word`, or null. An option without a row is one word, which goes to clang's commands that
 * compile or link. */
const struct cn_option *cn_options_find(const char *word);

/* All rows. */
const struct cn_option *cn_options_table(size_t *count);

/* Null, or a description of an error in the table. Each name begins with '-', and each row matches only words that no
 * earlier row matches. Quadratic. */
const char *cn_options_wrong(const struct cn_option *all, size_t count);

#endif
