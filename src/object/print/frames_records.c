/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints frame maps and details as text or as JSON. docs/man/cairn.1 documents the JSON members, which are stable. Runs
 * once per object, after all maps have been checked; prints to the caller's stream, and holds no state.
 */
#include <inttypes.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "object/print/frames_print.h"
#include "object/print/frames_view.h"

void cn_frames_open_json(const struct cn_frames_printer *p, const char *name, char bracket)
{
  if (p->json)
    cn_json_out_open_bracket(p->json, name, bracket);
}

void cn_frames_close_json(const struct cn_frames_printer *p)
{
  if (p->json)
    cn_json_out_close_bracket(p->json);
}

const char *cn_frames_printed_register(const struct cn_frames_printer *p, unsigned reg, char *buffer)
{
  return cn_frames_register_name(p->view->elf.port->frames, reg, buffer);
}

void cn_frames_print_sum(const struct cn_frames_printer *p, unsigned reg, int64_t offset)
{
  char name[16];

  fprintf(p->out, "%s %c %" PRId64, cn_frames_printed_register(p, reg, name), offset < 0 ? '-' : '+',
          offset < 0 ? -offset : offset);
}

void cn_frames_print_place(const struct cn_frames_printer *p, const char *name, const char *before,
                           struct cn_frame_place loc)
{
  char buffer[16];
  const char *reg = cn_frames_printed_register(p, loc.reg, buffer);

  if (!p->json)
    fputs(before, p->out);
  if (p->json && loc.is_register) {
    CN_ROW(p->json, name, CN_STRING("register", reg));
  } else if (p->json) {
    CN_ROW(p->json, name, CN_STRING("base", reg), CN_SIGNED("offset", loc.offset));
  } else if (loc.is_register) {
    fputs(reg, p->out);
  } else {
    fputc('[', p->out);
    cn_frames_print_sum(p, loc.reg, loc.offset);
    fputc(']', p->out);
  }
}

static void print_statepoint_id(FILE *out, uint64_t id)
{
  if (id == CAIRN_ABI_STATEPOINT_ID_POLL)
    fputs(", poll", out);
  else if (id == CAIRN_ABI_STATEPOINT_ID_ALLOC)
    fputs(", allocation", out);
  else if (id != CAIRN_ABI_STATEPOINT_ID_DEFAULT)
    fprintf(out, ", id %" PRIu64, id);
}

static void print_saved_register(const struct cn_frames_printer *p, unsigned dwarf, int32_t offset)
{
  char buffer[16];
  const char *name = cn_frames_printed_register(p, dwarf, buffer);

  if (p->json)
    CN_ROW(p->json, NULL, CN_STRING("register", name), CN_SIGNED("cfa_offset", offset));
  else
    fprintf(p->out, ", %s at cfa - %" PRId64, name, -(int64_t)offset);
}

/* A link register is among the saved registers. Other ports have one place for the return address. */
void cn_frames_print_row(const struct cn_frames_printer *p, const struct cn_safepoint *s)
{
  const struct cn_frame_port *port = p->view->elf.port->frames;
  struct cn_frame_place cfa = {.reg = s->cfa_reg, .offset = s->cfa_offset};

  if (p->json) {
    cn_frames_print_place(p, "cfa", "", cfa);
  } else {
    fputs("cfa ", p->out);
    cn_frames_print_sum(p, cfa.reg, cfa.offset);
  }
  cn_frames_open_json(p, "saved", '[');
  for (unsigned r = 0; r < port->saved_count; r++)
    if (s->saved >> r & 1)
      print_saved_register(p, port->callee_saved[r], s->saved_offset[r]);
  if (port->has_link_register)
    print_saved_register(p, port->return_address, s->return_address_offset);
  cn_frames_close_json(p);
}

