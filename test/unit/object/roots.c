/* SPDX-License-Identifier: Apache-2.0
 *
 * From a statepoint's locations to roots and areas: what the compiler makes in odd cases, and what
 * it must not make. The frame of x86-64 is 64 bytes with its frame address at RSP + 64, and has saved
 * RBX at CFA - 24 and RBP at CFA - 16.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/stackmap.h>
#include "framemap/frames_x86_64.h"
#include "object/build/frames_build.h"

struct place {
  unsigned kind, size, reg;
  int32_t offset;
};
#define REG(reg) {CAIRN_STACKMAP_REGISTER, 8, reg, 0}
#define SLOT(reg, offset) {CAIRN_STACKMAP_INDIRECT, 8, reg, offset}
#define ADDRESS(reg, offset) {CAIRN_STACKMAP_DIRECT, 8, reg, offset}
#define NUMBER(value) {CAIRN_STACKMAP_CONSTANT, 8, 0, value}
#define MARK {CAIRN_STACKMAP_CONSTANT_INDEX, 8, 0, 0}
#define SPAN_MARK {CAIRN_STACKMAP_CONSTANT_INDEX, 8, 0, 1}
#define UNDEF NUMBER((int32_t)0xfefefefe)
enum { RAX = 0, RBX = 3, RBP = 6, RSP = 7, R11 = 11, R12 = 12, R14 = 14, XMM0 = 17 };

static size_t put(unsigned char *at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (unsigned char)(value >> 8 * i);
  return bytes;
}

static size_t put_place(unsigned char *at, struct place p)
{
  size_t n = put(at, p.kind, 2);

  n += put(at + n, p.size, 2);
  n += put(at + n, p.reg, 4);
  return n + put(at + n, (uint32_t)p.offset, 4);
}

static const struct cn_frame_port *port = &cn_frame_port_x86_64;
static uint8_t saved = 1 << CN_RBX | 1 << CN_RBP, cfa_reg = 7;
static uint64_t stack_size = 56;

/* A map of one record: calling convention, deopt locations, then pairs. */
static size_t make(unsigned char *at, int convention, const struct place *places, unsigned deopt, unsigned count)
{
  size_t n = put(at, 3, 4);

  n += put(at + n, 1, 4);
  n += put(at + n, 2, 4);
  n += put(at + n, 1, 4);
  n += put(at + n, 0x1000, 8);
  n += put(at + n, stack_size, 8);
  n += put(at + n, 1, 8);
  n += put(at + n, CAIRN_ABI_ALLOCA_MARK, 8);
  n += put(at + n, CAIRN_ABI_SPAN_MARK, 8);
  n += put(at + n, 77, 8);
  n += put(at + n, 10, 4);
  n += put(at + n, 0, 2);
  n += put(at + n, 3 + count, 2);
  n += put_place(at + n, (struct place)NUMBER(convention));
  n += put_place(at + n, (struct place)NUMBER(0));
  n += put_place(at + n, (struct place)NUMBER((int32_t)deopt));
  for (unsigned i = 0; i < count; i++)
    n += put_place(at + n, places[i]);
  n = (n + 7) / 8 * 8;
  n += put(at + n, 0, 4);
  return (n + 7) / 8 * 8;
}

/* A frame of AArch64: x19 at CFA - 8, x20 at CFA - 16, x30 at CFA - 24, x29 at CFA - 32, where x29 points to. */
static struct cn_safepoint frame_of_x29(void)
{
  struct cn_saved_places places;
  struct cn_safepoint frame = {.cfa_reg = 29, .cfa_offset = 32};

  assert_true(port->fill_shape(2, &places));
  frame.saved = places.saved;
  frame.return_address_offset = places.return_address;
  memcpy(frame.saved_offset, places.offset, sizeof places.offset);
  return frame;
}

static const char *build(int convention, const struct place *places, unsigned deopt, unsigned count,
                         struct cn_map_safepoint *out)
{
  static unsigned char bytes[4096];
  struct cairn_stackmap map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;

