/* SPDX-License-Identifier: Apache-2.0
 *
 * The layouts of images: are they those that this runtime reads?
 */
#ifndef CN_RUNTIME_HEAP_IMAGE_LAYOUTS_H
#define CN_RUNTIME_HEAP_IMAGE_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* Room for what cairn_layout_type() and cairn_layout_place() write of most types. */
enum { CN_LAYOUT_TEXT = 160 };

/* A number that layouts of the same type share: their names are one string, in one image. */
uint64_t cn_layouts_type_key(const struct cairn_layout *layout);

/* How the field with this number (heap_walk.h) is called within its type, as snprintf() returns it:
 * "next", "slot[].key", of an array's elements "[]"; without names "at offset 8". */
int cn_layouts_field(const struct cairn_layout *layout, uint32_t field, char *text, size_t size);

/* True if the collector looks for a reference, weak or not, `offset` bytes into an object with the
 * layout. The object's end is not looked at. */
bool cn_layouts_have_reference(const struct cairn_layout *layout, uint64_t offset);

/* Look at each layout of an image, and end the program at the first of another version, or that is
 * damaged. cn_layouts_begin() does so for the images that are there, before the first allocation: a
 * program that allocates nothing does not wait for the sections to be read. From then on
 * cn_layouts_check() does so for one that comes. Phase MUTATE. */
void cn_layouts_begin(void);
void cn_layouts_check(const struct cairn_image *image);

#endif