static void print_landing(const struct cn_frames_printer *p, const struct cn_landing *landing)
{
  if (!p->json && landing->barred)
    fputs(", barred to exceptions", p->out);
  if (!p->json && landing->pad)
    fprintf(p->out, ", landing pad +0x%" PRIx32 ", selector %" PRIu32, landing->pad, landing->selector);
  if (!p->json && landing->popped)
    fprintf(p->out, ", pops %" PRIu32, landing->popped);
  if (p->json && landing->barred)
    CN_MEMBERS(p->json, CN_NUMBER("landing_pad", 0));
  if (p->json && landing->pad)
    CN_MEMBERS(p->json, CN_NUMBER("landing_pad", landing->pad), CN_NUMBER("selector", landing->selector),
               CN_NUMBER("popped", landing->popped));
}

static void print_frame_line(const struct cn_frames_printer *p, uint32_t offset, const struct cn_safepoint *s)
{
  if (p->json)
    CN_MEMBERS(p->json, CN_NUMBER("return_offset", offset), CN_NUMBER("id", s->id));
  else
    fprintf(p->out, "  +0x%" PRIx32 ": ", offset);
  cn_frames_print_row(p, s);
  print_landing(p, &s->landing);
  if (p->json)
    return;
  print_statepoint_id(p->out, s->id);
  fputc('\n', p->out);
}

static void print_root(const struct cn_frames_printer *p, const struct cn_root *root)
{
  if (p->json)
    cn_json_out_open_on_line(p->json, NULL, '{');
  cn_frames_print_place(p, "place", root->is_derived ? "    derived " : "    root ", root->derived);
  if (root->is_derived)
    cn_frames_print_place(p, "derived_from", " from ", root->base);
  else if (p->json)
    cn_json_out_write_null(p->json, "derived_from");
  if (p->json)
    cn_json_out_close_bracket(p->json);
  else
    fputc('\n', p->out);
}

static void print_area(const struct cn_frames_printer *p, const struct cn_described_area *area)
{
  char name[16];

  if (p->json) {
    cn_json_out_open_on_line(p->json, NULL, '{');
    CN_MEMBERS(p->json, CN_STRING("base", cn_frames_printed_register(p, area->reg, name)),
               CN_SIGNED("offset", area->offset), CN_NUMBER("count", area->count), CN_NUMBER("stride", area->stride));
    if (area->tag)
      CN_MEMBERS(p->json, CN_NUMBER("tag", area->tag), CN_NUMBER("parameter", area->parameter));
    cn_json_out_close_bracket(p->json);
    return;
  }
  cn_frames_print_place(p, NULL, "    area ", (struct cn_frame_place){.reg = area->reg, .offset = area->offset});
  fprintf(p->out, ", count %" PRIu64 ", stride %" PRIu64, area->count, area->stride);
  if (area->tag)
    fprintf(p->out, ", tag %" PRIu32 ", parameter %" PRIu64, area->tag, area->parameter);
  fputc('\n', p->out);
}

/* Print a source location. Text indents an inlined function by two more columns than its caller. */
static void print_source_position(const struct cn_frames_printer *p, const struct cn_source_place *source, int column)
{
  if (p->json) {
    CN_ROW(p->json, NULL, CN_STRING("function", source->function), CN_STRING("file", source->file),
           CN_NUMBER("line", source->line), CN_NUMBER("column", source->column));
    return;
  }
  fprintf(p->out, "%*s%s %s", column, "", column == 4 ? "at" : "in", source->function);
  if (source->file || source->line)
    fprintf(p->out, " (%s:%" PRIu32 ":%" PRIu32 ")", source->file ? source->file : "?", source->line, source->column);
  fputc('\n', p->out);
}

/* Print the class and width of a value, unless they are unknown, or those of a constant of 64 bits. */
static void print_deopt_type(FILE *out, const struct cn_deopt_value *value)
{
  bool is_word = value->value_class == CAIRN_ABI_POINT_INTEGER && value->bits == 64 && value->kind == CN_DEOPT_CONSTANT;
  bool is_address = value->value_class >= CAIRN_ABI_POINT_POINTER && value->value_class <= CAIRN_ABI_POINT_LOCAL;

  if (value->value_class == CAIRN_ABI_POINT_UNKNOWN || is_word)
    return;
  fputs(cn_frames_class_name(value->value_class), out);
  if (!is_address)
    fprintf(out, " of %u bits", value->bits);
  if (value->value_class != CAIRN_ABI_POINT_UNDEFINED)
    fputs(": ", out);
}

