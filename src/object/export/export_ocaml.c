/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes frame maps as a frame table of OCaml's native code, in the layout of OCaml 4.13 and 4.14
 * (runtime/caml/stack.h): the number of descriptors in 8 bytes; then for each safepoint, from a multiple of 8, the
 * return address in 8 bytes, the bytes of the frame with the return address in 2, the number of live values in 2, and
 * for each live value the distance from the stack pointer in 2. caml_register_frametable() takes the table. OCaml's
 * collector updates only words of the stack at a constant distance from the stack pointer, so a frame without a
 * constant size, a reference in a register, and a derived reference are errors. Changes only struct cn_export.
 */
#include "object/export/export.h"

#include "base/check.h"
#include "object/elf/elf_parts.h"

/* The largest size that differs from that of a return to C, 0xFFFF. The two lowest bits are flags. */
enum { MAX_FRAME_SIZE = 0xFFF8 };

/* A safepoint whose live values are written. */
struct frame_descriptor {
  struct cn_export *export;
  const struct cn_export_safepoint *safepoint;
  uint16_t live;
};

static void put(struct cn_bytes *bytes, uint64_t value, unsigned size)
{
  CN_ASSERT(size == 8 || value >> 8 * size == 0); /* the value fits into its bytes */
  for (unsigned i = 0; i < size; i++)
    cn_push(bytes, (unsigned char)(value >> 8 * i));
}

static int put_live_value(void *env, const struct cn_root *root)
{
  struct frame_descriptor *d = env;
  struct cn_frame_place place = root->base;

  if (root->is_derived)
    return cn_export_refuse(d->export, d->safepoint, "a derived reference has no place in OCaml's frame tables");
  if (place.is_register)
    return cn_export_refuse(d->export, d->safepoint,
                            "a reference in a register has no place in OCaml's frame tables; compile the code with "
                            "references in slots (-fcairn-slots=always)");
  if (!cn_port_is_sp(d->safepoint->function->map.port, place.reg) || place.offset < 0 ||
      place.offset >= d->safepoint->frame.cfa_offset || place.offset % 8)
    return cn_export_refuse(d->export, d->safepoint,
                            "a reference is not at a constant distance from the stack pointer within the frame");
  if (d->live == UINT16_MAX)
    return cn_export_refuse(d->export, d->safepoint, "the frame has too many references for OCaml's frame tables");
  put(&d->export->bytes, (uint64_t)place.offset, 2);
  d->live++;
  return 0;
}

static int put_descriptor(struct cn_export *export, struct cn_export_safepoint *safepoint)
{
  struct frame_descriptor d = {.export = export, .safepoint = safepoint};
  struct cn_bytes *bytes = &export->bytes;

  if (!cn_port_is_sp(safepoint->function->map.port, safepoint->frame.cfa_reg))
    return cn_export_refuse(export, safepoint, "the frame has no constant size");
  if (safepoint->frame.return_address_offset != -8)
    return cn_export_refuse(export, safepoint,
                            "the return address is not in the frame's last word, as in OCaml's frames");
  if (safepoint->frame.cfa_offset < 8 || safepoint->frame.cfa_offset > MAX_FRAME_SIZE ||
      safepoint->frame.cfa_offset % 8)
    return cn_export_refuse(export, safepoint, "the frame is too large for OCaml's frame tables");
  while (bytes->count % 8)
    put(bytes, 0, 1);
  cn_push(&export->addresses, (struct cn_export_address){.at = bytes->count,
                                                         .function = safepoint->function,
                                                         .offset = safepoint->return_offset});
  put(bytes, 0, 8);
  put(bytes, (uint64_t)safepoint->frame.cfa_offset, 2);
  size_t count_at = bytes->count;
  put(bytes, 0, 2);
  if (cn_export_visit_roots(export, safepoint, put_live_value, &d))
    return -1;
  bytes->at[count_at] = (unsigned char)d.live;
  bytes->at[count_at + 1] = (unsigned char)(d.live >> 8);
  return 0;
}

int cn_export_write_ocaml(struct cn_export *export)
{
  uint64_t count = 0;

  for (size_t i = 0; i < export->view.functions.count; i++)
    count += export->view.functions.at[i].map.safepoints;
  put(&export->bytes, count, 8);
  for (size_t i = 0; i < export->view.functions.count; i++)
    for (uint32_t k = 0; k < export->view.functions.at[i].map.safepoints; k++) {
      struct cn_export_safepoint safepoint = cn_export_read_safepoint(&export->view.functions.at[i], k);
      if (put_descriptor(export, &safepoint))
        return -1;
    }
  while (export->bytes.count % 8)
    put(&export->bytes, 0, 1);
  return 0;
}