  memset(bytes, 0, sizeof bytes);
  size_t size = make(bytes, convention, places, deopt, count);
  assert_int_equal(cairn_stackmap_open(bytes, size, &map, NULL), 0);
  assert_true(cairn_stackmap_next(&map, &cursor, &record));
  *out = (struct cn_map_safepoint){
      .frame = {.cfa_reg = cfa_reg, .cfa_offset = 64, .saved = saved, .return_address_offset = -8}};
  out->frame.saved_offset[CN_RBX] = -24;
  out->frame.saved_offset[CN_RBP] = -16;
  if (port == &cn_frame_port_aarch64)
    out->frame = frame_of_x29();
  return cn_statepoint_roots_build(port, &map, &record, 3, out);
}

static void drop(struct cn_map_safepoint *s)
{
  free(s->roots);
  free(s->areas);
  cn_safepoint_details_free(&s->detail);
}

#define COUNT(array) (unsigned)(sizeof(array) / sizeof *(array))
#define BUILD(out, ...) \
  build(0, (const struct place[]){__VA_ARGS__}, 0, COUNT(((const struct place[]){__VA_ARGS__})), out)
#define DESCRIBE(out, ...) \
  build(0, (const struct place[]){__VA_ARGS__}, COUNT(((const struct place[]){__VA_ARGS__})), \
        COUNT(((const struct place[]){__VA_ARGS__})), out)

static void assert_refused(const char *why, struct cn_map_safepoint *s, const char *expected)
{
  assert_non_null(why);
  if (!strstr(why, expected))
    fail_msg("refused because '%s', not because '%s'", why, expected);
  drop(s);
}

static void each_place_is_listed_once(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD(&s, REG(R14), REG(R14), REG(R14), REG(R14), SLOT(RSP, 8), SLOT(RSP, 8)));
  assert_int_equal(s.frame.roots, 2);
  assert_int_equal(s.roots[0].base.reg, R14);
  assert_int_equal(s.roots[1].base.offset, 8);
  drop(&s);
}

/* A base that is listed with its derived references only is a root; one of two equal bases is
 * enough. */
static void bases_of_derived_references_are_roots(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD(&s, REG(R14), SLOT(RSP, 8), REG(R12), SLOT(RSP, 8)));
  assert_int_equal(s.frame.roots, 3);
  assert_false(s.roots[0].is_derived || s.roots[1].is_derived);
  assert_true(s.roots[2].is_derived);
  assert_int_equal(s.roots[2].derived.offset, 8);
  assert_int_equal(s.roots[2].base.reg, R12);
  drop(&s);
}

/* A place that holds a base is no derived reference, whatever else is said: it would be moved
 * twice. */
static void a_base_is_not_derived(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD(&s, REG(R14), REG(R12), REG(R12), SLOT(RSP, 8)));
  assert_int_equal(s.frame.roots, 3);
  assert_false(s.roots[0].is_derived || s.roots[1].is_derived);
  assert_int_equal(s.roots[2].base.reg, R12);
  drop(&s);
}

static void constants_are_not_roots(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD(&s, NUMBER(0), NUMBER(0), UNDEF, UNDEF, NUMBER(0), REG(R12), REG(R14), NUMBER(0)));
  assert_int_equal(s.frame.roots, 1);
  assert_int_equal(s.roots[0].base.reg, R14);
  drop(&s);
  assert_refused(BUILD(&s, NUMBER(4096), NUMBER(4096)), &s, "a constant other than null");
  assert_refused(BUILD(&s, REG(R12), NUMBER(8)), &s, "a constant other than null");
  assert_null(BUILD(&s, NUMBER(4099), NUMBER(4099)));
  assert_int_equal(s.frame.roots, 0);
  drop(&s);
}

static void registers(void **state)
{
  static const struct place rax[] = {REG(RAX), REG(RAX)}, r11[] = {REG(R11), REG(R11)};
  struct cn_map_safepoint s;

  (void)state;
  assert_null(build(15, rax, 0, 2, &s));
  assert_int_equal(s.roots[0].base.reg, RAX);
  drop(&s);
  assert_refused(build(0, rax, 0, 2, &s), &s, "the call does not preserve");
  assert_refused(build(14, rax, 0, 2, &s), &s, "the call does not preserve");
  assert_refused(build(15, r11, 0, 2, &s), &s, "no call preserves");
  assert_refused(BUILD(&s, REG(RSP), REG(RSP)), &s, "no call preserves");
  assert_refused(BUILD(&s, REG(XMM0), REG(XMM0)), &s, "not in a general register");
  assert_refused(BUILD(&s, {CAIRN_STACKMAP_REGISTER, 8, R12, 8}, REG(R12)), &s, "has an offset");
}