static void print_deopt_value(const struct cn_frames_printer *p, const struct cn_deopt_value *value)
{
  static const char *const kinds[] = {"constant", "value", "address", "at_call"};

  int64_t constant = cn_deopt_extend_constant(value->constant, value->bits);

  if (p->json) {
    cn_json_out_open_on_line(p->json, NULL, '{');
    CN_MEMBERS(p->json, CN_STRING("class", cn_frames_class_name(value->value_class)), CN_NUMBER("bits", value->bits),
               CN_STRING("kind", kinds[value->kind]), CN_NUMBER("size", value->size));
    if (value->kind == CN_DEOPT_CONSTANT)
      cn_json_out_write_signed(p->json, "value", constant);
    else
      cn_frames_print_place(p, "place", "", value->loc);
    cn_json_out_close_bracket(p->json);
    return;
  }
  fputs("    deopt ", p->out);
  print_deopt_type(p->out, value);
  if (value->value_class == CAIRN_ABI_POINT_UNDEFINED)
    ;
  else if (value->kind == CN_DEOPT_CONSTANT)
    fprintf(p->out, "constant %" PRId64, constant);
  else if (value->kind == CN_DEOPT_ADDRESS)
    cn_frames_print_sum(p, value->loc.reg, value->loc.offset);
  else
    cn_frames_print_place(p, NULL, "", value->loc);
  if (value->kind == CN_DEOPT_REGISTER_AT_CALL)
    fputs(" when called", p->out);
  if (value->value_class == CAIRN_ABI_POINT_UNKNOWN && value->size != 8)
    fprintf(p->out, " (%u bytes)", value->size);
  fputc('\n', p->out);
}

/* Print the function that opened a span: `depth` inlined calls inside the function with the frame. */
static void print_span_opener(FILE *out, struct cn_details d, uint32_t depth)
{
  struct cn_source_place source;

  if (depth >= d.sources) {
    fprintf(out, ", depth %" PRIu32, depth);
    return;
  }
  for (uint32_t skip = d.sources - depth; skip > 0; skip--)
    if (cn_details_next_source(&d, &source))
      CN_UNREACHABLE(); /* cn_frames_view_open() has already read all maps */
  fprintf(out, ", of %s", source.function);
}

/* Print a span. `before` is the reader's state before the sources. */
static void print_span(const struct cn_frames_printer *p, const struct cn_details *d, const struct cn_details *before,
                       struct cn_span_use use)
{
  struct cn_frames_span span = {0};
  bool known = cn_frames_view_find_span(p->view, d, use.index, &span);

  if (p->json) {
    cn_json_out_open_on_line(p->json, NULL, '{');
    CN_MEMBERS(p->json, CN_NUMBER("index", use.index), CN_NUMBER("depth", use.depth));
    if (known)
      CN_MEMBERS(p->json, CN_NUMBER("key", span.key), CN_BOOL("is_address", span.is_address),
                 CN_STRING("symbol", span.symbol), CN_NUMBER("value", span.value));
    cn_json_out_close_bracket(p->json);
    return;
  }
  if (known)
    fprintf(p->out, "    span %" PRIu64 " is %s", span.key, span.symbol ? span.symbol : "");
  else
    fprintf(p->out, "    span number %" PRIu32, use.index);
  if (span.symbol && span.value)
    fprintf(p->out, " + %" PRIu64, span.value);
  if (known && !span.symbol)
    fprintf(p->out, span.is_address ? "0x%" PRIx64 : "%" PRIu64, span.value);
  if (use.depth)
    print_span_opener(p->out, *before, use.depth);
  fputc('\n', p->out);
}

