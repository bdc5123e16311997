/* Tables of call-frame information: at each moment one registered table has all parts of a slab, and the data of
 * withdrawn tables stays, which libgcc's unwinder may still read. The test takes the place of the unwinder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/code.h>
#include <cairn/patch.h>
#include "jit/linking_layer.h"
#include "jit/unwinding.h"

enum { OBJECT_BYTES = 128, MARK = 0xa5, CHURN = 0xee, ROUNDS = 1500, PARTS = 3 };

/* ---- the unwinder ---- */

static struct {
  void **parts;
  void *object;
} registered[2];
static unsigned char *withdrawn[2 * ROUNDS + 16];
static size_t withdrawals;

void __register_frame_info_table(void *parts, void *object);
void *__deregister_frame_info(const void *parts);
const void *_Unwind_Find_FDE(void *pc, void *bases);

void __register_frame_info_table(void *parts, void *object)
{
  size_t at = registered[0].parts != NULL;

  assert_null(registered[at].parts); /* two tables of a slab at most */
  registered[at].parts = parts;
  registered[at].object = object;
}

static bool has_part(void **parts, const void *part)
{
  while (*parts && *parts != part)
    parts++;
  return *parts != NULL;
}

/* The table that stays has all parts but one of the one that goes, or one more. */
void *__deregister_frame_info(const void *parts)
{
  size_t at = registered[0].parts != parts, missing = 0;
  void **others = registered[!at].parts;

  assert_ptr_equal(registered[at].parts, parts);
  for (void **part = registered[at].parts; *part; part++)
    missing += !others || !has_part(others, *part);
  assert_true(missing <= 1);
  void *object = registered[at].object;
  memset(object, MARK, OBJECT_BYTES);
  withdrawn[withdrawals++] = object;
  registered[at].parts = NULL;
  return object;
}

/* Any table has the code of the probe. */
const void *_Unwind_Find_FDE(void *pc, void *bases)
{
  (void)pc;
  (void)bases;
  return registered[0].parts || registered[1].parts ? registered : NULL;
}

/* ---- the patch room ---- */

enum cairn_status cairn_code_alias_add(uintptr_t start, uintptr_t end, void *writable)
{
  assert_true(start < end && writable);
  return CAIRN_OK;
}

enum cairn_status cairn_code_alias_remove(uintptr_t start)
{
  (void)start;
  return CAIRN_OK;
}

bool cairn_code_is_debugged(void)
{
  return false;
}

/* ---- tests ---- */

/* Memory that is free is taken again, and overwritten. */
static void churn(void)
{
  void *blocks[8];

  for (size_t i = 0; i < 8; i++) {
    blocks[i] = malloc(OBJECT_BYTES);
    memset(blocks[i], CHURN, OBJECT_BYTES);
  }
  for (size_t i = 0; i < 8; i++)
    free(blocks[i]);
}

static void assert_kept(void)
{
  size_t first = withdrawals > CN_FRAME_TABLES_KEPT ? withdrawals - CN_FRAME_TABLES_KEPT : 0;

  for (size_t i = first; i < withdrawals; i++)
    for (size_t k = 0; k < OBJECT_BYTES; k += 8)
      assert_int_equal(withdrawn[i][k], MARK);
}

static void tables_change(void **state)
{
  struct cn_slabs slabs = {.near = (uintptr_t)tables_change};
  struct cn_linked linked[PARTS] = {0};
  static uint32_t frames[PARTS][2];
  char *error;

  (void)state;
  for (size_t i = 0; i < PARTS; i++) {
    assert_true(cn_slabs_take(&slabs, CN_SLAB_CODE, 64, 1, &linked[i].code, &error));
    linked[i].frames = (uintptr_t)frames[i];
    cn_unwinding_add(&linked[i]);
  }
  withdrawals = 0; /* the probe's data is the test's own */
  for (size_t i = 0; i < ROUNDS; i++) {
    cn_unwinding_remove(&linked[i % PARTS]);
    cn_unwinding_add(&linked[i % PARTS]);
    churn();
    if (i % 100 == 99)
      assert_kept();
  }
  for (size_t i = 0; i < PARTS; i++) {
    void **table = registered[registered[0].parts == NULL].parts;
    assert_true(has_part(table, frames[i]));
    cn_unwinding_remove(&linked[i]);
    cn_slabs_give(&slabs, &linked[i].code);
  }
  assert_true(!registered[0].parts && !registered[1].parts);
  cn_slabs_free(&slabs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_change)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