/* Of calls that save less than C's, nothing survives in registers. */
static void conventions(void **state)
{
  static const struct place r12[] = {REG(R12), REG(R12)}, r14[] = {REG(R14), REG(R14)};
  struct cn_map_safepoint s;

  (void)state;
  assert_null(build(8, r12, 0, 2, &s));
  drop(&s);
  assert_null(build(20, r12, 0, 2, &s));
  drop(&s);
  assert_refused(build(20, r14, 0, 2, &s), &s, "the call does not preserve"); /* swifttail */
  assert_refused(build(10, r12, 0, 2, &s), &s, "the call does not preserve");
  assert_refused(build(21, r12, 0, 2, &s), &s, "the call does not preserve");
  assert_refused(build(1000, r12, 0, 2, &s), &s, "the call does not preserve");
}

/* What a frame is found by must be its own, and is no reference. */
static void bases(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  cfa_reg = RBP;
  assert_null(BUILD(&s, REG(RBX), REG(RBX), SLOT(RBP, 0), SLOT(RBP, 0)));
  drop(&s);
  assert_refused(BUILD(&s, REG(RBP), REG(RBP)), &s, "that its frame address is based on");
  cfa_reg = RSP;
  saved = 1 << CN_RBX;
  assert_null(BUILD(&s, SLOT(RBX, 8), SLOT(RBX, 8)));
  drop(&s);
  assert_refused(BUILD(&s, SLOT(RBP, -80), SLOT(RBP, -80)), &s, "not based on rsp");
  saved = 1 << CN_RBP;
  assert_refused(BUILD(&s, SLOT(RBX, 8), SLOT(RBX, 8)), &s, "not based on rsp");
  assert_refused(DESCRIBE(&s, ADDRESS(RBX, 8)), &s, "not based on rsp");
  saved = 1 << CN_RBX | 1 << CN_RBP;
}

/* The frame's size is known by the stack map alone, or not at all. */
static void sizes(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  cfa_reg = RBP;
  assert_refused(BUILD(&s, SLOT(RBP, -8), SLOT(RBP, -8)), &s, "outside the frame");
  assert_refused(BUILD(&s, SLOT(RBP, 64), SLOT(RBP, 64)), &s, "outside the frame");
  assert_null(BUILD(&s, SLOT(RSP, 32), SLOT(RSP, 32)));
  drop(&s);
  assert_refused(BUILD(&s, SLOT(RSP, 40), SLOT(RSP, 40)), &s, "on a saved register");
  assert_refused(BUILD(&s, SLOT(RSP, 64), SLOT(RSP, 64)), &s, "outside the frame");
  stack_size = UINT64_MAX;
  assert_null(BUILD(&s, SLOT(RBP, -800), SLOT(RBP, -800), SLOT(RSP, 400), SLOT(RSP, 400)));
  drop(&s);
  assert_refused(BUILD(&s, SLOT(RBP, 64), SLOT(RBP, 64)), &s, "outside the frame");
  stack_size = 56;
  cfa_reg = RSP;
}

/* The user's part of the deopt bundle. */
static void deoptimisation_state(void **state)
{
  static const struct place rax[] = {REG(RAX)}, wide[] = {{CAIRN_STACKMAP_REGISTER, 16, R12, 0}};
  struct cn_map_safepoint s;

  (void)state;
  assert_null(DESCRIBE(&s, NUMBER(-1), REG(R12), SLOT(RSP, 4), ADDRESS(RSP, 8)));
  assert_int_equal(s.detail.deopts.count, 4);
  assert_true(s.detail.deopts.at[0].constant == UINT64_MAX);
  assert_int_equal(s.detail.deopts.at[1].loc.reg, R12);
  assert_int_equal(s.detail.deopts.at[2].loc.offset, 4);
  assert_int_equal(s.detail.deopts.at[3].kind, CN_DEOPT_ADDRESS);
  drop(&s);
  assert_null(build(15, rax, 1, 1, &s));
  drop(&s);
  assert_refused(build(0, rax, 1, 1, &s), &s, "a deopt value is in a register");
  assert_refused(build(0, wide, 1, 1, &s), &s, "a deopt value is in a register");
  assert_null(DESCRIBE(&s, SLOT(RSP, 64))); /* an argument that the caller left */
  drop(&s);
  assert_refused(DESCRIBE(&s, SLOT(RSP, 56)), &s, "a deopt value lies outside the frame");
  assert_refused(DESCRIBE(&s, SLOT(RSP, 40)), &s, "a deopt value lies outside the frame");
  assert_refused(DESCRIBE(&s, SLOT(RSP, -8)), &s, "a deopt value lies outside the frame");
  assert_refused(DESCRIBE(&s, SLOT(R12, 8)), &s, "not based on rsp");
}

