/* SPDX-License-Identifier: Apache-2.0
 *
 * Are the frame maps of a linked image those of its code? Linkers know nothing of frame maps; what
 * they make of objects that other tools have changed is looked at here, before anybody runs it.
 */
#ifndef CN_OBJECT_BUILD_IMAGE_CHECK_H
#define CN_OBJECT_BUILD_IMAGE_CHECK_H

/* Checked of the ELF executable or shared object at `path`: each frame map can be read to its end,
 * is about code of the image, and agrees with any other that is about the same code: linkers that
 * fold identical functions leave equal ones. 0: so it is, or the file is none. Negative: *error is
 * a message to free, which names the function. */
int cn_image_check(const char *path, char **error);

#endif
