/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds the frame maps of an object in the format of another runtime, as a section. Private to src.
 */
#ifndef CN_OBJECT_EXPORT_EXPORT_H
#define CN_OBJECT_EXPORT_EXPORT_H

#include <cairn/status.h>
#include "base/vector.h"
#include "framemap/leb.h"
#include "object/print/frames_view.h"

/* The formats. */
enum cn_export_format {
  CN_EXPORT_OCAML,     /* a frame table of OCaml 4.13 and 4.14 */
  CN_EXPORT_STACKMAP3, /* LLVM's stack map, version 3 */
};

/* Add the frame maps of the relocatable object as a writable section with relocations of 64 bits, which link in
 * position-independent images. `symbol` is the global name of the section's start, or null. With CAIRN_OK, *out is the
 * new object, which the caller frees. ELF or REFUSED: *error is a message, which the caller frees; a message about a
 * safepoint names its function and offset. The bytes may be hostile. */
enum cairn_status cn_export_frames(const void *bytes, size_t size, enum cn_export_format format, const char *symbol,
                                   void **out, size_t *out_size, char **error);

/* ---- the parts of the export, private to this room ---- */

/* A word of the new section that is the address of a function plus `offset`. */
struct cn_export_address {
  size_t at;
  const struct cn_frames_function *function;
  uint64_t offset;
};

struct cn_export {
  struct cn_frames_view view;
  struct cn_bytes bytes; /* of the new section */
  CN_VECTOR(struct cn_export_address) addresses;
  char **error;
};

/* A safepoint of the view, decoded. */
struct cn_export_safepoint {
  const struct cn_frames_function *function;
  uint32_t return_offset;
  struct cn_safepoint frame;
};
struct cn_export_safepoint cn_export_read_safepoint(const struct cn_frames_function *function, uint32_t index);

/* Set the error "function 'f', +0xOFFSET: REASON". Returns -1. */
int cn_export_refuse(struct cn_export *export, const struct cn_export_safepoint *safepoint, const char *reason);

/* A visitor of the places of roots. Negative on error. */
typedef int cn_export_root_visitor(void *env, const struct cn_root *root);

/* Visit the roots of the safepoint, and each reference in its areas as a root in memory. An area of a language's own
 * words is an error, and so is an error of the visitor. */
int cn_export_visit_roots(struct cn_export *export, struct cn_export_safepoint *safepoint,
                          cn_export_root_visitor *visit, void *env);

/* export_ocaml.c, export_stackmap.c: write the section's bytes and addresses. Negative on error. */
int cn_export_write_ocaml(struct cn_export *export);
int cn_export_write_stackmap(struct cn_export *export);

#endif
