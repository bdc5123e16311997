/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and checks a heap dump, finds the object at an address, and formats the names of fields. The size of the dump
 * bounds the memory use. References are addresses while records are read, and become object numbers after the last
 * record. Runs first in `cairn heap`. The caller owns the bytes, which stay unchanged, and the result; the file prints
 * nothing, returns errors as text, and holds no state.
 */
#include "dump/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"

struct dump_reader {
  struct cn_dump *dump;
  const unsigned char *start, *at, *end;
  const unsigned char *record; /* the start of the current record */
  const char *wrong;           /* the error in the record, or null */
  uint64_t references;         /* the number of references read so far, weak references included */
  uint64_t roots;
};

/* ---- numbers and texts ---- */

static void refuse_dump(struct dump_reader *r, const char *wrong)
{
  if (r->wrong == NULL)
    r->wrong = wrong;
  r->at = r->end;
}

static uint64_t read_number(struct dump_reader *r)
{
  uint64_t number = 0;

  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    uint64_t bits = *r->at & 127u;
    if (shift > 63 || bits << shift >> shift != bits) {
      refuse_dump(r, "a number of more than 64 bits");
      return 0;
    }
    number |= bits << shift;
    if ((*r->at++ & 128u) == 0)
      return number;
  }
  refuse_dump(r, "it ends in the middle of a record");
  return 0;
}

