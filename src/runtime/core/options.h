/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of the runtime, read from the environment (options.def) once, before the program's own code runs.
 */
#ifndef CN_RUNTIME_CORE_OPTIONS_H
#define CN_RUNTIME_CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/heap.h>

struct cn_options {
#define CN_OPTION(field, variable, kind, initial, help) size_t field;
#define CN_OPTION_WORDS(...)
#include "runtime/core/options.def"
#undef CN_OPTION
#undef CN_OPTION_WORDS
  bool heap_usual; /* heap_max has its default */
};
#define CN_PAUSE_UNSET SIZE_MAX                               /* pause, while the variables are read */
enum { CN_HEAP_MIN_BYTES = 64 << 10 };                        /* bytes of heap_max */
enum { CN_HEAP_GROWTH_MIN = 10, CN_HEAP_GROWTH_MAX = 10000 }; /* percent of heap_growth */
enum { CN_CODE_GDB = 1 << 0, CN_CODE_PERF = 1 << 1, CN_CODE_JITDUMP = 1 << 2 }; /* CAIRN_CODE */
enum { CN_VERIFY_FRAMES = 1 << 0, CN_VERIFY_HEAP = 1 << 1, CN_VERIFY_STORES = 1 << 2 };
enum { CN_WORKERS_MAX = 64, CN_WORKERS_MAX_DEFAULT = 16 /* at most */ };
enum {
  CN_LOG_GC = 1 << 0,
  CN_LOG_STOPS = 1 << 1,
  CN_LOG_ARRIVALS = 1 << 2,
  CN_LOG_PINS = 1 << 3,
  CN_LOG_DEOPT = 1 << 4
};

/* The string of an option of type TEXT, in the initial environment of the program; null if the option is unset. */
#define CN_OPTION_TEXT(field) ((const char *)(field))
extern struct cn_options cn_options;

/* Read the defaults, then the program's own limits (`limits` may be null), then every CAIRN_* variable of the
 * null-terminated environment. False: `message` describes the error. */
bool cn_options_parse(struct cn_options *options, const struct cairn_heap_limits *limits, char *const *environment,
                      char *message, size_t size);

/* Remove every CAIRN_* variable from the environment (may be null), in place. */
void cn_options_drop_variables(char **environment);

void cn_options_print_help(void);

#endif
