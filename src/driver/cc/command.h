/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the parts of the command line of cairn-cc that a driver must interpret: the inputs and their languages, the
 * options that take the next word, and the output. Every other option goes to clang unchanged, at the same position.
 */
#ifndef CN_DRIVER_CC_COMMAND_H
#define CN_DRIVER_CC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <cairn/compile.h>
#include "base/vector.h"
#include "driver/clang/clang_library.h"
#include "driver/times.h"

/* A list of words, such as an argument vector. */
struct cn_words {
  const char **at;
  size_t count, room;
};

enum cn_language {
  CN_LANG_FOR_LINKER, /* inputs of the linker: objects, archives, unknown files */
  CN_LANG_C,          /* C source, preprocessed or plain */
  CN_LANG_IR,         /* .ll, .bc */
  CN_LANG_ASM,        /* assembly, which clang assembles; then stack maps become frame maps */
  CN_LANG_FOREIGN,    /* other languages, such as C++: clang compiles these as native code */
  CN_LANG_HEADER,     /* a header, which clang precompiles */
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
  const char *forced;        /* the last -x before the input, or null */
  bool to_compile, to_link;  /* the commands that get an option */
};

/* Receives the results of a unit's compilation, for `cairn explain`. */
struct cn_compile_observer {
  void *env;
  cairn_diagnostic_handler *diagnose; /* gets each diagnostic before it is printed */
  /* Gets a module of IR before its compilation, and may add debug information. */
  void (*take_input)(void *env, LLVMModuleRef module);
  /* Gets the finished module before code generation, which changes the module. */
  void (*take_module)(void *env, LLVMModuleRef module);
};

struct cn_command {
  struct cn_words args; /* the arguments without argv[0], after expansion of response files */
  CN_VECTOR(struct cn_command_item) items;
  enum cn_mode mode;
  const char *output; /* -o */
  bool emit_llvm, dry_run, verbose, save_temps, save_temps_obj;
  bool preprocess;     /* -E */
  bool version, help;  /* --version and --help, with or without other options */
  const char *explain; /* the rule of --explain=, or null */
  bool sarif;          /* -fdiagnostics-format=sarif */
  bool incomplete;     /* the last option lacks its argument; clang reports this */

  /* Options of code generation. `no_pic`, `cpu` and `mcpu` apply only to IR inputs, because modules from clang contain
   * these facts. */
  struct cairn_compile_options compile;
  const char *collector; /* -fcairn-collector=NAME, or null */
  const char *barriers;  /* -fcairn-barriers=KIND, or null */
  bool native_units;     /* clang compiles C units without references, for all values of `compile` */
  bool level_asked;      /* -O... */
  enum cn_debug debug;
  bool function_sections, data_sections, no_pic, pie, pic_asked, remarks;
  struct cn_pass_times times;                 /* -fcairn-times: compile.timer adds to these times */
  const char *report;                         /* file of -fcairn-report, "" for standard error, null without a report */
  const struct cn_compile_observer *observer; /* null in cairn-cc */
  cn_clang_front_end *front_end;              /* clang's front end in this process; null: always a process of clang */
  const char *target;                         /* the triple of --target=, or null */
  const char *cpu, *mcpu;                     /* -march= and -mcpu= */
  struct cn_words llvm_options;               /* -mllvm */
  bool live_outs;                             /* -fcairn-live-outs */
  struct cn_words imports;                    /* -fcairn-import=FILE */

  /* Dependency files. */
  bool dependencies, dependency_file, dependency_target;

  /* Linking. */
  bool shared, relocatable, no_default_libraries;
  bool shared_runtime; /* -shared-libcairn; also an option of code generation */
  bool no_undefined;   /* shared objects must define all their symbols */

  bool lto;                 /* -flto */
  const char *refused;      /* an option that managed code does not support yet */
  const char *refused_llvm; /* an unsupported option of -mllvm, which also applies to the link */
  const char *refused_lto;  /* an unsupported kind of -flto */
};

/* Replace every readable @FILE by the words in FILE, with the quoting of GNU tools. */
void cn_response_expand_arguments(int argc, char **argv, struct cn_words *out);
/* Like cn_response_expand_arguments(), for a word that another tool expands again. False if the word names a pipe,
 * which only one reader can read. */
bool cn_response_expand_linker_word(const char *word, struct cn_words *out);

/* Parse `command->args`. False after a message about a wrong option of Cairn. */
bool cn_command_parse(struct cn_command *command);

/* Null, or a description of an error in a parsed command. Items lie in `args` in their order, an input is one word, an
 * option goes to a command or has been applied, and at most one kind of position independence is set. Linear. */
const char *cn_command_wrong(const struct cn_command *command);

/* False after a message if the command has an option that managed code does not support. */
bool cn_command_can_manage(const struct cn_command *command);

/* False after a message if the command has an option for LLVM that managed code does not support. */
bool cn_command_can_generate_code(const struct cn_command *command);

/* Warn once of options that have no effect on managed code, unless -w or -Qunused-arguments is given. */
void cn_command_warn_of_idle_options(const struct cn_command *command);

/* languages.c: the language by suffix, or by -x unless `forced` is null. */
enum cn_language cn_languages_find(const char *path, const char *forced);

/* languages.c: true if clang preprocesses this input of C or assembly. */
bool cn_languages_needs_preprocessor(const struct cn_command_item *input);

void cn_command_free(struct cn_command *command);

/* Format a string that lives as long as the process, because a driver runs one command. */
const char *cn_command_format_string(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
