/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the safepoints of the assembled object: each record of a statepoint in the stack map, with its line of assembly
 * and with its frame map, as `cairn frames` prints it. Runs after the assembler; the object's file stays unchanged.
 * Records, labels and frame maps that contradict each other are an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/abi.h>
#include <cairn/object.h>
#include <cairn/stackmap.h>
#include "base/check.h"
#include "driver/cc/command.h"
#include "driver/explain/explain.h"
#include "driver/tool.h"
#include "object/print/frames_print.h"
#include "object/print/frames_view.h"

struct safepoint_reader {
  struct cn_explain *explain;
  struct cn_frames_view view;
  size_t last_found; /* index in the view */
};

/* ---- frame maps ---- */

static const struct cn_frames_function *find_frames_of(struct safepoint_reader *reader, const char *name)
{
  size_t count = reader->view.functions.count;

  for (size_t i = 0; i < count; i++) {
    size_t at = (reader->last_found + i) % count;
    const struct cn_frames_function *function = &reader->view.functions.at[at];
    if (function->name && cn_text_is(cn_text_of(name), function->name)) {
      reader->last_found = at;
      return function;
    }
  }
  return NULL;
}

/* The frame map at the return address as text, or null. */
static const char *format_frame(struct safepoint_reader *reader, const char *name, uint32_t return_offset)
{
  const struct cn_frames_function *function = find_frames_of(reader, name);
  uint32_t offset, index = 0;

  while (function && index < function->map.safepoints &&
         (cn_framemap_read_return_offset(&function->map, index, &offset) || offset != return_offset))
    index++;
  if (!function || index == function->map.safepoints)
    return NULL;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  CN_CHECK(out != NULL);
  struct cn_frames_printer printer = {.out = out, .view = &reader->view};
  cn_frames_print_safepoint(&printer, function, index);
  CN_CHECK(fclose(out) == 0);
  return text;
}

/* ---- records ---- */

static const char *format_place(const struct safepoint_reader *reader, struct cairn_stackmap_location place)
{
  char buffer[16];
  const char *name = cn_frames_register_name(reader->view.elf.port->frames, place.reg, buffer);
  int64_t offset = place.offset;
  const char *sign = offset < 0 ? "-" : "+";

  switch (place.kind) {
  case CAIRN_STACKMAP_REGISTER:
    return cn_command_format_string("%s", name);
  case CAIRN_STACKMAP_INDIRECT:
    return cn_command_format_string("[%s %s %" PRId64 "]", name, sign, offset < 0 ? -offset : offset);
  case CAIRN_STACKMAP_DIRECT:
    return cn_command_format_string("%s %s %" PRId64, name, sign, offset < 0 ? -offset : offset);
  default:
    return cn_command_format_string("constant %" PRIu64, place.value);
  }
}

static enum cn_explain_kind kind_of(uint64_t id)
{
  return id == CAIRN_ABI_STATEPOINT_ID_POLL    ? CN_EXPLAIN_POLL
         : id == CAIRN_ABI_STATEPOINT_ID_ALLOC ? CN_EXPLAIN_ALLOCATION
                                               : CN_EXPLAIN_CALL;
}

/* Add the safepoint of a record. False after a message. */
static bool take_record(struct safepoint_reader *reader, const struct cairn_stackmap *map,
                        const struct cairn_stackmap_record *record, struct cn_explain_place place)
{
  struct cn_explain *explain = reader->explain;
  struct cairn_stackmap_statepoint parts;
  struct cairn_stackmap_error error;

  if (cairn_stackmap_statepoint(map, record, &parts, &error) != CAIRN_OK)
    return true; /* the record of a patchpoint or of a stackmap */
  if (place.function == CN_EXPLAIN_NONE) {
    cn_tool_error("'%s': a safepoint at offset %" PRIu32 " has no line of assembly", explain->path,
                  record->instruction_offset);
    return false;
  }
  struct cn_explain_function *function = &explain->functions.at[place.function];
  struct cn_explain_line *line = &function->assembly.at[place.line];
  struct cn_explain_safepoint safepoint = {.kind = kind_of(record->id),
                                           .function = place.function,
                                           .line = place.line,
                                           .statepoint = CN_EXPLAIN_NONE,
                                           .return_offset = record->instruction_offset};
  safepoint.frame = format_frame(reader, function->name, record->instruction_offset);
  if (!safepoint.frame) {
    cn_tool_error("'%s': function '%s' has no frame map at offset %" PRIu32, explain->path, function->name,
                  record->instruction_offset);
    return false;
  }
  for (uint32_t i = 0; i < parts.pairs; i++)
    cn_push(&safepoint.places,
            format_place(reader, cairn_stackmap_location(map, record, parts.pairs_first + 2 * i + 1)));
  line->kind = safepoint.kind;
  line->statepoint = explain->safepoints.count;
  cn_push(&explain->safepoints, safepoint);
  return true;
}

static bool take_map(struct safepoint_reader *reader, const struct cairn_stackmap_file *file,
                     const cn_explain_places *records)
{
  struct cairn_stackmap_section section;
  struct cairn_stackmap map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  size_t count = 0;

  bool ok = cairn_stackmap_file_section(file, 0, &section) &&
            cairn_stackmap_open(section.bytes, section.length, &map, NULL) == CAIRN_OK && map.records == records->count;
  if (!ok)
    cn_tool_error("'%s': the stack map differs from the assembly", reader->explain->path);
  while (ok && cairn_stackmap_next(&map, &cursor, &record))
    ok = take_record(reader, &map, &record, records->at[count++]);
  return ok;
}

/* `bytes` is the object with stack maps. */
static bool take_object(struct cn_explain *explain, const void *bytes, size_t size, const cn_explain_places *records,
                        char **error)
{
  struct safepoint_reader reader = {.explain = explain};
  struct cairn_stackmap_file *file = NULL;
  void *rewritten = NULL;
  size_t rewritten_size;

  if (cairn_object_rewrite(bytes, size, &rewritten, &rewritten_size, error) != CAIRN_OK)
    return false;
  bool ok =
      cn_frames_view_open(&reader.view, rewritten ? rewritten : bytes, rewritten ? rewritten_size : size, error) == 0;
  if (ok) {
    ok = cairn_stackmap_file_open(bytes, size, &file, NULL) == CAIRN_OK && take_map(&reader, file, records);
    cairn_stackmap_file_close(file);
    cn_frames_view_close(&reader.view);
  }
  free(rewritten);
  return ok;
}

bool cn_explain_take_safepoints(struct cn_explain *explain, const char *path, const cn_explain_places *records)
{
  struct cn_input_file object;
  char *error = NULL;

  if (records->count == 0)
    return true;
  if (cn_input_open(&object, path, cn_input_is_binary, &error)) {
    cn_tool_error("'%s': %s", explain->path, error);
    free(error);
    return false;
  }
  bool ok = take_object(explain, object.bytes, object.size, records, &error);
  if (error)
    cn_tool_error("'%s': %s", explain->path, error);
  free(error);
  cn_input_close(&object);
  return ok;
}
