/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of the shell: read, edited, completed. Native code.
 */
#ifndef TINY_LINES_H
#define TINY_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Prepares history and completion if the input is a terminal. The process writes the history when it exits. */
void tiny_lines_begin(void);

/* The next input: lines until all brackets and comments are closed. Null at the end of the input. The caller frees the
 * text. */
char *tiny_lines_next(size_t *length);

#endif
