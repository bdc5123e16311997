/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules: from source text to functions. Native code.
 */
#ifndef TINY_MODULES_H
#define TINY_MODULES_H

#include <stdio.h>

#include "tiny/front/syntax.h"

/* The functions to call, in their order: imported modules come before the modules that import them. */
struct tiny_program {
  uint32_t *functions; /* numbers */
  uint32_t count, room;
};

/* Reads a file, or the standard input if the name is null, with a NUL behind; null, with errno, if that fails. The
 * caller frees it. */
char *tiny_read_file(const char *name, size_t *length);

/* The number of the module with this name; `is_new` tells if it was unknown. */
uint32_t tiny_module(const char *name, bool *is_new);

/* Compiles a module and, before it, the modules that it imports, and adds them to the program. The source is kept.
 * False after an error. */
bool tiny_compile(struct tiny_source *source, uint32_t module, struct tiny_program *program, struct tiny_error *error);

/* A source with copies of the name and the text, which lives as long as the tables. */
struct tiny_source *tiny_source_new(const char *name, const char *text, size_t length);

/* Prints a line of the source, and a mark below the column. */
void tiny_print_excerpt(FILE *file, const struct tiny_source *source, uint32_t line, uint32_t column);

#endif
