/* SPDX-License-Identifier: Apache-2.0
 *
 * Are the frame maps of a linked image those of its code? Linkers know nothing of frame maps, and
 * other tools may have changed the objects; so an image is checked before it runs.
 */
#ifndef CN_OBJECT_BUILD_IMAGE_CHECK_H
#define CN_OBJECT_BUILD_IMAGE_CHECK_H

/* Check that each frame map of the ELF executable or shared object at `path` can be read, is about code of the image,
 * and agrees with any other about the same code: linkers that fold identical functions leave equal ones. The image has
 * no stack maps of LLVM: the runtime would take the frames of their code for native ones. 0 if all holds, or if the
 * file cannot be opened, is no ELF file for this machine, or has no sections. Negative: *error is a message to free,
 * which names the function. */
int cn_image_check(const char *path, char **error);

#endif
