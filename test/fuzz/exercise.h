/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads all facts that a reader offers from arbitrary bytes. Fuzz targets share the file with unit tests that change
 * single bytes. A crash, a sanitizer's report or an endless loop is a failure.
 */
#ifndef CN_FUZZ_EXERCISE_H
#define CN_FUZZ_EXERCISE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/object.h>
#include <cairn/stackmap.h>
#include "framemap/details_format.h"
#include "framemap/framemap.h"
#include "framemap/framemap_format.h"
#include "fuzz/naive.h"
#include "object/print/stackmap_print.h"
#include "object/stackmap/stackmap_file.h"

/* Every area and span: what the counts say there is, there must be. */
static inline void exercise_described(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                      const struct cairn_stackmap_statepoint *statepoint)
{
  struct cairn_stackmap_described described;
  struct cairn_stackmap_area area = {0};
  struct cairn_stackmap_error error = {0, NULL};
  volatile uint64_t sink = 0;
  uint32_t areas = 0;

  if (cairn_stackmap_described(map, record, statepoint, &described, &error) < 0) {
    if (!error.reason)
      abort();
    return;
  }
  for (; cairn_stackmap_area(map, record, &described, &area); areas++) {
    for (uint32_t i = 0; i < area.references; i++)
      sink += cairn_stackmap_area_offset(map, record, &area, i);
    if (area.end > record->locations || area.place.kind != CAIRN_STACKMAP_DIRECT)
      abort();
  }
  for (uint32_t i = 0; i < described.spans; i++)
    sink += cairn_stackmap_span(map, record, &described, i).index;
  if (areas != described.areas || described.deopt_count > statepoint->deopt_count)
    abort();
}

/* Every value of a point, whose places and classes the record must have. */
static inline void exercise_point(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_point point;
  struct cairn_stackmap_error error = {0, NULL};

  if (cairn_stackmap_point(map, record, &point, &error) < 0) {
    if (!error.reason)
      abort();
    return;
  }
  for (uint32_t i = 0; i < point.values; i++) {
    struct cairn_stackmap_point_value value = cairn_stackmap_point_value(map, record, &point, i);
    if (value.bits == 0 || value.bits > 64 || value.value_class > CAIRN_STACKMAP_LOCAL)
      abort();
  }
  if (point.classes_first + point.values >= record->locations || point.arguments + point.has_result > point.values)
    abort();
}

static inline void exercise_record(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_statepoint statepoint;
  struct cairn_stackmap_error error;
  volatile uint64_t sink = 0;

  for (uint32_t i = 0; i < record->locations; i++)
    sink += cairn_stackmap_location(map, record, i).value;
  for (uint32_t i = 0; i < record->live_outs; i++)
    sink += cairn_stackmap_live_out(map, record, i).size;
  exercise_point(map, record);
  if (cairn_stackmap_statepoint(map, record, &statepoint, &error) == 0)
    exercise_described(map, record, &statepoint);
  else if (!error.reason)
    abort();
}

