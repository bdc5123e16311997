/* SPDX-License-Identifier: Apache-2.0
 *
 * For `cairn size`: counts the size of frame maps, details, points and stack maps, per kind and per function; stack
 * maps of an object are first rewritten in a copy. Each byte of the sections counts once; a byte that safepoints share
 * counts for the first safepoint. Prints nothing: the caller owns the counts. The file stays unchanged. Holds no state.
 * Errors are returned as text.
 */
#include "object/print/size.h"

#include <cairn/object.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "framemap/framemap_format.h"
#include "object/print/frames_view.h"

const char *const cn_size_kind_names[CN_SIZE_COUNT] = {
#define CN_SIZE_KIND(constant, name, help) name,
    CN_SIZE_KINDS(CN_SIZE_KIND)
#undef CN_SIZE_KIND
};
const char *const cn_size_kind_help[CN_SIZE_COUNT] = {
#define CN_SIZE_KIND(constant, name, help) help,
    CN_SIZE_KINDS(CN_SIZE_KIND)
#undef CN_SIZE_KIND
};

uint64_t cn_size_sum_frame_maps(const uint64_t bytes[CN_SIZE_COUNT])
{
  uint64_t sum = 0;

  for (unsigned kind = 0; kind < CN_SIZE_DETAILS_HEADERS; kind++)
    sum += bytes[kind];
  return sum;
}

uint64_t cn_size_sum_details(const uint64_t bytes[CN_SIZE_COUNT])
{
  uint64_t sum = 0;

  for (unsigned kind = CN_SIZE_DETAILS_HEADERS; kind < CN_SIZE_POINTS; kind++)
    sum += bytes[kind];
  return sum;
}

static void count_descriptor_bytes(struct cn_function_map_size *f, struct cn_safepoint *s, const unsigned char *start)
{
  struct cn_root root;
  struct cn_described_area area;
  const unsigned char *at = s->cursor;

  CN_CHECK(start <= at); /* otherwise the sums would wrap around */
  f->bytes[CN_SIZE_FRAMES] += (uint64_t)(at - start);
  while (!cn_framemap_next_root(s, &root))
    ;
  f->bytes[CN_SIZE_ROOTS] += (uint64_t)(s->cursor - at);
  at = s->cursor;
  while (!cn_framemap_next_area(s, &area))
    ;
  f->bytes[CN_SIZE_AREAS] += (uint64_t)(s->cursor - at);
}

static void count_frame_map_bytes(struct cn_function_map_size *f, const struct cn_framemap_function *map)
{
  uint32_t packed;

  memcpy(&packed, map->data + CN_FRAMEMAP_COUNT_OFFSET, sizeof packed);
  unsigned a = packed >> 28 & 3, b = packed >> 30;
  uint64_t length = (uint64_t)(map->end - map->data);
  CN_CHECK(map->data < map->end);
  const unsigned char *starts = map->data + CN_FRAMEMAP_HEADER_BYTES + ((size_t)map->safepoints << a);
  const unsigned char *descriptors = starts + ((size_t)map->safepoints << b);
  unsigned char *met = cn_alloc(length);

  f->bytes[CN_SIZE_HEADERS] += CN_FRAMEMAP_HEADER_BYTES;
  f->bytes[CN_SIZE_RETURNS] += (uint64_t)map->safepoints << a;
  f->bytes[CN_SIZE_STARTS] += (uint64_t)map->safepoints << b;
  for (uint32_t i = 0; i < map->safepoints; i++) {
    struct cn_safepoint s;
    uint32_t start = 0;
    memcpy(&start, starts + ((size_t)i << b), (size_t)1 << b);
    if (start >= length || met[start]++ || cn_framemap_read_safepoint(map, i, &s))
      continue;
    count_descriptor_bytes(f, &s, descriptors + start);
  }
  free(met);
  uint64_t counted = cn_size_sum_frame_maps(f->bytes); /* too large if damaged descriptors overlap */
  f->bytes[CN_SIZE_PADDING] += counted < length ? length - counted : 0;
}

/* Count a function's records and scopes. The reader's position gives the bytes of deopt values and spans; sources have
 * all other bytes. */
static void count_detail_bytes(struct cn_function_map_size *f, const struct cn_details_function *details)
{
  uint64_t length = (uint64_t)(details->end - details->data), own = 0;
  unsigned char *met;

  if (!details->safepoints)
    return;
  met = cn_alloc(length);
  for (uint32_t i = 0; i < details->safepoints; i++) {
    struct cn_details d;
    struct cn_source_place source;
    struct cn_deopt_value deopt;
    struct cn_span_use span;
    uint32_t offset;
    if (cn_details_read_return_offset(details, i, &offset) || cn_details_find(details, offset, &d))
      continue;
    size_t key = (size_t)(d.cursor - details->data);
    if (key >= length || met[key]++)
      continue;
    while (!cn_details_next_source(&d, &source))
      ;
    const unsigned char *at = d.cursor;
    while (!cn_details_next_deopt(&d, &deopt))
      ;
    f->bytes[CN_SIZE_DEOPTS] += (uint64_t)(d.cursor - at);
    at = d.cursor;
    while (!cn_details_next_span_use(&d, &span))
      ;
    f->bytes[CN_SIZE_SPANS] += (uint64_t)(d.cursor - at);
  }
  free(met);
  uint32_t packed;
  memcpy(&packed, details->data, sizeof packed);
  own = 4 + ((uint64_t)details->safepoints << (packed >> 28 & 3)) + ((uint64_t)details->safepoints << (packed >> 30));
  f->bytes[CN_SIZE_DETAILS_HEADERS] += own + CN_DETAILS_FUNCTION_BYTES;
  own += f->bytes[CN_SIZE_DEOPTS] + f->bytes[CN_SIZE_SPANS];
  f->bytes[CN_SIZE_SOURCES] += length > own ? length - own : 0;
}

