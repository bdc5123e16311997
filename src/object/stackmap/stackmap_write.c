/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes LLVM's Stack Map section (stackmaps-v2.rst, "Stack Map Format"); stackmap_read.c describes the bytes. The
 * encoder runs once to check and measure, and once to write. Leaves the model unchanged; the caller owns the bytes.
 * Holds no state. An error has a status and an offset.
 */
#include <cairn/stackmap.h>

#include "base/check.h"

struct map_writer {
  unsigned char *bytes; /* null: only count */
  size_t count;
  unsigned version;
  struct cairn_stackmap_error *error;
};

static enum cairn_status fail_at_offset(const struct map_writer *w, enum cairn_status status, size_t ahead)
{
  if (w->error)
    *w->error = (struct cairn_stackmap_error){w->count + ahead, cairn_status_text(status)};
  return status;
}

static void put_integer(struct map_writer *w, uint64_t value, unsigned bytes)
{
  CN_ASSERT(bytes == 8 || (bytes < 8 && value >> 8 * bytes == 0)); /* the value fits into its bytes */
  if (w->bytes)
    for (unsigned i = 0; i < bytes; i++)
      w->bytes[w->count + i] = (unsigned char)(value >> 8 * i);
  w->count += bytes;
}

static void pad_to_8_bytes(struct map_writer *w)
{
  while (w->count % 8)
    put_integer(w, 0, 1);
}

static enum cairn_status put_functions(struct map_writer *w, const struct cairn_stackmap_model *m)
{
  uint64_t sum = 0;

  for (uint32_t i = 0; i < m->functions; i++) {
    const struct cairn_stackmap_function *f = &m->function[i];
    if (w->version > 1 && f->records > m->records - sum)
      return fail_at_offset(w, CAIRN_E_COUNT, 16);
    put_integer(w, f->address, 8);
    put_integer(w, f->stack_size, 8);
    if (w->version > 1)
      put_integer(w, f->records, 8);
    sum += f->records;
  }
  if (w->version > 1 && sum != m->records) {
    w->count = 12;
    return fail_at_offset(w, CAIRN_E_COUNT, 0);
  }
  return CAIRN_OK;
}

/* Check that the location's value equals the decoded value, which is the constant, or 0 for other kinds. */
static enum cairn_status check_location_value(const struct cairn_stackmap_model *m,
                                              const struct cairn_stackmap_location *l)
{
  uint32_t index = (uint32_t)l->offset;

  if (l->kind < CAIRN_STACKMAP_REGISTER || l->kind > CAIRN_STACKMAP_CONSTANT)
    return CAIRN_E_KIND;
  if (l->kind != CAIRN_STACKMAP_CONSTANT)
    return l->pooled || l->value ? CAIRN_E_VALUE : CAIRN_OK;
  if (l->pooled && index >= m->constants)
    return CAIRN_E_CONSTANT;
  uint64_t found = l->pooled ? m->constant[index] : (uint64_t)(int64_t)l->offset;
  return found == l->value ? CAIRN_OK : CAIRN_E_VALUE;
}

static enum cairn_status put_location(struct map_writer *w, const struct cairn_stackmap_model *m,
                                      const struct cairn_stackmap_location *l)
{
  bool wide = w->version == 3;
  enum cairn_status status = check_location_value(m, l);

  if (status < 0)
    return fail_at_offset(w, status, status == CAIRN_E_KIND ? 0 : wide ? 8 : 4);
  if (!wide && l->size > UINT8_MAX)
    return fail_at_offset(w, CAIRN_E_SIZE, 1);
  put_integer(w, l->pooled ? CAIRN_STACKMAP_CONSTANT_INDEX : l->kind, wide ? 2 : 1);
  put_integer(w, l->size, wide ? 2 : 1);
  put_integer(w, l->reg, wide ? 4 : 2);
  put_integer(w, (uint32_t)l->offset, 4);
  return CAIRN_OK;
}

static enum cairn_status put_record(struct map_writer *w, const struct cairn_stackmap_model *m,
                                    const struct cairn_stackmap_record_model *r)
{
  put_integer(w, r->record.id, 8);
  put_integer(w, r->record.instruction_offset, 4);
  put_integer(w, r->record.flags, 2);
  put_integer(w, r->record.locations, 2);
  for (uint32_t i = 0; i < r->record.locations; i++) {
    enum cairn_status status = put_location(w, m, &r->location[i]);
    if (status < 0)
      return status;
  }
  pad_to_8_bytes(w);
  put_integer(w, 0, 2);
  put_integer(w, r->record.live_outs, 2);
  for (uint32_t i = 0; i < r->record.live_outs; i++) {
    put_integer(w, r->live_out[i].reg, 2);
    put_integer(w, 0, 1);
    put_integer(w, r->live_out[i].size, 1);
  }
  pad_to_8_bytes(w);
  return CAIRN_OK;
}

static enum cairn_status put_map(struct map_writer *w, const struct cairn_stackmap_model *m)
{
  if (m->version < 1 || m->version > 3)
    return fail_at_offset(w, CAIRN_E_VERSION, 0);
  put_integer(w, m->version, 4);
  put_integer(w, m->functions, 4);
  put_integer(w, m->constants, 4);
  put_integer(w, m->records, 4);
  enum cairn_status status = put_functions(w, m);
  if (status < 0)
    return status;
  for (uint32_t i = 0; i < m->constants; i++)
    put_integer(w, m->constant[i], 8);
  for (uint32_t i = 0; i < m->records; i++) {
    status = put_record(w, m, &m->record[i]);
    if (status < 0)
      return status;
  }
  return CAIRN_OK;
}

enum cairn_status cairn_stackmap_write(const struct cairn_stackmap_model *model, void *bytes, size_t room,
                                       size_t *length, struct cairn_stackmap_error *error)
{
  struct map_writer w = {.version = model->version, .error = error};
  enum cairn_status status = put_map(&w, model);

  *length = 0;
  if (status < 0)
    return status;
  *length = w.count;
  if (w.count > room) {
    w.count = room;
    return fail_at_offset(&w, CAIRN_E_ROOM, 0);
  }
  w = (struct map_writer){.bytes = bytes, .version = model->version, .error = error};
  status = put_map(&w, model);
  CN_CHECK(status >= 0 && w.count == *length); /* the output fits into the caller's buffer */
  return status;
}
