/* SPDX-License-Identifier: Apache-2.0
 *
 * The validators of frame maps and details: an error is planted in each place that one looks at. A
 * validator that finds nothing proves nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "unit/plant.h"
#include <cairn/abi.h>
#include "framemap/details_format.h"
#include "framemap/framemap_format.h"
#include "framemap/frames_x86_64.h"

/* ---- frame maps ---- */

/* The frame of rbp: its caller's at CFA - 16, rbx at CFA - 24. Below, from rbp: references at -24
 * and -32, one derived from the first at -40, areas from -96 to -48. */
enum { FIRST = -24, SECOND = -32, DERIVED = -40, ELEMENTS = -96, WORD = -48 };

static struct cn_frame_place slot(int32_t offset)
{
  return (struct cn_frame_place){.reg = CN_DWARF_RBP, .offset = offset};
}

static struct cn_root roots[] = {
    {{1, CN_DWARF_R12, 0}, {1, CN_DWARF_R12, 0}, false},
    {{0, CN_DWARF_RBP, SECOND}, {0, CN_DWARF_RBP, SECOND}, false},
    {{0, CN_DWARF_RBP, FIRST}, {0, CN_DWARF_RBP, FIRST}, false},
    {{0, CN_DWARF_RBP, FIRST}, {1, CN_DWARF_R13, 0}, true},
    {{0, CN_DWARF_RBP, FIRST}, {0, CN_DWARF_RBP, DERIVED}, true},
};
static struct cn_described_area areas[] = {
    {.reg = CN_DWARF_RBP, .offset = ELEMENTS, .count = 3, .stride = 16},
    {.reg = CN_DWARF_SP, .offset = 8, .tag = CAIRN_ABI_ROOT_USER, .count = 1, .parameter = 5},
};
static struct cn_map_safepoint safepoints[2];
static struct cn_map_function map;
static struct cn_map_safepoint *const s = &safepoints[1];

static int build_map(void **state)
{
  struct cn_safepoint frame = {.cfa_reg = CN_DWARF_RBP,
                               .cfa_offset = 16,
                               .saved = 1 << CN_RBP | 1 << CN_RBX,
                               .return_address_offset = CN_RETURN_ADDRESS_OFFSET,
                               .id = 77};

  (void)state;
  frame.saved_offset[CN_RBP] = CN_FIRST_PUSH_OFFSET;
  frame.saved_offset[CN_RBX] = CN_FIRST_PUSH_OFFSET - 8;
  safepoints[0] = (struct cn_map_safepoint){.return_offset = 5, .frame = frame};
  frame.roots = sizeof roots / sizeof *roots;
  frame.areas = sizeof areas / sizeof *areas;
  safepoints[1] = (struct cn_map_safepoint){.return_offset = 9, .frame = frame, .roots = roots, .areas = areas};
  map = (struct cn_map_function){.port = &cn_frame_port_x86_64, .name = "f", .code_size = 9};
  map.safepoints.at = safepoints;
  map.safepoints.count = 2;
  return 0;
}

#define MAP(place, value, message) PLANT(place, value, cn_map_function_wrong(&map), "frame map: " message)

static void functions(void **state)
{
  (void)state;
  MAP(map.safepoints.count, (size_t)CN_FRAMEMAP_MAX_SAFEPOINTS + 1, "a function has too many safepoints");
  MAP(map.port, NULL, "a function has no port");
  MAP(map.code_size, 8, "a return address lies outside the function");
  MAP(safepoints[0].return_offset, 0, "a return address lies outside the function");
  MAP(safepoints[0].return_offset, 9, "the return addresses do not ascend");
}

static void frames(void **state)
{
  (void)state;
  MAP(s->frame.cfa_reg, CN_DWARF_R12, "a frame address is not based on a base of the frame");
  MAP(s->frame.saved, 1 << CN_RBX, "a frame address is not based on a base of the frame");
  MAP(s->frame.cfa_offset, 0, "a frame address is not above its base");
  MAP(s->frame.cfa_offset, 20, "a frame address is not above its base");
  MAP(s->frame.saved, 1 << CN_CALLEE_SAVED_COUNT | s->frame.saved, "a register is saved that is not callee-saved");
  MAP(s->frame.saved_offset[CN_RBX], -8, "a register is saved outside the frame");
  MAP(s->frame.saved_offset[CN_RBX], -28, "a register is saved outside the frame");
  MAP(safepoints[0].frame.cfa_reg, CN_DWARF_SP, "a register is saved outside the frame");
  MAP(s->frame.return_address_offset, -16, "a return address lies outside its place");
  MAP(s->frame.return_address_offset, 0, "a return address lies outside its place");
  MAP(s->frame.saved_offset[CN_RBX], CN_FIRST_PUSH_OFFSET, "two registers are saved in one place");
}