static void slots(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD(&s, SLOT(RSP, 32), SLOT(RSP, 32), SLOT(RBP, -400), SLOT(RBP, -400)));
  assert_int_equal(s.frame.roots, 2);
  drop(&s);
  assert_refused(BUILD(&s, SLOT(RSP, 64), SLOT(RSP, 64)), &s, "outside the frame");
  assert_refused(BUILD(&s, SLOT(RSP, 40), SLOT(RSP, 40)), &s, "on a saved register");
  assert_refused(BUILD(&s, SLOT(RSP, 48), SLOT(RSP, 48)), &s, "on a saved register");
  assert_refused(BUILD(&s, SLOT(RSP, 56), SLOT(RSP, 56)), &s, "outside the frame");
  assert_refused(BUILD(&s, SLOT(RSP, -8), SLOT(RSP, -8)), &s, "outside the frame");
  assert_refused(BUILD(&s, SLOT(RSP, 4), SLOT(RSP, 4)), &s, "not aligned");
  assert_refused(BUILD(&s, SLOT(R12, 8), SLOT(R12, 8)), &s, "not based on rsp");
  assert_refused(BUILD(&s, {CAIRN_STACKMAP_INDIRECT, 16, RSP, 0}, SLOT(RSP, 0)), &s, "8 bytes wide");
  assert_refused(BUILD(&s, {CAIRN_STACKMAP_INDIRECT, 4, RSP, 0}, SLOT(RSP, 0)), &s, "8 bytes wide");
  assert_refused(BUILD(&s, ADDRESS(RSP, 8), ADDRESS(RSP, 8), REG(R12), REG(R12)), &s, "pairs");
  assert_refused(BUILD(&s, REG(R12), REG(R12), REG(R14)), &s, "pairs");
  assert_refused(BUILD(&s, REG(R12), REG(R12), ADDRESS(RSP, 0)), &s, "an alloca is listed in gc-live");
}

static void described_allocas(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(DESCRIBE(&s, NUMBER(5), MARK, NUMBER(2), ADDRESS(RSP, 0), NUMBER(2), NUMBER(16), NUMBER(1), NUMBER(8),
                       ADDRESS(RBP, -80), NUMBER(0), NUMBER(8), NUMBER(1), NUMBER(0), NUMBER(12)));
  assert_int_equal(s.frame.areas, 1); /* no element, no area */
  assert_int_equal(s.areas[0].reg, RSP);
  assert_int_equal(s.areas[0].offset, 8);
  assert_int_equal(s.areas[0].count, 2);
  assert_int_equal(s.areas[0].stride, 16);
  drop(&s);
  assert_null(DESCRIBE(&s, NUMBER(1), NUMBER(2), NUMBER(3))); /* a user's own */
  assert_int_equal(s.frame.areas, 0);
  drop(&s);
}

#define ALLOCA(place, count, stride, offset) \
  MARK, NUMBER(1), place, NUMBER(count), NUMBER(stride), NUMBER(1), NUMBER(offset), NUMBER(7)
#define AT(reg, offset) {CAIRN_STACKMAP_DIRECT, 8, reg, offset}

#define WORD(place, tag) \
  MARK, NUMBER(1), place, NUMBER(1), NUMBER(8), NUMBER(0), NUMBER(8), NUMBER(tag), NUMBER(5), NUMBER(9)

/* The public decoder (cairn/stackmap.h) of the program's own deopt values, two locals, a word and a
 * span. */
