/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: LLVM stack maps as text.
 */
#ifndef CN_OBJECT_STACKMAP_PRINT_H
#define CN_OBJECT_STACKMAP_PRINT_H

#include <stdio.h>

/* Print the stack maps of a relocatable object or linked image. 0, or negative after a message on
 * `err`. */
int cairn_stackmap_print_file(const char *path, FILE *out, FILE *err);

#endif
