/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn frames`: frame maps as text.
 */
#ifndef CN_OBJECT_FRAMES_PRINT_H
#define CN_OBJECT_FRAMES_PRINT_H

#include <stdio.h>

/* Print the frame maps of a rewritten object or a linked image. 0, or negative after a message on
 * `err`. */
int cairn_frames_print_file(const char *path, FILE *out, FILE *err);

#endif
