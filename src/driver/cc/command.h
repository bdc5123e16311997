/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the command line of cairn-cc as far as a driver must understand it: the inputs and their languages, the options
 * that take the next word, the wanted output. Every other option goes to clang unchanged, in its place.
 */
#ifndef CN_DRIVER_CC_COMMAND_H
#define CN_DRIVER_CC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <cairn/compile.h>
#include "base/vector.h"
#include "driver/times.h"

/* A list of words, such as an argument vector. */
struct cn_words {
  const char **at;
  size_t count, room;
};

enum cn_language {
  CN_LANG_FOR_LINKER, /* objects, archives, anything unknown: for the linker */
  CN_LANG_C,          /* C source, preprocessed or plain */
  CN_LANG_IR,         /* .ll, .bc */
  CN_LANG_ASM,        /* assembled by clang, then stack maps become frame maps */
  CN_LANG_FOREIGN,    /* C++ and the like: clang compiles it as native code */
  CN_LANG_HEADER,     /* clang makes a precompiled header of it */
};

enum cn_mode {
  CN_MODE_LINK,
  CN_MODE_OBJECT,      /* -c */
  CN_MODE_ASSEMBLY,    /* -S */
  CN_MODE_CLANG_ALONE, /* clang runs alone: -E, -M, -fsyntax-only, ... */
};

enum cn_debug { CN_DEBUG_NONE, CN_DEBUG_LINES, CN_DEBUG_FULL };

/* An option with its argument, or an input. */
struct cn_command_item {
  const char *const *words;
  size_t count;
  bool input;
  enum cn_language language; /* of an input */
  const char *forced;        /* the -x in force, or null */
  bool to_compile, to_link;  /* of an option: the commands that get it */
};

struct cn_command {
  struct cn_words args; /* response files expanded, argv[0] left out */
  CN_VECTOR(struct cn_command_item) items;
  enum cn_mode mode;
  const char *output; /* -o */
  bool emit_llvm, dry_run, verbose, save_temps, save_temps_obj;
  bool version, help; /* --version and --help, in addition to anything else */
  bool incomplete;    /* the last option lacks its argument: clang says so */

  /* Code generation. `no_pic` and `cpu` matter to IR inputs only: clang states them in the modules that it makes. */
  struct cairn_compile_options compile;
  const char *collector; /* -fcairn-collector=NAME, or null */
  const char *barriers;  /* -fcairn-barriers=KIND, or null */
  bool native_units;     /* clang compiles C units that handle no reference, for all values of `compile` */
  bool level_asked;      /* -O... */
  enum cn_debug debug;
  bool function_sections, data_sections, no_pic, pie, pic_asked, remarks;
  struct cn_pass_times times; /* -fcairn-times: compile.timer adds to it */
  const char *report;         /* -fcairn-report=FILE; "" for standard error; null: off */
  const char *cpu;
  struct cn_words llvm_options; /* -mllvm */
  struct cn_words imports;      /* -fcairn-import=FILE */

  /* Dependency files. */
  bool dependencies, dependency_file, dependency_target;

  /* Linking. */
  bool shared, relocatable, no_default_libraries;
  bool no_undefined; /* shared objects must define all their symbols */

  bool lto;                 /* -flto */
  const char *refused;      /* an option that managed code rules out so far */
  const char *refused_llvm; /* such an option of -mllvm, which is the link's, too */
  const char *refused_lto;  /* an unsupported kind of -flto */
};

/* Replace every @file that can be read by the words in it, quoted as GNU tools do. */
void cn_response_expand_arguments(int argc, char **argv, struct cn_words *out);
/* Like cn_response_expand_arguments(), for a word that another tool expands again. False if it names a pipe, which can
 * be read once. */
bool cn_response_expand_linker_word(const char *word, struct cn_words *out);

/* Understand `command->args`. False after a message about a wrong option of our own. */
bool cn_command_parse(struct cn_command *command);

/* The part of the invariant that an understood command breaks; null: all holds. Items lie in `args` in their order, an
 * input is one word, an option goes to a command or has been carried out, and at most one kind of position independence
 * is asked for. Linear. */
const char *cn_command_wrong(const struct cn_command *command);

/* False after a message: the command has an option that managed code does not support. */
bool cn_command_can_manage(const struct cn_command *command);

/* False after a message: the command has an option for LLVM that managed code does not support. */
bool cn_command_can_generate_code(const struct cn_command *command);

/* Warn of options that have no effect on managed code; once, unless -w or -Qunused-arguments is given. */
void cn_command_warn_of_idle_options(const struct cn_command *command);

/* languages.c: the language by suffix, or by -x unless `forced` is null. */
enum cn_language cn_languages_find(const char *path, const char *forced);

/* languages.c: true if clang's preprocessor runs on this input of C or assembly. */
bool cn_languages_needs_preprocessor(const struct cn_command_item *input);

void cn_command_free(struct cn_command *command);

/* Strings that live as long as the process: a driver runs one command. */
const char *cn_command_format_string(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