/* Print the details. A safepoint without details has empty arrays. */
static void print_details(const struct cn_frames_printer *p, const struct cn_frames_function *entry, uint32_t offset)
{
  struct cn_details d = {0};
  struct cn_source_place source;
  struct cn_deopt_value value;
  struct cn_span_use use;

  if (!cn_frames_view_read_details(entry, offset, &d))
    d = (struct cn_details){0};
  struct cn_details before = d;
  cn_frames_open_json(p, "sources", '[');
  for (int column = 4; !cn_details_next_source(&d, &source); column += 2)
    print_source_position(p, &source, column);
  cn_frames_close_json(p);
  cn_frames_open_json(p, "deopt", '[');
  while (!cn_details_next_deopt(&d, &value))
    print_deopt_value(p, &value);
  cn_frames_close_json(p);
  cn_frames_open_json(p, "spans", '[');
  while (!cn_details_next_span_use(&d, &use))
    print_span(p, &d, &before, use);
  cn_frames_close_json(p);
}

void cn_frames_print_safepoint(const struct cn_frames_printer *p, const struct cn_frames_function *entry,
                               uint32_t index)
{
  struct cn_safepoint s;
  struct cn_root root;
  struct cn_described_area area;
  uint32_t offset;

  if (cn_framemap_read_return_offset(&entry->map, index, &offset) || cn_framemap_read_safepoint(&entry->map, index, &s))
    CN_UNREACHABLE(); /* cn_frames_view_open() has already read the safepoint */
  CN_ASSERT(offset <= entry->map.code_size);
  cn_frames_open_json(p, NULL, '{');
  print_frame_line(p, offset, &s);
  cn_frames_open_json(p, "roots", '[');
  while (!cn_framemap_next_root(&s, &root))
    print_root(p, &root);
  cn_frames_close_json(p);
  cn_frames_open_json(p, "areas", '[');
  while (!cn_framemap_next_area(&s, &area))
    print_area(p, &area);
  cn_frames_close_json(p);
  print_details(p, entry, offset);
  cn_frames_close_json(p);
}

/* In JSON, an address is a section and an offset in an object, and a number in an image. */
void cn_frames_open_function(const struct cn_frames_printer *p, const struct cn_frames_function *entry,
                             const char *items, uint32_t count)
{
  const struct cn_elf_section *section = &p->view->elf.sections[entry->section];
  bool image = p->view->elf.head.e_type != ET_REL;
  uint64_t address = image ? entry->address : 0;

  cn_frames_open_json(p, NULL, '{');
  if (p->json) {
    CN_MEMBERS(p->json, CN_STRING("name", entry->name), CN_NUMBER_IF("address", image, address),
               CN_STRING("section", entry->section ? section->name : NULL),
               CN_NUMBER_IF("section_offset", entry->section, entry->address - section->head.sh_addr),
               CN_NUMBER("code_size", entry->map.code_size));
  } else {
    fprintf(p->out, "function %s", entry->name ? entry->name : "?");
    if (image)
      fprintf(p->out, " at 0x%" PRIx64, address);
    fprintf(p->out, ": code size %" PRIu32 ", %s %" PRIu32 "\n", entry->map.code_size, items, count);
  }
  cn_frames_open_json(p, items, '[');
}

static void print_function(const struct cn_frames_printer *p, const struct cn_frames_function *entry)
{
  cn_frames_open_function(p, entry, "safepoints", entry->map.safepoints);
  for (uint32_t i = 0; i < entry->map.safepoints; i++)
    cn_frames_print_safepoint(p, entry, i);
  cn_frames_close_json(p);
  cn_frames_close_json(p);
}

void cn_frames_open_object(const struct cn_frames_printer *p, const char *member)
{
  cn_frames_open_json(p, NULL, '{');
  if (p->json)
    CN_MEMBERS(p->json, CN_STRING("member", member),
               CN_STRING("type", p->view->elf.head.e_type == ET_REL ? "object" : "image"));
  cn_frames_open_json(p, "functions", '[');
}

void cn_frames_print_object(FILE *out, struct cn_json_writer *json, const char *member, struct cn_frames_view *view)
{
  struct cn_frames_printer p = {out, json, view};

  cn_frames_open_object(&p, member);
  for (size_t i = 0; i < view->functions.count; i++)
    print_function(&p, &view->functions.at[i]);
  cn_frames_close_json(&p);
  cn_frames_close_json(&p);
}
