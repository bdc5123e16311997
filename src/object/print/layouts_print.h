/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the layouts of objects, with the names of types and fields, for `cairn layouts`.
 */
#ifndef CN_OBJECT_PRINT_LAYOUTS_PRINT_H
#define CN_OBJECT_PRINT_LAYOUTS_PRINT_H

#include <stddef.h>
#include <stdio.h>

/* Print the layouts of an object or a linked image. Negative on error, or if the file has no layouts; *error then has a
 * message, which the caller frees. */
int cn_layouts_print(FILE *out, const void *bytes, size_t size, char **error);

#endif