static void places(void **state)
{
  (void)state;
  MAP(roots[0].base.reg, CN_DWARF_SP, "a reference is in a register that no call preserves");
  MAP(roots[0].base.reg, CN_DWARF_RETURN_ADDRESS, "a reference is in a register that no call preserves");
  MAP(roots[3].derived.reg, CN_DWARF_RBP, "a reference is in the base of the frame address");
  MAP(roots[1].base.reg, CN_DWARF_R12, "a slot is not based on a base of the frame");
  MAP(roots[2].derived.offset, FIRST + 4, "a slot is not aligned");
  MAP(roots[2].derived.offset, 8, "a slot lies outside the frame");  /* CFA - 8 */
  MAP(roots[2].derived.offset, -8, "a slot lies outside the frame"); /* rbx */
  MAP(roots[1].derived, ((struct cn_frame_place){0, CN_DWARF_SP, -8}), "a slot lies outside the frame");
}

static void order_of_roots(void **state)
{
  struct cn_root derived = {slot(FIRST), slot(DERIVED - 8), true};

  (void)state;
  MAP(roots[1], derived, "a base comes after a derived reference");
  MAP(roots[1], roots[2], "the places of roots do not ascend");
  MAP(roots[4].derived, roots[3].derived, "the places of roots do not ascend");
  MAP(roots[2].derived, slot(FIRST + 8), "a base has two places");
  MAP(roots[3].base, slot(DERIVED), "the base of a derived reference is not listed");
  MAP(roots[4].derived, slot(SECOND), "a place is a base's and derived");
}

static void areas_of_frames(void **state)
{
  (void)state;
  MAP(areas[0].reg, CN_DWARF_R12, "an area is not based on a base of the frame");
  MAP(areas[0].ref_offset, 8, "an area does not start at its first reference");
  MAP(areas[0].parameter, 1, "an area has a tag or a parameter of nobody");
  MAP(areas[1].tag, 1, "an area has a tag or a parameter of nobody");
  MAP(areas[0].count, 0, "the references of an area share bytes");
  MAP(areas[0].stride, 7, "the references of an area share bytes");
  MAP(areas[0].stride, UINT64_C(1) << 31, "an area is larger than a frame");
  MAP(areas[0].count, UINT64_MAX, "an area is larger than a frame");
  MAP(areas[0].count, 7, "an area lies outside the frame"); /* on rbx */
  MAP(areas[1].offset, -8, "an area lies outside the frame");
}

/* A point of a function with safepoints. */
static void regions_of_points(void **state)
{
  struct cn_map_point point = {.point = {.start = 5, .length = 4, .frame = s->frame}};

  (void)state;
  point.point.frame.roots = point.point.frame.areas = 0;
  map.points.port = map.port;
  map.points.code_size = map.code_size;
  map.points.points.at = &point;
  map.points.points.count = 1;
  MAP(map.points.port, &cn_frame_port_aarch64, "points are of another port");
  MAP(map.points.code_size, 10, "points are of a function of another size");
  MAP(safepoints[0].return_offset, 6, "a return address lies within the region of a point");
  MAP(safepoints[0].return_offset, 8, "a return address lies within the region of a point");
  PLANT(point.point.length, 5, cn_map_function_wrong(&map), "points: a region lies outside the function");
}

/* The bytes of another model. */
static void encodings(void **state)
{
  struct cn_bytes b = {0};

  (void)state;
  cn_framemap_append_function(&b, &map);
#define BYTES(place, value, message) \
  PLANT(place, value, cn_framemap_encoding_wrong(b.at, b.count, &map), "frame map: " message)
  BYTES(b.count, b.count - 4, "the bytes are not one function's");
  BYTES(b.at[CN_FRAMEMAP_LENGTH_OFFSET], 0, "the bytes are not one function's");
  BYTES(map.code_size, 10, "the bytes have another header");
  BYTES(map.safepoints.count, 1, "the bytes have another header");
#define OTHER(place, value) \
  PLANT(place, value, cn_framemap_encoding_wrong(b.at, b.count, &map), \
        "frame map: the bytes say something else of a safepoint")
  OTHER(s->return_offset, 8);
  OTHER(s->frame.id, 78);
  OTHER(s->frame.cfa_offset, 24);
  OTHER(s->frame.saved_offset[CN_RBX], -32);
  OTHER(s->frame.roots, 4);
  OTHER(roots[1].derived.offset, SECOND - 8);
  OTHER(roots[4].is_derived, false);
  OTHER(areas[0].stride, 24);
  OTHER(areas[1].parameter, 6);
  cn_free(&b);
}