static void decoded(void **state)
{
  const struct place places[] = {NUMBER(42), MARK,      NUMBER(3),  AT(RSP, 8),    NUMBER(2),    NUMBER(16),
                                 NUMBER(2),  NUMBER(0), NUMBER(8),  AT(RBP, -24),  NUMBER(1),    NUMBER(8),
                                 NUMBER(1),  NUMBER(0), AT(RSP, 0), NUMBER(1),     NUMBER(8),    NUMBER(0),
                                 NUMBER(8),  NUMBER(4), NUMBER(5),  NUMBER(20),    SPAN_MARK,    NUMBER(1),
                                 NUMBER(2),  NUMBER(1), NUMBER(4),  SLOT(RSP, 40), SLOT(RSP, 40)};
  enum { COUNT = sizeof places / sizeof *places };
  static unsigned char bytes[4096];
  struct cairn_stackmap map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  struct cairn_stackmap_statepoint statepoint;
  struct cairn_stackmap_described d;
  struct cairn_stackmap_area area = {0};

  (void)state;
  size_t size = make(bytes, 0, places, COUNT - 2, COUNT);
  assert_int_equal(cairn_stackmap_open(bytes, size, &map, NULL), 0);
  assert_true(cairn_stackmap_next(&map, &cursor, &record));
  assert_int_equal(cairn_stackmap_statepoint(&map, &record, &statepoint, NULL), 0);
  assert_int_equal(cairn_stackmap_described(&map, &record, &statepoint, &d, NULL), 0);
  assert_int_equal(statepoint.pairs, 1);
  assert_int_equal(d.deopt_count, 1);
  assert_int_equal(d.areas, 3);
  assert_int_equal(d.spans, 1);
  assert_true(cairn_stackmap_area(&map, &record, &d, &area));
  assert_int_equal(area.place.reg, RSP);
  assert_int_equal(area.place.offset, 8);
  assert_int_equal(area.count, 2);
  assert_int_equal(area.stride, 16);
  assert_int_equal(area.references, 2);
  assert_int_equal(cairn_stackmap_area_offset(&map, &record, &area, 1), 8);
  assert_true(cairn_stackmap_area(&map, &record, &d, &area));
  assert_int_equal(area.place.offset, -24);
  assert_int_equal(area.references, 1);
  assert_true(cairn_stackmap_area(&map, &record, &d, &area));
  assert_int_equal(area.references, 0);
  assert_int_equal(area.offset, 8);
  assert_int_equal(area.tag, 4);
  assert_int_equal(area.parameter, 5);
  assert_false(cairn_stackmap_area(&map, &record, &d, &area));
  assert_int_equal(cairn_stackmap_span(&map, &record, &d, 0).index, 2);
  assert_int_equal(cairn_stackmap_span(&map, &record, &d, 0).depth, 1);
}

/* Words of the language's own have a tag of its own. */
static void words(void **state)
{
  struct place at = AT(RSP, 0), above = AT(RSP, 48);
  struct cn_map_safepoint s;

  (void)state;
  assert_null(DESCRIBE(&s, WORD(at, CAIRN_ABI_ROOT_USER)));
  assert_int_equal(s.frame.areas, 1);
  assert_int_equal(s.areas[0].offset, 8);
  assert_int_equal(s.areas[0].tag, CAIRN_ABI_ROOT_USER);
  assert_int_equal(s.areas[0].parameter, 5);
  drop(&s);
  assert_refused(DESCRIBE(&s, WORD(at, CAIRN_ABI_ROOT_USER - 1)), &s, "malformed");
  assert_refused(DESCRIBE(&s, WORD(at, -1)), &s, "malformed");
  assert_refused(DESCRIBE(&s, WORD(above, CAIRN_ABI_ROOT_USER)), &s, "outside the frame");
}

