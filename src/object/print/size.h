/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the sizes of maps by function and kind.
 */
#ifndef CN_OBJECT_PRINT_SIZE_H
#define CN_OBJECT_PRINT_SIZE_H

#include <stdint.h>
#include "base/vector.h"

/* Kinds of bytes, as pairs of a name and a description. The kinds before DETAILS_HEADERS belong to frame maps,
 * and the kinds from there to POINTS belong to details. */
#define CN_SIZE_KINDS(X) \
  X(HEADERS, "headers", "of functions: entry, size of code, counts") \
  X(RETURNS, "return offsets", "where the calls return to") \
  X(STARTS, "descriptor offsets", "which descriptor a safepoint has") \
  X(FRAMES, "frames", "frame sizes, saved registers, ids") \
  X(ROOTS, "roots", "places of references") \
  X(AREAS, "areas", "locals whose address was taken") \
  X(PADDING, "padding", "") \
  X(DETAILS_HEADERS, "details: headers", "blocks, functions, offsets, strings, padding") \
  X(SOURCES, "details: sources", "functions, files, lines; inlined ones too") \
  X(DEOPTS, "details: deopt values", "") \
  X(SPANS, "details: spans", "") \
  X(POINTS, "points", "places to patch, with their values")
enum cn_size_kind {
#define CN_SIZE_KIND(constant, name, help) CN_SIZE_##constant,
  CN_SIZE_KINDS(CN_SIZE_KIND)
#undef CN_SIZE_KIND
      CN_SIZE_COUNT
};
extern const char *const cn_size_kind_names[CN_SIZE_COUNT], *const cn_size_kind_help[CN_SIZE_COUNT];

struct cn_function_map_size {
  const char *name; /* lives as long as the struct cn_file_map_size */
  uint64_t code, safepoints, bytes[CN_SIZE_COUNT];
};

struct cn_file_map_size {
  CN_VECTOR(struct cn_function_map_size) functions; /* sorted by size of maps, largest first, then by name */
  uint64_t code, safepoints, bytes[CN_SIZE_COUNT];
  uint64_t text;       /* size of all code of the file in bytes */
  uint64_t stack_maps; /* size of the file's .llvm_stackmaps, which the frame maps would replace, or 0 */
};

/* Count the bytes of an object or image. Negative on error, or for a file without maps; *error then has a message,
 * which the caller frees. */
int cn_size_count_maps(struct cn_file_map_size *size, const void *bytes, size_t length, char **error);
void cn_size_free_counts(struct cn_file_map_size *size);

/* Null, or a description of an error in the sizes. Functions have at most as many bytes of each kind as their file.
 * Linear. */
const char *cn_size_wrong(const struct cn_file_map_size *size);

/* The sums of an array of sizes by kind: the bytes of all frame maps, and of all details. */
uint64_t cn_size_sum_frame_maps(const uint64_t bytes[CN_SIZE_COUNT]);
uint64_t cn_size_sum_details(const uint64_t bytes[CN_SIZE_COUNT]);

#endif
