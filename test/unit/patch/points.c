/* SPDX-License-Identifier: Apache-2.0
 *
 * Points looked up in code that the test makes. What would go wrong: a point is not found, or another is; a point of
 * code that is gone is still read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "runtime/core/lock.h"
#include "unit/patch/module.h"

static void index_is_valid(void)
{
  assert_true(cn_lock_take(CN_LOCK_PATCH));
  assert_null(cn_patch_images_wrong());
  cn_lock_release(CN_LOCK_PATCH);
}

static void look_ups(void **state)
{
  struct module m;
  struct cairn_point points[4], point;

  (void)state;
  module_begin(&m, 4096);
  module_point(&m, 0, 8, 7, CN_POINT_PATCHPOINT);
  module_point(&m, 16, 0, 8, CN_POINT_SHADOW);
  module_point(&m, 16, 0, 8, CN_POINT_SHADOW);
  module_point(&m, 16, 4, 9, CN_POINT_SHADOW);
  module_point(&m, 40, 12, 7, CN_POINT_STATEPOINT);
  module_load(&m);
  uintptr_t code = (uintptr_t)m.code;

  assert_int_equal(cairn_points_with_id(7, points, 4), 2);
  assert_true(points[0].address == code && points[0].length == 8 && points[0].kind == CAIRN_POINT_PATCHPOINT);
  assert_true(points[1].address == code + 40 && points[1].length == 12 && points[1].kind == CAIRN_POINT_STATEPOINT);
  assert_true(points[1].function == code && points[1].id == 7);
  assert_int_equal(points[0].frame_reg, CN_DWARF_SP);
  assert_int_equal(points[0].frame_offset, 16);
  assert_int_equal(points[0].saved_count, 1 + CN_ARCH_FRAME_PORT->has_link_register);
  assert_int_equal(points[0].saved[0].reg, CN_ARCH_FRAME_PORT->callee_saved[SAVED_REGISTER]);
  assert_int_equal(points[0].saved[0].offset, SAVED_OFFSET);
  if (CN_ARCH_FRAME_PORT->has_link_register)
    assert_true(points[0].saved[1].reg == CN_ARCH_FRAME_PORT->return_address &&
                points[0].saved[1].offset == RETURN_ADDRESS_OFFSET);
  assert_int_equal(cairn_points_with_id(7, points, 1), 2);
  assert_int_equal(cairn_points_with_id(8, NULL, 0), 2);
  assert_int_equal(cairn_points_with_id(10, points, 4), 0);
  assert_int_equal(cairn_points_of_function(code, points, 4), 5);
  assert_true(points[3].id == 9);
  assert_int_equal(cairn_points_of_function(code + 1, points, 4), 0);
  assert_int_equal(cairn_point_at(code + 19, &point), CAIRN_OK);
  assert_true(point.id == 9);
  assert_int_equal(cairn_point_at(code + 16, &point), CAIRN_OK);
  assert_true(point.id == 9);
  assert_int_equal(cairn_point_at(code + 8, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_point_at(code + 20, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_point_at(code + 51, &point), CAIRN_OK);
  assert_int_equal(cairn_point_at(code + 52, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_point_at(code - 1, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_point_at(0, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_point_at(UINTPTR_MAX, &point), CAIRN_E_UNKNOWN);
  index_is_valid();
  module_unload(&m);
  assert_int_equal(cairn_points_with_id(7, points, 4), 0);
  index_is_valid();
}

static void values(void **state)
{
  struct module m;
  struct cairn_point_value value;
  struct cairn_point_live_out live_out;

  (void)state;
  module_begin(&m, 4096);
  struct cn_map_point *at = module_point(&m, 0, 8, 1, CN_POINT_PATCHPOINT);
  cn_push(&at->values, (struct cn_point_value){.bits = 1, .constant = 1});
  cn_push(&at->values,
          (struct cn_point_value){CN_POINT_REFERENCE, 64, CN_POINT_MEMORY, {.reg = CN_DWARF_SP, .offset = 8}, 0});
  cn_push(&at->values,
          (struct cn_point_value){CN_POINT_FLOAT, 32, CN_POINT_REGISTER, {.is_register = 1, .reg = FIRST_VECTOR}, 0});
  cn_push(&at->live_outs, (struct cn_point_live_out){3, 8});
  cn_push(&at->live_outs, (struct cn_point_live_out){FIRST_VECTOR + 1, 16});
  at->point.values = 3;
  at->point.live_outs = 2;
  module_load(&m);
  struct cairn_point point = module_point_at(&m, 0);

  assert_int_equal(point.values, 3);
  assert_int_equal(point.live_outs, 2);
  assert_int_equal(cairn_point_read_value(&point, 0, &value), CAIRN_OK);
  assert_true(value.place == CAIRN_POINT_CONSTANT && value.constant == 1 && value.bits == 1);
  assert_int_equal(cairn_point_read_value(&point, 1, &value), CAIRN_OK);
  assert_true(value.value_class == CAIRN_POINT_REFERENCE && value.place == CAIRN_POINT_MEMORY &&
              value.reg == CN_DWARF_SP && value.offset == 8);
  assert_int_equal(cairn_point_read_value(&point, 2, &value), CAIRN_OK);
  assert_true(value.value_class == CAIRN_POINT_FLOAT && value.place == CAIRN_POINT_REGISTER &&
              value.reg == FIRST_VECTOR);
  assert_int_equal(cairn_point_read_value(&point, 3, &value), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_point_read_live_out(&point, 1, &live_out), CAIRN_OK);
  assert_true(live_out.reg == FIRST_VECTOR + 1 && live_out.size == 16);
  assert_int_equal(cairn_point_read_live_out(&point, 2, &live_out), CAIRN_E_BOUNDS);
  module_unload(&m);
  assert_int_equal(cairn_point_read_value(&point, 0, &value), CAIRN_E_GONE);
  assert_int_equal(cairn_point_read_live_out(&point, 0, &live_out), CAIRN_E_GONE);
}

/* Many modules come and go: the index keeps up, and memory stays flat. */
/* The answer stays when the region is patched; an empty region has no no-ops. */
static void regions_of_nops(void **state)
{
  static const bool nops[] = {true, false, false, true};
  struct module m;
  struct cairn_point points[4];

  (void)state;
  module_begin(&m, 4096);
  for (uint32_t i = 0; i < 4; i++)
    module_point(&m, 16 * i, i == 2 ? 0 : 8, i, CN_POINT_PATCHPOINT);
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(cn_machine_fill_nops(m.code + 16 * i, 8), CAIRN_OK);
  write_return(m.code + 16);
  module_load(&m);
  for (int patched = 0; patched < 2; patched++) {
    assert_int_equal(cairn_points_of_function((uintptr_t)m.code, points, 4), 4);
    for (unsigned i = 0; i < 4; i++)
      assert_int_equal(points[i].nops, nops[i]);
    struct cairn_patch *patch = cairn_patch_begin();
    assert_int_equal(cairn_patch_jump(patch, &points[0], (uintptr_t)m.code + 8), CAIRN_OK);
    assert_int_equal(cairn_patch_nops(patch, &points[1]), CAIRN_OK);
    assert_int_equal(cairn_patch_commit(patch, NULL), CAIRN_OK);
  }
  module_unload(&m);
}

