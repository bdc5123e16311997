/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the frame maps of a linked image match its code. Linkers ignore the meaning of frame maps, and other
 * tools may have changed the objects, so Cairn checks an image before it runs.
 */
#ifndef CN_OBJECT_BUILD_IMAGE_CHECK_H
#define CN_OBJECT_BUILD_IMAGE_CHECK_H

#include "object/elf/elf_file.h"

/* Check that each frame map of the ELF executable or shared object at `path` is well formed and describes code of the
 * image. Several maps of the same code must be equal, as after the folding of identical functions. The image must not
 * contain LLVM's stack maps, because the runtime would treat the frames of their code as native. Returns 0 if the image
 * is valid, or if the file cannot be opened, is no ELF file for this machine, or lacks sections. Negative if the image
 * is invalid; *error then has a message with the function's name, which the caller frees. */
int cn_image_check(const char *path, char **error);

/* ---- layouts_check.c: checks that the layouts of an object have this Cairn's version ---- */

/* Negative if a layout is damaged or has another version; *error then has a message, which the caller frees. */
int cn_object_layouts_check(const struct cn_elf_file *elf, char **error);

#endif