static int compare_by_size(const void *x, const void *y)
{
  const struct cn_function_map_size *a = x, *b = y;
  uint64_t p = cn_size_sum_frame_maps(a->bytes) + cn_size_sum_details(a->bytes) + a->bytes[CN_SIZE_POINTS];
  uint64_t q = cn_size_sum_frame_maps(b->bytes) + cn_size_sum_details(b->bytes) + b->bytes[CN_SIZE_POINTS];

  if (p != q)
    return p < q ? 1 : -1;
  return strcmp(a->name, b->name);
}

static void count_file_bytes(struct cn_file_map_size *size, const struct cn_frames_view *view)
{
  for (size_t i = 0; i < view->functions.count; i++) {
    const struct cn_frames_function *e = &view->functions.at[i];
    struct cn_function_map_size f = {
        .name = cn_strdup(e->name ? e->name : "?"), .code = e->map.code_size, .safepoints = e->map.safepoints};
    count_frame_map_bytes(&f, &e->map);
    count_detail_bytes(&f, &e->details);
    if (e->points.points)
      f.bytes[CN_SIZE_POINTS] = (uint64_t)(e->points.end - e->points.data);
    cn_push(&size->functions, f);
    size->code += f.code;
    size->safepoints += f.safepoints;
    for (unsigned kind = 0; kind < CN_SIZE_COUNT; kind++)
      size->bytes[kind] += f.bytes[kind];
  }
  if (size->functions.count)
    qsort(size->functions.at, size->functions.count, sizeof *size->functions.at, compare_by_size);
  for (uint32_t i = 1; i < view->elf.section_count; i++)
    if (view->elf.sections[i].head.sh_flags & SHF_EXECINSTR)
      size->text += view->elf.sections[i].head.sh_size;
  /* All other bytes belong to the file: zeros between maps, headers and strings of blocks. */
  uint64_t frames = cn_elf_sum_section_bytes(&view->elf, "cairn_frames");
  uint64_t details = cn_elf_sum_section_bytes(&view->elf, "cairn_details");
  uint64_t known = cn_size_sum_frame_maps(size->bytes), told = cn_size_sum_details(size->bytes);
  size->bytes[CN_SIZE_PADDING] += frames > known ? frames - known : 0;
  size->bytes[CN_SIZE_DETAILS_HEADERS] += details > told ? details - told : 0;
  uint64_t points = cn_elf_sum_section_bytes(&view->elf, "cairn_points");
  if (size->bytes[CN_SIZE_POINTS] < points)
    size->bytes[CN_SIZE_POINTS] = points;
}

/* If the object has stack maps, count their bytes and replace them by frame maps. */
static int rewrite_stack_maps(struct cn_file_map_size *size, const void *bytes, size_t length, void **out,
                              size_t *out_length, char **error)
{
  struct cn_elf_file elf;

  *out = NULL;
  if (cn_elf_open_for_port(&elf, bytes, length, error))
    return -1;
  bool is_object = elf.head.e_type == ET_REL;
  size->stack_maps = cn_elf_sum_section_bytes(&elf, ".llvm_stackmaps");
  cn_elf_close(&elf);
  if (!size->stack_maps || !is_object)
    return 0;
  return cairn_object_rewrite(bytes, length, out, out_length, error);
}

int cn_size_count_maps(struct cn_file_map_size *size, const void *bytes, size_t length, char **error)
{
  struct cn_frames_view view;
  void *object = NULL;
  size_t object_length = 0;

  *size = (struct cn_file_map_size){0};
  int status = rewrite_stack_maps(size, bytes, length, &object, &object_length, error);
  if (!status)
    status = cn_frames_view_open(&view, object ? object : bytes, object ? object_length : length, error);
  if (!status) {
    count_file_bytes(size, &view);
    cn_frames_view_close(&view);
  }
  free(object);
  return status;
}

void cn_size_free_counts(struct cn_file_map_size *size)
{
  for (size_t i = 0; i < size->functions.count; i++)
    free((char *)size->functions.at[i].name);
  cn_free(&size->functions);
}

const char *cn_size_wrong(const struct cn_file_map_size *size)
{
  struct cn_function_map_size all = {0};

  for (size_t i = 0; i < size->functions.count; i++) {
    const struct cn_function_map_size *function = &size->functions.at[i];
    all.code += function->code;
    all.safepoints += function->safepoints;
    for (unsigned kind = 0; kind < CN_SIZE_COUNT; kind++)
      all.bytes[kind] += function->bytes[kind];
  }
  if (all.code > size->code || all.safepoints > size->safepoints)
    return "size: functions have more code or safepoints than their file";
  for (unsigned kind = 0; kind < CN_SIZE_COUNT; kind++)
    if (all.bytes[kind] > size->bytes[kind])
      return "size: functions have more bytes of a kind than their file";
  return NULL;
}