static void unfilled_points(void **state)
{
  struct cairn_point point = {.length = 8};
  struct cairn_point_value value;
  struct cairn_point_live_out live_out;
  struct cairn_patch_failure failure;

  (void)state;
  assert_int_equal(cairn_point_read_value(&point, 0, &value), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_point_read_live_out(&point, 0, &live_out), CAIRN_E_UNKNOWN);
  struct cairn_patch *patch = cairn_patch_begin();
  assert_int_equal(cairn_patch_nops(patch, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_patch_restore(patch, &point), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_patch_commit(patch, &failure), CAIRN_E_UNKNOWN);
  assert_non_null(strstr(failure.text, "look-up"));
}

static void many_modules(void **state)
{
  enum { MODULES = 300, ROUNDS = 5 };
  static struct module all[MODULES];
  struct cairn_point point;

  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < MODULES; i++) {
      module_begin(&all[i], 4096);
      module_point(&all[i], 4, 4, (uint64_t)(i % 10), CN_POINT_SHADOW);
      module_load(&all[i]);
      if (i % 7 == 0) /* others wait for the index */
        assert_int_equal(cairn_points_with_id((uint64_t)(i % 10), NULL, 0), i / 10 + 1);
    }
    index_is_valid();
    for (int i = 0; i < MODULES; i++) {
      int k = i * 7 % MODULES;
      assert_int_equal(cairn_point_at((uintptr_t)all[k].code + 4, &point), CAIRN_OK);
      module_unload(&all[k]);
      assert_int_equal(cairn_point_at((uintptr_t)all[k].code + 4, &point), CAIRN_E_UNKNOWN);
    }
    assert_int_equal(cairn_points_with_id(3, NULL, 0), 0);
    index_is_valid();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(look_ups),        cmocka_unit_test(values),       cmocka_unit_test(regions_of_nops),
      cmocka_unit_test(unfilled_points), cmocka_unit_test(many_modules),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