/* The model of an accepted map, which is written again: the same bytes must come out. */
static inline void exercise_encoder(const struct cairn_stackmap *map)
{
  struct cairn_stackmap_model model = {map->version, map->functions, map->constants, map->records, NULL, NULL, NULL};
  struct cairn_stackmap_function *functions = calloc(map->functions + 1u, sizeof *functions);
  uint64_t *constants = calloc(map->constants + 1u, sizeof *constants);
  struct cairn_stackmap_record_model *records = calloc(map->records + 1u, sizeof *records);
  struct cairn_stackmap_cursor cursor = {0};
  unsigned char *bytes = malloc(map->length);
  size_t length;

  for (uint32_t i = 0; i < map->functions; i++)
    functions[i] = cairn_stackmap_function(map, i);
  for (uint32_t i = 0; i < map->constants; i++)
    constants[i] = cairn_stackmap_constant(map, i);
  for (uint32_t i = 0; cairn_stackmap_next(map, &cursor, &records[i].record); i++) {
    const struct cairn_stackmap_record *r = &records[i].record;
    struct cairn_stackmap_location *locations = calloc(r->locations + 1u, sizeof *locations);
    struct cairn_stackmap_live_out *live_outs = calloc(r->live_outs + 1u, sizeof *live_outs);
    for (uint32_t l = 0; l < r->locations; l++)
      locations[l] = cairn_stackmap_location(map, r, l);
    for (uint32_t l = 0; l < r->live_outs; l++)
      live_outs[l] = cairn_stackmap_live_out(map, r, l);
    records[i].location = locations;
    records[i].live_out = live_outs;
  }
  model.function = functions;
  model.constant = constants;
  model.record = records;
  if (cairn_stackmap_write(&model, bytes, map->length, &length, NULL) < 0 || length != map->length ||
      memcmp(bytes, map->bytes, length) != 0)
    abort();
  for (uint32_t i = 0; i < map->records; i++) {
    free((void *)records[i].location);
    free((void *)records[i].live_out);
  }
  free(bytes);
  free(records);
  free(constants);
  free(functions);
}

/* The status of the first map. */
static inline int exercise_stackmap(const unsigned char *bytes, size_t size)
{
  struct cairn_stackmap map;
  struct cairn_stackmap_error error = {0, NULL};
  int first = 1, status;

  for (size_t at = 0; at < size || first == 1; at += map.length) {
    struct cairn_stackmap_cursor cursor = {0};
    struct cairn_stackmap_record record;
    uint32_t records = 0;
    status = cairn_stackmap_open(bytes + at, size - at, &map, &error);
    first = first == 1 ? status : first;
    if (status < 0) {
      if (!error.reason || error.offset > size - at)
        abort();
      break;
    }
    while (cairn_stackmap_next(&map, &cursor, &record)) {
      exercise_record(&map, &record);
      records++;
    }
    if (records != map.records)
      abort();
    naive_check_map(&map);
    exercise_encoder(&map);
  }
  return first;
}

static inline void exercise_printing(struct cairn_stackmap_file *file)
{
  static FILE *nowhere;
  if (!nowhere)
    nowhere = fopen("/dev/null", "w");
  struct cn_json_writer json = {.out = nowhere};
  struct cn_stackmap_view view = {.member = "member", .file = file};

  view.lines = cn_lines_open(&file->elf);
  cn_stackmap_print(nowhere, NULL, &view);
  cn_stackmap_print(NULL, &json, &view);
  cn_lines_close(view.lines);
}

/* Find the stack maps of an ELF file, decode them, encode them again, print them. */
static inline int exercise_stackmap_file(const unsigned char *bytes, size_t size)
{
  struct cairn_stackmap_file *file;
  struct cairn_stackmap_section section;
  struct cairn_stackmap_error error = {0, NULL};
  int status = cairn_stackmap_file_open(bytes, size, &file, &error);

  if (status < 0) {
    if (!error.reason || file || error.offset > size)
      abort();
    return status;
  }
  for (unsigned i = 0; cairn_stackmap_file_section(file, i, &section); i++)
    if (!status)
      status = exercise_stackmap(section.bytes, section.length);
  if (!status)
    exercise_printing(file);
  cairn_stackmap_file_close(file);
  return status;
}

static inline int exercise_function(const struct cn_framemap_function *f)
{
  int bad = 0;

  for (uint32_t i = 0; i < f->safepoints && i < 1000; i++) {
    struct cn_safepoint s;
    struct cn_root root;
    struct cn_described_area area;
    uint32_t offset;
    bad |= cn_framemap_read_return_offset(f, i, &offset);
    int status = cn_framemap_read_safepoint(f, i, &s);
    while (!status && !(status = cn_framemap_next_root(&s, &root)))
      ;
    if (status == CN_FRAMEMAP_NONE)
      while (!(status = cn_framemap_next_area(&s, &area)))
        ;
    bad |= status == CN_FRAMEMAP_BAD;
  }
  return bad;
}

