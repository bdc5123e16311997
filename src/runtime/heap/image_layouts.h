/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the layouts of images, and describes types and fields by their layouts.
 */
#ifndef CN_RUNTIME_HEAP_IMAGE_LAYOUTS_H
#define CN_RUNTIME_HEAP_IMAGE_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* Room for the text of most types, by cairn_layout_type() and cairn_layout_place(). */
enum { CN_LAYOUT_TEXT_BYTES = 160 };

/* A number that layouts of one type share, since their names are one string in one image. */
uint64_t cn_layouts_type_key(const struct cairn_layout *layout);

/* Write the name of a field within its type, and return its length like snprintf(): "next", "slot[].key", "[]" for an
 * array's elements; "at offset 8" if the layout has no names. `field` is an index as in heap_walk.h. */
int cn_layouts_format_field(const struct cairn_layout *layout, uint32_t field, char *text, size_t size);

/* True if the layout has a reference, strong or weak, `offset` bytes into the object. The object's end is
 * disregarded. */
bool cn_layouts_have_reference(const struct cairn_layout *layout, uint64_t offset);

/* Check each layout of an image, and end the program at the first one that is of another version, or is damaged.
 * cn_layouts_begin_checks() checks the images that are there before the first allocation: a program without allocations
 * skips the reading of these sections. From then on, cn_layouts_check_image() checks each image that comes. Phase
 * MUTATE. */
void cn_layouts_begin_checks(void);
void cn_layouts_check_image(const struct cairn_image *image);

#endif
