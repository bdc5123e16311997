/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the frame maps of a linked image are those of its code. Linkers are unaware of frame maps, and other
 * tools may have changed the objects; so an image is checked before it runs.
 */
#ifndef CN_OBJECT_BUILD_IMAGE_CHECK_H
#define CN_OBJECT_BUILD_IMAGE_CHECK_H

/* Check that each frame map of the ELF executable or shared object at `path` can be read, is about code of the image,
 * and agrees with any other about the same code: linkers that fold identical functions leave equal ones. The image must
 * be free of LLVM's stack maps: the runtime would take the frames of their code for native ones. 0 if all holds, or if
 * the file cannot be opened, is no ELF file for this machine, or has no sections. Negative: *error is a message to
 * free, which names the function. */
int cn_image_check(const char *path, char **error);

#endif