static void wrong_descriptions(void **state)
{
  struct place at = AT(RSP, 0), above = AT(RSP, 56), below = AT(RSP, -16), loaded = SLOT(RSP, 0);
  struct cn_map_safepoint s;

  (void)state;
  assert_null(DESCRIBE(&s, ALLOCA(at, 5, 8, 0)));
  drop(&s);
  assert_refused(DESCRIBE(&s, ALLOCA(at, 6, 8, 0)), &s, "outside the frame or on a saved register");
  assert_refused(DESCRIBE(&s, ALLOCA(at, 1, 8, 40)), &s, "outside the frame or on a saved register");
  assert_refused(DESCRIBE(&s, ALLOCA(above, 1, 8, 0)), &s, "outside the frame");
  assert_refused(DESCRIBE(&s, ALLOCA(below, 1, 8, 0)), &s, "outside the frame");
  assert_refused(DESCRIBE(&s, ALLOCA(at, INT32_MAX, INT32_MAX, 0)), &s, "larger than a frame");
  assert_refused(DESCRIBE(&s, ALLOCA(at, -1, 8, 0)), &s, "larger than a frame");
  assert_refused(DESCRIBE(&s, ALLOCA(at, 1, 8, -8)), &s, "larger than a frame");
  assert_refused(DESCRIBE(&s, ALLOCA(at, 2, 4, 0)), &s, "larger than a frame");
  assert_refused(DESCRIBE(&s, ALLOCA(loaded, 1, 8, 0)), &s, "no fixed place");
  assert_refused(DESCRIBE(&s, MARK, NUMBER(1), at, NUMBER(1), NUMBER(8), NUMBER(1), NUMBER(0), NUMBER(6)), &s,
                 "malformed");
  assert_refused(DESCRIBE(&s, MARK, NUMBER(2), at, NUMBER(1), NUMBER(8), NUMBER(1), NUMBER(0), NUMBER(7)), &s,
                 "malformed");
  assert_refused(DESCRIBE(&s, MARK, NUMBER(0), NUMBER(1), NUMBER(3)), &s, "malformed");
  assert_refused(DESCRIBE(&s, MARK), &s, "malformed");
}

static void spans(void **state)
{
  struct cn_map_safepoint s;

  (void)state;
  assert_null(DESCRIBE(&s, NUMBER(5), SPAN_MARK, NUMBER(2), NUMBER(2), NUMBER(0), NUMBER(1), NUMBER(4), NUMBER(6)));
  assert_int_equal(s.detail.deopts.count, 1);
  assert_int_equal(s.detail.spans.count, 2);
  assert_int_equal(s.detail.spans.at[0].index, 2);
  assert_int_equal(s.detail.spans.at[1].depth, 4);
  drop(&s);
  assert_refused(DESCRIBE(&s, SPAN_MARK, NUMBER(0), NUMBER(1), NUMBER(0), NUMBER(4)), &s,
                 "the description of its spans is malformed");
  assert_refused(DESCRIBE(&s, SPAN_MARK, NUMBER(2), NUMBER(1), NUMBER(0), NUMBER(4)), &s,
                 "the description of its spans is malformed");
  assert_refused(DESCRIBE(&s, SPAN_MARK, NUMBER(1)), &s, "the description of its spans is malformed");
  assert_refused(DESCRIBE(&s, SPAN_MARK, NUMBER(1), NUMBER(1), NUMBER(-1), NUMBER(4)), &s,
                 "the description of its spans is malformed");
  assert_refused(DESCRIBE(&s, SPAN_MARK, NUMBER(1), NUMBER(3), NUMBER(0), NUMBER(4)), &s, "not in section cairn_spans");
  assert_refused(DESCRIBE(&s, SPAN_MARK, NUMBER(1), NUMBER(0), NUMBER(0), NUMBER(4)), &s, "not in section cairn_spans");
}

static int begin_aarch64(void **state)
{
  (void)state;
  port = &cn_frame_port_aarch64;
  stack_size = 64;
  return 0;
}

enum { X9 = 9, X19 = 19, X20 = 20, X21 = 21, X29 = 29, X30 = 30, SP = 31, V0 = 64 };
enum { PRESERVE_ALL = 15, TAIL = 18, SWIFT_TAIL = 20 };

#define BUILD_AS(convention, out, at) build(convention, (const struct place[]){at, at}, 0, 2, out)

