/* SPDX-License-Identifier: Apache-2.0
 *
 * What Cairn says of C sources besides what clang and the passes say.
 */
#ifndef CN_DRIVER_CC_HINTS_H
#define CN_DRIVER_CC_HINTS_H

#include "driver/cc/command.h"

/* Clang failed with this command, which reads no standard input: add a note to each error that is
 * about `managed`. */
void cn_hints_explain(const struct cn_words *words);

/* misplaced.c: warn where `managed` stands behind the braces of a struct, in the file at `path` and
 * those that it includes by name from its folder: there it means nothing, and clang does not say
 * so. */
void cn_hints_misplaced(const char *path);

#endif
