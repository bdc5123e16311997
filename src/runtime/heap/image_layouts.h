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

/* The size of a buffer for most texts of cairn_layout_type() and cairn_layout_place(). */
enum { CN_LAYOUT_TEXT_BYTES = 160 };

/* A number that is equal for all layouts of one type in one image, because the image has the type's names once. */
uint64_t cn_layouts_type_key(const struct cairn_layout *layout);

/* Write the name of a field within its type, and return its length like snprintf(): "next", "slot[].key", "[]" for an
 * array's elements; "at offset 8" if the layout has no names. `field` is the index of the field's offset in the
 * layout. */
int cn_layouts_format_field(const struct cairn_layout *layout, uint32_t field, char *text, size_t size);

/* True if the layout has a reference, strong or weak, `offset` bytes into the object. The object's end is
 * disregarded. */
bool cn_layouts_have_reference(const struct cairn_layout *layout, uint64_t offset);

/* Check each layout of an image, and end the program at the first layout that is damaged or has another version.
 * cn_layouts_begin_checks() checks all registered images before the first allocation, so a program without allocations
 * never reads these sections. From then on, cn_layouts_check_image() checks each new image, on the thread that loads
 * it, in any phase. */
void cn_layouts_begin_checks(void);
void cn_layouts_check_image(const struct cairn_image *image);

/* True if a layout of the image is damaged, has another version, or asks for a service that the collector lacks;
 * `fault` gets the sentence, which calls the image `name`, or by its file if that is null. */
bool cn_layouts_are_wrong(const struct cairn_image *image, const char *name, char *fault, size_t size);

/* True if `layout`, any address, is a layout of the image, whose layouts are not wrong. Linear. */
bool cn_layouts_have(const struct cairn_image *image, const struct cairn_layout *layout);

#endif