/* The model of one safepoint; false: it cannot be read. */
static inline bool exercise_model_safepoint(const struct cn_framemap_function *f, uint32_t index,
                                            struct cn_map_safepoint *out)
{
  struct cn_safepoint s;
  size_t room = (size_t)(f->end - f->data);

  if (cn_framemap_read_return_offset(f, index, &out->return_offset) || cn_framemap_read_safepoint(f, index, &s) ||
      s.roots > room || s.areas > room)
    return false;
  out->frame = s;
  out->roots = cn_alloc((s.roots + 1u) * sizeof *out->roots);
  out->areas = cn_alloc((s.areas + 1u) * sizeof *out->areas);
  for (uint32_t i = 0; i < out->frame.roots; i++)
    if (cn_framemap_next_root(&s, &out->roots[i]))
      return false;
  for (uint32_t i = 0; i < out->frame.areas; i++)
    if (cn_framemap_next_area(&s, &out->areas[i]))
      return false;
  return true;
}

static inline bool exercise_model(const struct cn_framemap_function *f, struct cn_map_function *model)
{
  *model = (struct cn_map_function){.port = f->port, .code_size = f->code_size};
  for (uint32_t i = 0; i < f->safepoints; i++) {
    cn_push(&model->safepoints, (struct cn_map_safepoint){0});
    if (!exercise_model_safepoint(f, i, &model->safepoints.at[i]))
      return false;
  }
  return true;
}

/* A map that was read, written and read again says the same: it is written as it was. Writers are
 * given such models only as the validator accepts. */
static inline void exercise_framemap_writer(const struct cn_framemap_function *f)
{
  struct cn_map_function model, second;
  struct cn_framemap_function written;
  struct cn_bytes one = {0}, other = {0};

  if (exercise_model(f, &model) && !cn_map_function_wrong(&model)) {
    cn_framemap_append_function(&one, &model);
    const unsigned char *cursor = one.at;
    if (cn_framemap_next_function(f->port, &cursor, one.at + one.count, &written) || !exercise_model(&written, &second))
      abort();
    cn_framemap_append_function(&other, &second);
    if (one.count != other.count || memcmp(one.at, other.at, one.count) != 0)
      abort();
    cn_map_function_free(&second);
  }
  cn_map_function_free(&model);
  cn_free(&one);
  cn_free(&other);
}

/* Zero if all of it makes sense. */
static inline int exercise_framemap_of(const struct cn_frame_port *port, const unsigned char *bytes, size_t size)
{
  const unsigned char *cursor = bytes;
  struct cn_framemap_function f;
  int status, bad = 0;

  while (!(status = cn_framemap_next_function(port, &cursor, bytes + size, &f))) {
    bad |= exercise_function(&f);
    if (f.safepoints <= 100)
      exercise_framemap_writer(&f);
  }
  return bad || status != CN_FRAMEMAP_NONE;
}

static inline int exercise_framemap(const unsigned char *bytes, size_t size)
{
  return exercise_framemap_of(&cn_frame_port_x86_64, bytes, size);
}

static inline int exercise_framemap_aarch64(const unsigned char *bytes, size_t size)
{
  return exercise_framemap_of(&cn_frame_port_aarch64, bytes, size);
}

static inline int exercise_details_of(const struct cn_details_function *f)
{
  volatile size_t sink = 0;
  int bad = 0;

  for (uint32_t i = 0; i < f->safepoints && i < 1000; i++) {
    struct cn_details d;
    struct cn_source_place source;
    struct cn_deopt_value deopt;
    struct cn_span_use span;
    uint32_t offset;
    int status = cn_details_read_return_offset(f, i, &offset);
    if (!status)
      status = cn_details_find(f, offset, &d);
    bad |= status != 0;
    while (!status && !(status = cn_details_next_source(&d, &source)))
      sink += strlen(source.function) + (source.file ? strlen(source.file) : 0);
    while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_deopt(&d, &deopt)))
      status = CN_FRAMEMAP_NONE;
    while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_span_use(&d, &span)))
      status = CN_FRAMEMAP_NONE;
    bad |= status == CN_FRAMEMAP_BAD;
  }
  return bad;
}

