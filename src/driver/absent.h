/* SPDX-License-Identifier: Apache-2.0
 *
 * Entry points of the object side that the tools use, until its headers declare them.
 */
#ifndef CN_DRIVER_ABSENT_H
#define CN_DRIVER_ABSENT_H

#include <stddef.h>
#include <stdio.h>

int cairn_stackmap_print_file(const char *path, FILE *out, FILE *err);
int cairn_frames_print_file(const char *path, FILE *out, FILE *err);
int cn_object_rewrite(const void *bytes, size_t size, void **out, size_t *out_size, char **error);

#endif
