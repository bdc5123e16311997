/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of unit/runtime/images.c with thousands of images, and of the trees in which the images lie.
 */
#ifndef TEST_UNIT_RUNTIME_IMAGES_SCALE_H
#define TEST_UNIT_RUNTIME_IMAGES_SCALE_H

void blocks_are_used_again(void **state);
void trees_like_a_model(void **state);
void wrong_trees(void **state);
void wrong_lists(void **state);
void thousands_like_a_model(void **state);
void readers_meet_changes(void **state);

#endif
