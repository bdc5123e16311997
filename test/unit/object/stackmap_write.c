/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack map encoder: what it writes is decoded to the model that it was given, for random
 * models of all versions; what a map cannot hold is refused with the place where it would stand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "fuzz/exercise.h"

enum { FUNCTIONS = 6, CONSTANTS = 4, RECORDS = 12, LOCATIONS = 9, LIVE_OUTS = 5 };

struct made {
  struct cairn_stackmap_model model;
  struct cairn_stackmap_function function[FUNCTIONS];
  uint64_t constant[CONSTANTS];
  struct cairn_stackmap_record_model record[RECORDS];
  struct cairn_stackmap_location location[RECORDS][LOCATIONS];
  struct cairn_stackmap_live_out live_out[RECORDS][LIVE_OUTS];
};

static uint64_t seed = 88172645463325252;

static uint64_t any(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static uint32_t below(uint32_t n)
{
  return (uint32_t)(any() >> 32) % n;
}

static struct cairn_stackmap_location any_location(const struct cairn_stackmap_model *m)
{
  struct cairn_stackmap_location l = {.kind = (enum cairn_stackmap_kind)(1 + below(4)),
                                      .size = (uint16_t)any(),
                                      .reg = (uint16_t)any(),
                                      .offset = (int32_t)any()};

  if (m->version < 3)
    l.size &= 0xff;
  if (l.kind == CAIRN_STACKMAP_CONSTANT) {
    l.pooled = m->constants && below(2);
    if (l.pooled)
      l.offset = (int32_t)below(m->constants);
    l.value = l.pooled ? m->constant[l.offset] : (uint64_t)(int64_t)l.offset;
  }
  return l;
}

static void fill_record(struct made *made, uint32_t i)
{
  struct cairn_stackmap_record_model *r = &made->record[i];

  r->record = (struct cairn_stackmap_record){.id = any(),
                                             .instruction_offset = (uint32_t)any(),
                                             .flags = (uint16_t)any(),
                                             .locations = (uint16_t)below(LOCATIONS + 1),
                                             .live_outs = (uint16_t)below(LIVE_OUTS + 1)};
  r->location = made->location[i];
  r->live_out = made->live_out[i];
  for (uint32_t l = 0; l < r->record.locations; l++)
    made->location[i][l] = any_location(&made->model);
  for (uint32_t l = 0; l < r->record.live_outs; l++)
    made->live_out[i][l] = (struct cairn_stackmap_live_out){.reg = (uint16_t)any(), .size = (uint8_t)any()};
}

static void fill(struct made *made, unsigned version)
{
  struct cairn_stackmap_model *m = &made->model;

  memset(made, 0, sizeof *made);
  *m = (struct cairn_stackmap_model){version,        1 + below(FUNCTIONS), below(CONSTANTS + 1), below(RECORDS + 1),
                                     made->function, made->constant,       made->record};
  uint32_t left = m->records;
  for (uint32_t i = 0; i < m->functions; i++) {
    struct cairn_stackmap_function *f = &made->function[i];
    uint32_t own = i + 1 == m->functions ? left : below(left + 1);
    *f = (struct cairn_stackmap_function){.address = any(), .stack_size = any(), .records = own};
    left -= own;
  }
  for (uint32_t i = 0; i < m->constants; i++)
    made->constant[i] = any();
  for (uint32_t i = 0; i < m->records; i++)
    fill_record(made, i);
}

static void assert_same_location(struct cairn_stackmap_location a, struct cairn_stackmap_location b)
{
  assert_int_equal(a.kind, b.kind);
  assert_int_equal(a.pooled, b.pooled);
  assert_int_equal(a.size, b.size);
  assert_int_equal(a.reg, b.reg);
  assert_int_equal(a.offset, b.offset);
  assert_true(a.value == b.value);
}

static void assert_same_record(const struct cairn_stackmap *map, const struct cairn_stackmap_record *r,
                               const struct cairn_stackmap_record_model *m)
{
  assert_true(r->id == m->record.id);
  assert_int_equal(r->instruction_offset, m->record.instruction_offset);
  assert_int_equal(r->flags, m->record.flags);
  assert_int_equal(r->locations, m->record.locations);
  assert_int_equal(r->live_outs, m->record.live_outs);
  for (uint32_t l = 0; l < r->locations; l++)
    assert_same_location(cairn_stackmap_location(map, r, l), m->location[l]);
  for (uint32_t l = 0; l < r->live_outs; l++) {
    struct cairn_stackmap_live_out live = cairn_stackmap_live_out(map, r, l);
    assert_int_equal(live.reg, m->live_out[l].reg);
    assert_int_equal(live.size, m->live_out[l].size);
  }
}

static void assert_same(const struct cairn_stackmap *map, const struct cairn_stackmap_model *m)
{
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  uint32_t next = 0;

  assert_int_equal(map->version, m->version);
  assert_int_equal(map->functions, m->functions);
  assert_int_equal(map->constants, m->constants);
  assert_int_equal(map->records, m->records);
  for (uint32_t i = 0; i < m->constants; i++)
    assert_true(cairn_stackmap_constant(map, i) == m->constant[i]);
  for (uint32_t i = 0; i < m->functions; i++) {
    struct cairn_stackmap_function f = cairn_stackmap_function(map, i);
    assert_true(f.address == m->function[i].address);
    assert_true(f.stack_size == m->function[i].stack_size);
    if (m->version > 1)
      assert_true(f.records == m->function[i].records);
    for (uint64_t r = 0; r < m->function[i].records; r++, next++) {
      assert_true(cairn_stackmap_next(map, &cursor, &record));
      if (m->version > 1)
        assert_int_equal(record.function, i);
      assert_same_record(map, &record, &m->record[next]);
    }
  }
  assert_false(cairn_stackmap_next(map, &cursor, &record));
}

static void random_models(void **state)
{
  static struct made made;
  static unsigned char bytes[1 << 16];

  (void)state;
  for (unsigned round = 0; round < 3000; round++) {
    struct cairn_stackmap map;
    size_t length, again;
    fill(&made, 1 + round % 3);
    assert_int_equal(cairn_stackmap_write(&made.model, bytes, sizeof bytes, &length, NULL), 0);
    assert_int_equal(length % 8, 0);
    assert_int_equal(cairn_stackmap_open(bytes, length, &map, NULL), 0);
    assert_int_equal(map.length, length);
    assert_same(&map, &made.model);
    exercise_stackmap(bytes, length);
    struct cairn_stackmap_error error;
    assert_int_equal(cairn_stackmap_write(&made.model, NULL, 0, &again, &error), CAIRN_E_ROOM);
    assert_int_equal(again, length);
    memset(bytes, 0x55, length);
    assert_int_equal(cairn_stackmap_write(&made.model, bytes, length - 1, &again, &error), CAIRN_E_ROOM);
    assert_int_equal(error.offset, length - 1);
    assert_int_equal(bytes[0], 0x55);
  }
}

/* One function with one record: two locations and a live-out, one constant in the pool. */
static struct made *small(unsigned version)
{
  static struct made made;

  memset(&made, 0, sizeof made);
  made.model = (struct cairn_stackmap_model){version, 1, 1, 1, made.function, made.constant, made.record};
  made.function[0].records = 1;
  made.constant[0] = UINT64_C(1) << 40;
  made.record[0] = (struct cairn_stackmap_record_model){
      .record = {.locations = 2, .live_outs = 1}, .location = made.location[0], .live_out = made.live_out[0]};
  made.location[0][0] = (struct cairn_stackmap_location){.kind = CAIRN_STACKMAP_REGISTER};
  made.location[0][1] = (struct cairn_stackmap_location){.kind = CAIRN_STACKMAP_CONSTANT};
  return &made;
}

static void assert_refused(struct made *made, int status, size_t offset)
{
  unsigned char bytes[256];
  struct cairn_stackmap_error error = {0, NULL};
  size_t length = 77;

  memset(bytes, 0x55, sizeof bytes);
  assert_int_equal(cairn_stackmap_write(&made->model, bytes, sizeof bytes, &length, &error), status);
  assert_string_equal(error.reason, cairn_status_text(status));
  assert_int_equal(error.offset, offset);
  assert_int_equal(length, 0);
  for (size_t i = 0; i < sizeof bytes; i++)
    assert_int_equal(bytes[i], 0x55);
}

static void what_a_map_cannot_hold(void **state)
{
  struct made *m;

  (void)state;
  assert_refused(small(0), CAIRN_E_VERSION, 0);
  assert_refused(small(4), CAIRN_E_VERSION, 0);
  m = small(3);
  m->function[0].records = 2;
  assert_refused(m, CAIRN_E_COUNT, 32);
  m->function[0].records = UINT64_MAX;
  assert_refused(m, CAIRN_E_COUNT, 32);
  m->function[0].records = 0;
  assert_refused(m, CAIRN_E_COUNT, 12);
  /* header 16, function 24, constant 8, record 16: locations begin at 64 */
  m = small(3);
  m->location[0][0].kind = CAIRN_STACKMAP_CONSTANT_INDEX; /* `pooled` says that */
  assert_refused(m, CAIRN_E_KIND, 64);
  m->location[0][0].kind = (enum cairn_stackmap_kind)0;
  assert_refused(m, CAIRN_E_KIND, 64);
  m = small(3);
  m->location[0][1].pooled = true;
  m->location[0][1].offset = 1;
  assert_refused(m, CAIRN_E_CONSTANT, 84);
  m->location[0][1].offset = -1;
  assert_refused(m, CAIRN_E_CONSTANT, 84);
  m->location[0][1].offset = 0; /* in the pool there is another value */
  assert_refused(m, CAIRN_E_VALUE, 84);
  m = small(2);
  m->location[0][1].value = UINT64_MAX;
  assert_refused(m, CAIRN_E_VALUE, 76);
  m = small(2);
  m->location[0][0].value = 1; /* a register has none */
  assert_refused(m, CAIRN_E_VALUE, 68);
  for (unsigned version = 1; version < 3; version++) {
    m = small(version);
    m->location[0][0].size = 256;
    assert_refused(m, CAIRN_E_SIZE, version == 1 ? 57 : 65);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_models),
      cmocka_unit_test(what_a_map_cannot_hold),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