/* The frame address gets the stack pointer as its base, and so do places that LLVM based on the frame pointer. */
static void aarch64_bases(void **state)
{
  struct place below = SLOT(X29, -8), low = SLOT(SP, 8), first = SLOT(X29, -32);
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD_AS(0, &s, below));
  assert_true(s.frame.cfa_reg == SP && s.frame.cfa_offset == 64);
  assert_true(s.roots[0].base.reg == SP && s.roots[0].base.offset == 24);
  drop(&s);
  assert_null(BUILD_AS(0, &s, first));
  assert_true(s.roots[0].base.reg == SP && s.roots[0].base.offset == 0);
  drop(&s);
  assert_null(BUILD_AS(TAIL, &s, low)); /* the callee may move its frame */
  assert_true(s.frame.cfa_reg == X29 && s.frame.cfa_offset == 32);
  assert_true(s.roots[0].base.reg == X29 && s.roots[0].base.offset == -24);
  drop(&s);
  stack_size = UINT64_MAX;
  assert_null(BUILD_AS(0, &s, below));
  assert_true(s.frame.cfa_reg == X29 && s.roots[0].base.reg == X29 && s.roots[0].base.offset == -8);
  drop(&s);
  stack_size = 64;
}

static void aarch64_slots(void **state)
{
  struct place link = SLOT(X29, 8), pointer = SLOT(X29, 0), saved_register = SLOT(SP, 56), caller = SLOT(SP, 64),
               lower = SLOT(X29, -40), third = SLOT(X21, 8);
  struct cn_map_safepoint s;

  (void)state;
  assert_refused(BUILD_AS(0, &s, link), &s, "outside the frame or on a saved register");
  assert_refused(BUILD_AS(TAIL, &s, link), &s, "outside the frame or on a saved register");
  assert_refused(BUILD_AS(0, &s, pointer), &s, "outside the frame or on a saved register");
  assert_refused(BUILD_AS(0, &s, saved_register), &s, "outside the frame or on a saved register");
  assert_refused(BUILD_AS(0, &s, caller), &s, "outside the frame or on a saved register");
  assert_refused(BUILD_AS(0, &s, lower), &s, "outside the frame or on a saved register");
  assert_refused(BUILD_AS(0, &s, third), &s, "a location is not based on sp, or on x29 or x19 with the caller's saved");
}

static void aarch64_registers(void **state)
{
  struct place x8 = REG(8), x9 = REG(X9), x15 = REG(15), x16 = REG(16), x18 = REG(18), x20 = REG(X20), x21 = REG(X21),
               x29 = REG(X29), x30 = REG(X30), sp = REG(SP), v0 = REG(V0);
  struct cn_map_safepoint s;

  (void)state;
  assert_null(BUILD_AS(0, &s, x20));
  drop(&s);
  assert_null(BUILD_AS(PRESERVE_ALL, &s, x9));
  drop(&s);
  assert_null(BUILD_AS(PRESERVE_ALL, &s, x15));
  drop(&s);
  assert_null(BUILD_AS(SWIFT_TAIL, &s, x21));
  drop(&s);
  assert_refused(BUILD_AS(SWIFT_TAIL, &s, x20), &s, "that the call does not preserve");
  assert_refused(BUILD_AS(0, &s, x9), &s, "that the call does not preserve");
  assert_refused(BUILD_AS(PRESERVE_ALL, &s, x8), &s, "that no call preserves");
  assert_refused(BUILD_AS(PRESERVE_ALL, &s, x16), &s, "that no call preserves");
  assert_refused(BUILD_AS(PRESERVE_ALL, &s, x18), &s, "that no call preserves");
  assert_refused(BUILD_AS(0, &s, x30), &s, "that no call preserves");
  assert_refused(BUILD_AS(0, &s, sp), &s, "that no call preserves");
  assert_refused(BUILD_AS(0, &s, x29), &s, "the register that its frame address is based on");
  assert_refused(BUILD_AS(0, &s, v0), &s, "not in a general register");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_place_is_listed_once),
      cmocka_unit_test(bases_of_derived_references_are_roots),
      cmocka_unit_test(a_base_is_not_derived),
      cmocka_unit_test(constants_are_not_roots),
      cmocka_unit_test(registers),
      cmocka_unit_test(conventions),
      cmocka_unit_test(bases),
      cmocka_unit_test(sizes),
      cmocka_unit_test(deoptimisation_state),
      cmocka_unit_test(slots),
      cmocka_unit_test(described_allocas),
      cmocka_unit_test(words),
      cmocka_unit_test(decoded),
      cmocka_unit_test(spans),
      cmocka_unit_test(wrong_descriptions),
      cmocka_unit_test_setup(aarch64_bases, begin_aarch64),
      cmocka_unit_test_setup(aarch64_slots, begin_aarch64),
      cmocka_unit_test_setup(aarch64_registers, begin_aarch64),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