/* The model of a function's details; false: they make no sense. */
static inline bool exercise_details_model(const struct cn_details_function *f, struct cn_function_details *model)
{
  *model = (struct cn_function_details){.code_size = f->code_size};
  for (uint32_t i = 0; i < f->safepoints; i++) {
    struct cn_safepoint_details detail = {0};
    struct cn_details d;
    struct cn_source_place source;
    struct cn_deopt_value deopt;
    struct cn_span_use span;
    int status = cn_details_read_return_offset(f, i, &detail.return_offset);
    if (!status)
      status = cn_details_find(f, detail.return_offset, &d);
    while (!status && !(status = cn_details_next_source(&d, &source)))
      cn_push(&detail.sources, source);
    while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_deopt(&d, &deopt))) {
      cn_push(&detail.deopts, deopt);
      status = CN_FRAMEMAP_NONE;
    }
    while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_span_use(&d, &span))) {
      cn_push(&detail.spans, span);
      status = CN_FRAMEMAP_NONE;
    }
    cn_push(&model->details, detail);
    if (status != CN_FRAMEMAP_NONE)
      return false;
  }
  return true;
}

/* What was read, written and read again is written as it was. */
static inline void exercise_details_writer(const struct cn_details_function *f)
{
  struct cn_function_details model, second;
  struct cn_details_function written = {0};
  struct cn_bytes one = {0}, other = {0};
  bool spans;

  if (exercise_details_model(f, &model) && cn_details_append_block(&one, &model, 1, &spans) >= 0) {
    const unsigned char *cursor = one.at;
    cn_set_u32(&one, CN_DETAILS_BLOCK_SPANS_OFFSET, spans); /* what a linker would put there: not 0 */
    if (cn_details_next_function(&cursor, one.at + one.count, &written) || !exercise_details_model(&written, &second))
      abort();
    cn_details_append_block(&other, &second, 1, &spans);
    cn_set_u32(&other, CN_DETAILS_BLOCK_SPANS_OFFSET, spans);
    if (one.count != other.count || memcmp(one.at, other.at, one.count) != 0)
      abort();
    cn_function_details_free(&second);
  }
  cn_function_details_free(&model);
  cn_free(&one);
  cn_free(&other);
}

/* Zero if all of it makes sense. */
static inline int exercise_details(const unsigned char *bytes, size_t size)
{
  const unsigned char *cursor = bytes;
  struct cn_details_function f = {0};
  int status, bad = 0;

  while (!(status = cn_details_next_function(&cursor, bytes + size, &f))) {
    bad |= exercise_details_of(&f);
    if (f.safepoints <= 100)
      exercise_details_writer(&f);
  }
  return bad || status != CN_FRAMEMAP_NONE;
}

/* Rewrite; what was made must be an object that has nothing left to rewrite. */
static inline int exercise_object(const unsigned char *bytes, size_t size)
{
  void *out, *again;
  size_t out_size, again_size;
  char *error = NULL;
  enum cairn_status status = cairn_object_rewrite(bytes, size, &out, &out_size, &error);

  if (!status && out && (cairn_object_rewrite(out, out_size, &again, &again_size, &error) || again))
    abort();
  if (status && !error)
    abort();
  free(error);
  if (!status)
    free(out);
  /* For memory, of as much as the linker's way takes. */
  enum cairn_status memory = cairn_object_rewrite_in_memory(bytes, size, -64, &out, &out_size, &error);
  if (memory ? !error : !out)
    abort();
  free(memory ? (void *)error : out);
  return status;
}

/* Give a reader a copy of exactly these bytes, so that a sanitizer sees what it reads beyond. */
static inline int exercise_exactly(int (*exercise)(const unsigned char *bytes, size_t size), const unsigned char *bytes,
                                   size_t size)
{
  unsigned char *copy = malloc(size ? size : 1);

  memcpy(copy, bytes, size);
  int bad = exercise(copy, size);
  free(copy);
  return bad;
}

#endif