/* A port whose prologues save the return address: the frame has x19, x20, x30 and x29 from CFA - 8 down. */
static void link_registers(void **state)
{
  struct cn_root root = {.base = {0, 31, 24}, .derived = {0, 31, 24}};
  struct cn_map_safepoint safepoint = {.return_offset = 4, .frame = {.cfa_reg = 31, .cfa_offset = 64}, .roots = &root};
  struct cn_map_function f = {.port = &cn_frame_port_aarch64, .name = "f", .code_size = 8};
  struct cn_safepoint *frame = &safepoint.frame;
  struct cn_saved_places shape;
  struct cn_bytes b = {0};

  (void)state;
  assert_true(f.port->fill_shape(2, &shape));
  frame->saved = shape.saved;
  frame->return_address_offset = shape.return_address;
  memcpy(frame->saved_offset, shape.offset, sizeof shape.offset);
  frame->roots = 1;
  f.safepoints.at = &safepoint;
  f.safepoints.count = 1;
#define LINK(place, value, message) PLANT(place, value, cn_map_function_wrong(&f), "frame map: " message)
  LINK(frame->return_address_offset, 0, "a return address lies outside its place");
  LINK(frame->return_address_offset, -28, "a return address lies outside its place");
  LINK(frame->return_address_offset, -72, "a return address lies outside its place");
  LINK(frame->return_address_offset, -8, "a register is saved in the place of the return address");
  LINK(frame->saved_offset[0], 0, "a register is saved outside the frame");
  LINK(frame->saved, 1 << 11 | frame->saved, "a register is saved outside the frame"); /* v8 */
  LINK(frame->saved, 1 << 19 | frame->saved, "a register is saved that is not callee-saved");
  LINK(root.base.offset, 40, "a slot lies outside the frame"); /* x30 */
  LINK(root.base.offset, 64, "a slot lies outside the frame");
  LINK(root.base, ((struct cn_frame_place){1, 30, 0}), "a reference is in a register that no call preserves");
  LINK(root.base, ((struct cn_frame_place){1, 8, 0}), "a reference is in a register that no call preserves");
  LINK(root.base, ((struct cn_frame_place){1, 64, 0}), "a reference is in a register that no call preserves");
  cn_framemap_append_function(&b, &f);
  PLANT(frame->return_address_offset, -40, cn_framemap_encoding_wrong(b.at, b.count, &f),
        "frame map: the bytes say something else of a safepoint");
  cn_free(&b);
}

/* ---- details ---- */

static void details(void **state)
{
  struct cn_source_place sources[] = {{"inner", "a.c", 1, 2}, {"outer", NULL, 0, 0}};
  struct cn_deopt_value deopts[] = {
      {.kind = CN_DEOPT_CONSTANT, .bits = 64, .size = 8, .constant = 7},
      {.kind = CN_DEOPT_VALUE, .bits = 64, .size = 8, .loc = {1, CN_DWARF_R12, 0}},
      {.kind = CN_DEOPT_ADDRESS, .bits = 64, .size = 8, .loc = {0, CN_DWARF_SP, 8}},
      {.kind = CN_DEOPT_REGISTER_AT_CALL, .bits = 64, .size = 8, .loc = {1, CN_DWARF_RBX, 0}},
  };
  struct cn_safepoint_details list[2] = {{.return_offset = 5}, {.return_offset = 9}};
  struct cn_function_details f = {.code_size = 9};

  (void)state;
  f.details.at = list;
  f.details.count = 2;
  list[1].sources.at = sources;
  list[1].sources.count = 2;
  list[1].deopts.at = deopts;
  list[1].deopts.count = 4;
#define DETAIL(place, value, message) PLANT(place, value, cn_function_details_wrong(&f), "details: " message)
  DETAIL(f.code_size, 8, "a return address lies outside the function");
  DETAIL(list[0].return_offset, 0, "a return address lies outside the function");
  DETAIL(list[0].return_offset, 9, "the return addresses do not ascend");
  DETAIL(list[1].sources.count, CN_MAX_VIRTUAL_FRAMES + 1, "a safepoint has too many virtual frames");
  DETAIL(sources[1].function, NULL, "a virtual frame has no name");
  DETAIL(deopts[0].loc.reg, 1, "a constant has a place");
  DETAIL(deopts[1].loc.offset, 8, "a register has an offset");
  DETAIL(deopts[2].loc.is_register, 1, "an address is in a register");
  DETAIL(deopts[3].loc.is_register, 0, "a value of the call is in memory");
  DETAIL(deopts[0].bits, 2, "a constant has bits above its width");
  DETAIL(deopts[1].bits, 129, "a deopt value has an unknown class or width");
  DETAIL(deopts[1].value_class, CAIRN_ABI_POINT_UNKNOWN + 1, "a deopt value has an unknown class or width");
  DETAIL(deopts[1].value_class, CAIRN_ABI_POINT_UNDEFINED,
         "a deopt value is a constant, and must be in a place, or the reverse");
  DETAIL(deopts[0].bits, 65, "a deopt value is a constant, and must be in a place, or the reverse");
  deopts[2].value_class = CAIRN_ABI_POINT_LOCAL;
  DETAIL(deopts[2].bits, 32, "an address has another width than 64 bits");
  DETAIL(deopts[0].kind, 4, "a deopt value is of no kind");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(functions, build_map),
      cmocka_unit_test_setup(frames, build_map),
      cmocka_unit_test_setup(places, build_map),
      cmocka_unit_test_setup(order_of_roots, build_map),
      cmocka_unit_test_setup(areas_of_frames, build_map),
      cmocka_unit_test_setup(regions_of_points, build_map),
      cmocka_unit_test_setup(encodings, build_map),
      cmocka_unit_test(link_registers),
      cmocka_unit_test(details),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
