/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame maps and details as text.
 */
#include <inttypes.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "object/print/frames_print.h"
#include "object/print/frames_view.h"

static void print_sum(FILE *out, unsigned reg, int64_t offset)
{
  char name[16];

  fprintf(out, "%s %c %" PRId64, cn_frames_register(reg, name), offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

static void print_place(FILE *out, struct cn_loc loc)
{
  char name[16];

  if (loc.is_register) {
    fputs(cn_frames_register(loc.reg, name), out);
    return;
  }
  fputc('[', out);
  print_sum(out, loc.reg, loc.offset);
  fputc(']', out);
}

static void print_frame(FILE *out, uint32_t offset, const struct cn_safepoint *s)
{
  fprintf(out, "  +0x%" PRIx32 ": cfa ", offset);
  print_sum(out, s->cfa_reg, s->cfa_offset);
  for (unsigned r = 0; r < CN_CALLEE_SAVED; r++)
    if (s->saved >> r & 1)
      fprintf(out, ", %s at cfa - %" PRId64, cn_port_saved_names[r], -(int64_t)s->saved_offset[r]);
  switch (s->id) {
  case CAIRN_ABI_STATEPOINT_ID_DEFAULT:
    break;
  case CAIRN_ABI_STATEPOINT_ID_POLL:
    fputs(", poll", out);
    break;
  case CAIRN_ABI_STATEPOINT_ID_ALLOC:
    fputs(", allocation", out);
    break;
  default:
    fprintf(out, ", id %" PRIu64, s->id);
    break;
  }
  fputc('\n', out);
}

static void print_roots(FILE *out, struct cn_safepoint *s)
{
  struct cn_root root;
  struct cn_area area;

  while (!cn_framemap_next_root(s, &root)) {
    fputs(root.is_derived ? "    derived " : "    root ", out);
    print_place(out, root.derived);
    if (root.is_derived) {
      fputs(" from ", out);
      print_place(out, root.base);
    }
    fputc('\n', out);
  }
  while (!cn_framemap_next_area(s, &area)) {
    fputs("    area ", out);
    print_place(out, (struct cn_loc){.reg = area.reg, .offset = area.offset});
    fprintf(out, ", count %" PRIu64 ", stride %" PRIu64, area.count, area.stride);
    if (area.tag)
      fprintf(out, ", tag %" PRIu32 ", parameter %" PRIu64, area.tag, area.parameter);
    fputc('\n', out);
  }
}

/* Indent each function by two columns more than the one that it was inlined into. */
static void print_sources(FILE *out, struct cn_details *d)
{
  struct cn_source source;

  for (int column = 4; !cn_details_next_source(d, &source); column += 2) {
    fprintf(out, "%*s%s %s", column, "", column == 4 ? "at" : "in", source.function);
    if (source.file || source.line)
      fprintf(out, " (%s:%" PRIu32 ":%" PRIu32 ")", source.file ? source.file : "?", source.line, source.column);
    fputc('\n', out);
  }
}

static void print_deopts(FILE *out, struct cn_details *d)
{
  struct cn_deopt value;

  while (!cn_details_next_deopt(d, &value)) {
    fputs("    deopt ", out);
    switch (value.kind) {
    case CN_DEOPT_CONSTANT:
      fprintf(out, "constant %" PRId64, (int64_t)value.constant);
      break;
    case CN_DEOPT_VALUE:
      print_place(out, value.loc);
      break;
    case CN_DEOPT_ADDRESS:
      print_sum(out, value.loc.reg, value.loc.offset);
      break;
    case CN_DEOPT_AT_CALL:
      print_place(out, value.loc);
      fputs(" when called", out);
      break;
    }
    if (value.size != 8)
      fprintf(out, " (%u bytes)", value.size);
    fputc('\n', out);
  }
}

/* The function that opened a span: `depth` steps inwards from the one that has the frame. */
static void print_opener(FILE *out, struct cn_details d, uint32_t depth)
{
  struct cn_source source;

  if (depth >= d.sources) {
    fprintf(out, ", depth %" PRIu32, depth);
    return;
  }
  for (uint32_t skip = d.sources - depth; skip > 0; skip--)
    if (cn_details_next_source(&d, &source))
      CN_UNREACHABLE(); /* cn_frames_view_open() has read them once */
  fprintf(out, ", of %s", source.function);
}

/* `before` still has the sources to read. */
static void print_spans(FILE *out, struct cn_frames_view *view, struct cn_details *d, const struct cn_details *before)
{
  struct cn_span_use use;
  struct cn_frames_span span;

  while (!cn_details_next_span_use(d, &use)) {
    if (!cn_frames_view_span(view, d, use.index, &span)) {
      fprintf(out, "    span number %" PRIu32, use.index);
    } else {
      fprintf(out, "    span %" PRIu64 " is ", span.key);
      if (span.symbol)
        fputs(span.symbol, out);
      if (span.symbol && span.value)
        fprintf(out, " + %" PRIu64, span.value);
      if (!span.symbol)
        fprintf(out, span.is_address ? "0x%" PRIx64 : "%" PRIu64, span.value);
    }
    if (use.depth)
      print_opener(out, *before, use.depth);
    fputc('\n', out);
  }
}

static void print_function(FILE *out, struct cn_frames_view *view, const struct cn_frames_entry *entry)
{
  const struct cn_framemap_function *f = &entry->map;

  fprintf(out, "function %s", entry->name ? entry->name : "?");
  if (view->elf.head.e_type != ET_REL)
    fprintf(out, " at 0x%" PRIx64, entry->address);
  fprintf(out, ": code size %" PRIu32 ", safepoints %" PRIu32 "\n", f->code_size, f->safepoints);
  for (uint32_t i = 0; i < f->safepoints; i++) {
    struct cn_safepoint safepoint;
    struct cn_details details;
    uint32_t offset;
    if (cn_framemap_return_offset(f, i, &offset) || cn_framemap_safepoint(f, i, &safepoint))
      CN_UNREACHABLE(); /* cn_frames_view_open() has read it once */
    CN_ASSERT(offset <= f->code_size);
    print_frame(out, offset, &safepoint);
    print_roots(out, &safepoint);
    if (!cn_frames_view_details(entry, offset, &details))
      continue;
    struct cn_details before = details;
    print_sources(out, &details);
    print_deopts(out, &details);
    print_spans(out, view, &details, &before);
  }
}

void cn_frames_print_text(FILE *out, struct cn_frames_view *view)
{
  for (size_t i = 0; i < view->functions.count; i++)
    print_function(out, view, &view->functions.at[i]);
}