static int64_t read_difference(struct dump_reader *r)
{
  uint64_t number = read_number(r);

  return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/* Read a count of items that take at least `least` bytes each. */
static uint64_t read_count(struct dump_reader *r, uint64_t least)
{
  uint64_t count = read_number(r);

  CN_ASSERT(least != 0);
  if (count <= (uint64_t)(r->end - r->at) / least)
    return count;
  refuse_dump(r, "it has more than fits into the file");
  return 0;
}

/* Read a text, and replace control characters by question marks, because the text is printed on terminals. */
static char *read_text(struct dump_reader *r)
{
  uint64_t length = read_count(r, 1);
  char *text = cn_alloc(length + 1);

  memcpy(text, r->at, length);
  r->at += length;
  for (uint64_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == 127)
      text[i] = '?';
  return text;
}

/* ---- records ---- */

static void read_info_record(struct dump_reader *r)
{
  struct cn_dump *dump = r->dump;

  if (dump->program != NULL) {
    refuse_dump(r, "a second head");
    return;
  }
  dump->program = read_text(r);
  dump->collector = read_text(r);
  dump->collections = read_number(r);
  dump->heap_maximum = read_number(r);
}

static void read_fields(struct dump_reader *r, cn_dump_fields *fields)
{
  for (uint64_t left = read_count(r, 2); left > 0 && r->wrong == NULL; left--) {
    uint64_t offset = read_number(r);
    cn_push(fields, (struct cn_dump_field){offset & ~UINT64_C(1), (offset & 1) != 0, read_text(r)});
  }
}

static void read_type_record(struct dump_reader *r)
{
  struct cn_dump_type type = {.name = read_text(r)};

  read_fields(r, &type.fixed);
  type.stride = read_number(r);
  type.first = read_number(r);
  read_fields(r, &type.element);
  cn_push(&r->dump->types, type);
  if (type.element.count != 0 && type.stride == 0)
    refuse_dump(r, "a type whose elements have no size");
}

/* Find a field by its offset. References come in the order of fields, so the search begins after the last result. */
static const struct cn_dump_field *find_field(const cn_dump_fields *fields, uint64_t offset, size_t *last)
{
  for (size_t i = 0; i < fields->count; i++) {
    *last = *last + 1 < fields->count ? *last + 1 : 0;
    if (fields->at[*last].offset == offset)
      return &fields->at[*last];
  }
  return NULL;
}

/* The field at `slot`, with the index of its element in *index; null if the slot is outside all fields. */
static const struct cn_dump_field *field_at_slot(const struct cn_dump_type *type, uint64_t slot, uint64_t *index,
                                                 size_t *last)
{
  const struct cn_dump_field *field = find_field(&type->fixed, slot, last);

  *index = 0;
  if (field != NULL || slot < type->first || type->element.count == 0)
    return field;
  *index = (slot - type->first) / type->stride;
  return find_field(&type->element, (slot - type->first) % type->stride, last);
}

static void read_edges(struct dump_reader *r, const struct cn_dump_type *type, uint64_t address, uint64_t count)
{
  uint64_t slot = 0, index, bytes = r->dump->objects.at[r->dump->objects.count - 1].bytes;
  size_t last = 0;

  for (; count > 0 && r->wrong == NULL; count--) {
    slot += (uint64_t)read_difference(r) * CN_DUMP_UNIT_BYTES;
    uint64_t to = address + (uint64_t)read_difference(r) * CN_DUMP_UNIT_BYTES;
    const struct cn_dump_field *field = slot < bytes ? field_at_slot(type, slot, &index, &last) : NULL;
    if (field == NULL) {
      refuse_dump(r, "a reference where the type has none");
      return;
    }
    r->references++;
    if (field->weak)
      r->dump->weak++;
    else
      cn_push(&r->dump->edges, (struct cn_dump_edge){to, slot});
  }
}

static void read_object_record(struct dump_reader *r)
{
  struct cn_dump *dump = r->dump;
  uint64_t type = read_number(r), step = read_number(r), units = read_number(r);
  uint64_t count = read_count(r, 2), address;
  uint64_t last = dump->objects.count ? dump->objects.at[dump->objects.count - 1].address : 0;

  if (r->wrong != NULL)
    return;
  if (type >= dump->types.count) {
    refuse_dump(r, "an object of a type that has not come");
    return;
  }
  if (step == 0 || step > UINT64_MAX / 4 / CN_DUMP_UNIT_BYTES || units > UINT64_MAX / 4 / CN_DUMP_UNIT_BYTES ||
      __builtin_add_overflow(last, step * CN_DUMP_UNIT_BYTES, &address) || address > UINT64_MAX / 2 ||
      dump->objects.count >= UINT32_MAX - 2) {
    refuse_dump(r, "an object whose address or size cannot be");
    return;
  }
  cn_push(&dump->objects,
          (struct cn_dump_object){address, units * CN_DUMP_UNIT_BYTES, dump->edges.count, (uint32_t)type});
  if (__builtin_add_overflow(dump->bytes, units * CN_DUMP_UNIT_BYTES, &dump->bytes))
    refuse_dump(r, "objects that take more bytes than there can be");
  read_edges(r, &dump->types.at[type], address, count);
}

static void read_root_record(struct dump_reader *r)
{
  struct cn_dump *dump = r->dump;
  uint64_t kind = read_number(r), place = read_number(r), address = read_number(r);

  if (r->wrong != NULL)
    return;
  if (kind >= CN_DUMP_ROOT_KINDS || place >= dump->places.count) {
    refuse_dump(r, "a root of unknown kind or place");
    return;
  }
  r->roots++;
  uint32_t to = cn_dump_object_at(dump, address);
  if (to == UINT32_MAX)
    dump->astray++;
  else
    cn_push(&dump->roots, (struct cn_dump_root){(uint32_t)kind, (uint32_t)place, to});
}

static void read_end_record(struct dump_reader *r)
{
  uint64_t objects = read_number(r), references = read_number(r), roots = read_number(r);

  if (r->wrong == NULL && (objects != r->dump->objects.count || references != r->references || roots != r->roots))
    refuse_dump(r, "not as many objects, references and roots as it says");
  else if (r->wrong == NULL && r->at != r->end)
    refuse_dump(r, "bytes after the end");
}

static bool read_record(struct dump_reader *r)
{
  r->record = r->at;
  if (r->at == r->end) {
    refuse_dump(r, "it is cut short");
    return false;
  }
  unsigned char kind = *r->at++;
  if ((kind == CN_DUMP_RECORD_INFO) != (r->dump->program == NULL)) {
    refuse_dump(r, "the head is not the first record");
    return false;
  }
  switch (kind) {
  case CN_DUMP_RECORD_INFO:
    read_info_record(r);
    return true;
  case CN_DUMP_RECORD_TYPE:
    read_type_record(r);
    return true;
  case CN_DUMP_RECORD_OBJECT:
    read_object_record(r);
    return true;
  case CN_DUMP_RECORD_PLACE:
    cn_push(&r->dump->places, read_text(r));
    return true;
  case CN_DUMP_RECORD_ROOT:
    read_root_record(r);
    return true;
  case CN_DUMP_RECORD_END:
    read_end_record(r);
    return false;
  default:
    refuse_dump(r, "a record of unknown kind");
    return false;
  }
}

/* ---- references become numbers ---- */

uint32_t cn_dump_object_at(const struct cn_dump *dump, uint64_t address)
{
  size_t below = 0;

  if (dump->objects.count != 0)
    below =
        cn_sorted_count_below(&dump->objects.at->address, dump->objects.count, sizeof *dump->objects.at, address + 1);
  if (below == 0)
    return UINT32_MAX;
  const struct cn_dump_object *object = &dump->objects.at[below - 1];
  return address - object->address <= object->bytes ? (uint32_t)(below - 1) : UINT32_MAX;
}

/* The number of the object at `address`, or UINT64_MAX if no object begins there. The search starts at object `near`
 * with steps that double, because most references point to neighbours. */
static uint64_t find_object_from(const struct cn_dump *dump, uint64_t near, uint64_t address)
{
  const struct cn_dump_object *at = dump->objects.at;
  uint64_t low = near, high = near, step = 1, count = dump->objects.count;

  for (; low > 0 && at[low].address > address; step *= 2) {
    high = low;
    low = low > step ? low - step : 0;
  }
  for (step = 1; high < count && at[high].address < address; step *= 2) {
    low = high;
    high = high + step < count ? high + step : count;
  }
  low += cn_sorted_count_below(&at[low].address, high - low, sizeof *at, address);
  return low < count && at[low].address == address ? low : UINT64_MAX;
}

/* Replace addresses by object numbers. References to other addresses are omitted. */
static void resolve_edges(struct cn_dump *dump)
{
  uint64_t kept = 0;

  for (uint32_t i = 0; i < dump->objects.count; i++) {
    uint64_t from = dump->objects.at[i].edges, end = cn_dump_edges_end_of(dump, i);
    dump->objects.at[i].edges = kept;
    for (uint64_t e = from; e < end; e++) {
      struct cn_dump_edge edge = dump->edges.at[e];
      edge.to = find_object_from(dump, i, edge.to);
      if (edge.to != UINT64_MAX)
        dump->edges.at[kept++] = edge;
      else
        dump->astray++;
    }
  }
  dump->edges.count = kept;
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void number_kinds(struct cn_dump *dump)
{
  CN_VECTOR(const char *) all = {0};
  size_t kinds = 0;

  for (size_t i = 0; i < dump->types.count; i++)
    cn_push(&all, dump->types.at[i].name);
  if (all.count != 0)
    qsort(all.at, all.count, sizeof *all.at, compare_names);
  for (size_t i = 0; i < all.count; i++)
    if (i == 0 || strcmp(all.at[i], all.at[i - 1]) != 0)
      all.at[kinds++] = all.at[i];
  for (size_t i = 0; i < kinds; i++)
    cn_push(&dump->kinds, all.at[i]);
  for (size_t i = 0; i < dump->types.count; i++) {
    const char *name = dump->types.at[i].name;
    const char **found = bsearch(&name, dump->kinds.at, dump->kinds.count, sizeof *dump->kinds.at, compare_names);
    CN_CHECK(found != NULL);
    dump->types.at[i].kind = (uint32_t)(found - dump->kinds.at);
  }
  cn_free(&all);
}

char *cn_dump_format_field_name(const struct cn_dump *dump, uint32_t object, uint64_t slot)
{
  const struct cn_dump_type *type = &dump->types.at[dump->objects.at[object].type];
  uint64_t index;
  size_t last = 0;
  const struct cn_dump_field *field = field_at_slot(type, slot, &index, &last);
  size_t length = strlen(type->name);

  CN_CHECK(field != NULL); /* the reader has checked the slot */
  const char *name = field->name, *bracket = strstr(name, "[]");
  if (name[0] == '[' && length >= 2 && strcmp(type->name + length - 2, "[]") == 0)
    length -= 2;
  const char *dot = name[0] == '[' ? "" : ".";
  if (bracket == NULL)
    return cn_format("%.*s%s%s", (int)length, type->name, dot, name);
  return cn_format("%.*s%s%.*s[%" PRIu64 "]%s", (int)length, type->name, dot, (int)(bracket - name), name, index,
                   bracket + 2);
}

/* ---- the complete dump ---- */

static const char *header_wrong(const unsigned char *bytes, size_t size)
{
  size_t magic = sizeof CN_DUMP_MAGIC - 1;
  uint32_t words[2];

  if (size < magic || memcmp(bytes, CN_DUMP_MAGIC, magic) != 0)
    return "at byte 0: not a heap dump";
  if (size < CN_DUMP_HEADER_BYTES)
    return "at byte 8: it is cut short";
  memcpy(words, bytes + magic, sizeof words);
  return words[0] != CN_DUMP_VERSION || words[1] != 0 ? "at byte 8: a version that is not known" : NULL;
}

int cn_dump_read(struct cn_dump *dump, const unsigned char *bytes, size_t size, char **error)
{
  const char *wrong = header_wrong(bytes, size);
  struct dump_reader r = {.dump = dump, .start = bytes, .end = bytes + size};

  *dump = (struct cn_dump){0};
  if (wrong != NULL) {
    *error = cn_strdup(wrong);
    return -1;
  }
  r.at = bytes + CN_DUMP_HEADER_BYTES;
  while (read_record(&r) && r.wrong == NULL)
    ;
  if (r.wrong != NULL) {
    *error = cn_format("at byte %zu: %s", (size_t)(r.record - r.start), r.wrong);
    return -1;
  }
  resolve_edges(dump);
  number_kinds(dump);
  CN_ASSERT_VALID(cn_dump_wrong(dump));
  return 0;
}

const char *cn_dump_wrong(const struct cn_dump *dump)
{
  for (size_t i = 0; i < dump->edges.count; i++)
    if (dump->edges.at[i].to >= dump->objects.count)
      return "dump: a reference leads to no object";
  for (size_t i = 0; i < dump->roots.count; i++)
    if (dump->roots.at[i].to >= dump->objects.count || dump->roots.at[i].place >= dump->places.count)
      return "dump: a root leads to no object, or has no place";
  for (size_t i = 0; i < dump->objects.count; i++)
    if (dump->objects.at[i].type >= dump->types.count ||
        (i > 0 && (dump->objects.at[i].address <= dump->objects.at[i - 1].address ||
                   dump->objects.at[i].edges < dump->objects.at[i - 1].edges)))
      return "dump: objects do not ascend, or have no type";
  return NULL;
}

static void free_fields(cn_dump_fields *fields)
{
  for (size_t i = 0; i < fields->count; i++)
    free(fields->at[i].name);
  cn_free(fields);
}

void cn_dump_free(struct cn_dump *dump)
{
  for (size_t i = 0; i < dump->types.count; i++) {
    free(dump->types.at[i].name);
    free_fields(&dump->types.at[i].fixed);
    free_fields(&dump->types.at[i].element);
  }
  for (size_t i = 0; i < dump->places.count; i++)
    free(dump->places.at[i]);
  cn_free(&dump->types);
  cn_free(&dump->kinds);
  cn_free(&dump->places);
  cn_free(&dump->objects);
  cn_free(&dump->edges);
  cn_free(&dump->roots);
  free(dump->program);
  free(dump->collector);
}
