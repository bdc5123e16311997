/* Slabs of a session: parts are zeroed, aligned, near the program, of their own, and writable only where they should
 * be; freed parts join; empty slabs go back; a full address space and a system that refuses are errors. The test takes
 * the place of the patch room, and counts the declared code slabs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <cmocka.h>
#include <cairn/code.h>
#include <cairn/patch.h>
#include "jit/slabs.h"

static int aliases;
static enum cairn_status answer;

enum cairn_status cairn_code_alias_add(uintptr_t start, uintptr_t end, void *writable)
{
  assert_true(start < end && writable);
  aliases += answer == CAIRN_OK;
  return answer;
}

bool cairn_code_is_debugged(void)
{
  return false;
}

enum cairn_status cairn_code_alias_remove(uintptr_t start)
{
  (void)start;
  aliases--;
  return CAIRN_OK;
}

static struct cn_slabs make(void)
{
  return (struct cn_slabs){.near = (uintptr_t)make};
}

static struct cn_slab_part take(struct cn_slabs *slabs, enum cn_slab_kind kind, size_t bytes, size_t alignment)
{
  struct cn_slab_part part;
  char *error;

  assert_true(cn_slabs_take(slabs, kind, bytes, alignment, &part, &error));
  assert_null(error);
  assert_int_equal(part.address % alignment, 0);
  assert_true(part.start <= part.address && part.address + bytes <= part.start + part.bytes);
  return part;
}

/* "rwxs" of the mapping that has the address. */
static void permissions_of(uintptr_t address, char permissions[5])
{
  FILE *maps = fopen("/proc/self/maps", "r");
  unsigned long start, end;
  char line[512];

  strcpy(permissions, "?");
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %4s", &start, &end, permissions) == 3 && address >= start && address < end)
      break;
  fclose(maps);
}

static void code_is_written_elsewhere(void **state)
{
  struct cn_slabs slabs = make();
  struct cn_slab_part code = take(&slabs, CN_SLAB_CODE, 100, 16), data = take(&slabs, CN_SLAB_DATA, 100, 16);
  char permissions[5];

  (void)state;
  permissions_of(code.address, permissions);
  assert_string_equal(permissions, "r-xs");
  permissions_of((uintptr_t)code.writable, permissions);
  assert_string_equal(permissions, "rw-s");
  permissions_of(data.address, permissions);
  assert_string_equal(permissions, "rw-p");
  memcpy(code.writable, "code", 4);
  assert_memory_equal((const void *)code.address, "code", 4);
  assert_ptr_equal(data.writable, data.address);
  assert_int_equal(aliases, 1);
  const char *freed = (const char *)code.address;
  cn_slabs_give(&slabs, &code);
  assert_int_equal(*freed, 0);
  cn_slabs_give(&slabs, &data);
  cn_slabs_give(&slabs, &data); /* an empty part */
  cn_slabs_free(&slabs);
  assert_int_equal(aliases, 0);
}

/* ---- many parts ---- */

enum { PARTS = 3000, ROUNDS = 30000 };

static unsigned draw(unsigned *seed)
{
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

static void fill(const struct cn_slab_part *part, unsigned index)
{
  for (size_t i = 0; i < part->bytes / 8; i += 8)
    assert_int_equal(((const uint64_t *)part->start)[i], 0);
  memset(part->writable - (part->address - part->start), (int)(index % 255 + 1), part->bytes);
}

static void is_filled(const struct cn_slab_part *part, unsigned index)
{
  const unsigned char *bytes = (const unsigned char *)part->start;

  for (size_t i = 0; i < part->bytes; i += 63)
    assert_int_equal(bytes[i], index % 255 + 1);
}

static void parts_come_and_go(void **state)
{
  static struct cn_slab_part parts[PARTS];
  struct cn_slabs slabs = make();
  unsigned seed = 1;

  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned i = draw(&seed) % PARTS;
    if (parts[i].slab) {
      is_filled(&parts[i], i);
      cn_slabs_give(&slabs, &parts[i]);
    } else {
      size_t bytes = draw(&seed) % (draw(&seed) % 64 ? 2000 : 100000) + 1;
      parts[i] = take(&slabs, draw(&seed) % 2, bytes, (size_t)1 << draw(&seed) % 13);
      fill(&parts[i], i);
    }
    if (round % 256 == 0)
      assert_null(cn_slabs_wrong(&slabs));
  }
  assert_true(slabs.stores[CN_SLAB_CODE].count > 1);
  assert_int_equal(aliases, slabs.stores[CN_SLAB_CODE].count);
  for (unsigned i = 0; i < PARTS; i++)
    cn_slabs_give(&slabs, &parts[i]);
  assert_null(cn_slabs_wrong(&slabs));
  assert_int_equal(slabs.stores[CN_SLAB_CODE].count, 1); /* one is kept */
  assert_int_equal(slabs.stores[CN_SLAB_DATA].count, 1);
  cn_slabs_free(&slabs);
}

/* Freed neighbours join: every second part is freed, and then the others, so that a part of the whole slab fits. */
static void freed_parts_join(void **state)
{
  enum { MANY = CN_SLAB_BYTES / 1024 };
  static struct cn_slab_part parts[MANY];
  struct cn_slabs slabs = make();

  (void)state;
  for (unsigned i = 0; i < MANY; i++)
    parts[i] = take(&slabs, CN_SLAB_DATA, 1024, 1);
  assert_int_equal(slabs.stores[CN_SLAB_DATA].count, 1);
  for (unsigned i = 0; i < MANY; i += 2)
    cn_slabs_give(&slabs, &parts[i]);
  struct cn_slab_part half = take(&slabs, CN_SLAB_DATA, 1024, 1);
  assert_int_equal(slabs.stores[CN_SLAB_DATA].count, 1); /* a gap of exactly this size */
  cn_slabs_give(&slabs, &half);
  struct cn_slab_part large = take(&slabs, CN_SLAB_DATA, 1025, 1);
  assert_int_equal(slabs.stores[CN_SLAB_DATA].count, 2); /* no gap is large enough */
  cn_slabs_give(&slabs, &large);
  for (unsigned i = 1; i < MANY; i += 2)
    cn_slabs_give(&slabs, &parts[i]);
  assert_int_equal(slabs.stores[CN_SLAB_DATA].count, 1);
  struct cn_slab_part whole = take(&slabs, CN_SLAB_DATA, CN_SLAB_BYTES, 1);
  assert_int_equal(slabs.stores[CN_SLAB_DATA].count, 1);
  cn_slabs_give(&slabs, &whole);
  struct cn_slab_part huge = take(&slabs, CN_SLAB_CODE, 5 * CN_SLAB_BYTES / 2, 4096);
  cn_slabs_give(&slabs, &huge);
  assert_null(cn_slabs_wrong(&slabs));
  cn_slabs_free(&slabs);
}

/* ---- refusals ---- */

static void is_refused(struct cn_slabs *slabs, enum cn_slab_kind kind, size_t bytes, const char *reason)
{
  struct cn_slab_part part = {0};
  char *error;

  assert_false(cn_slabs_take(slabs, kind, bytes, 1, &part, &error));
  assert_non_null(strstr(error, reason));
  free(error);
  assert_null(part.slab);
  assert_null(cn_slabs_wrong(slabs));
}

static void refusals_are_errors(void **state)
{
  struct cn_slabs slabs = make();
  struct rlimit old, none;

  (void)state;
  is_refused(&slabs, CN_SLAB_DATA, (size_t)2 << 30, "are more than a module can reach");
  is_refused(&slabs, CN_SLAB_CODE, (size_t)2 << 30, "are more than a module can reach");
  answer = CAIRN_E_MEMORY;
  is_refused(&slabs, CN_SLAB_CODE, 1, "the system refuses 1048576 bytes of executable memory");
  answer = CAIRN_OK;
  getrlimit(RLIMIT_NOFILE, &old);
  none = old;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  is_refused(&slabs, CN_SLAB_CODE, 1, "executable memory (memfd_create): Too many open files");
  setrlimit(RLIMIT_NOFILE, &old);
  assert_int_equal(aliases, 0);
  struct cn_slab_part part = take(&slabs, CN_SLAB_CODE, 1, 1);
  cn_slabs_give(&slabs, &part);
  cn_slabs_free(&slabs);
}

/* All addresses near the program are taken, slab by slab. */
static void addresses_end(void **state)
{
  struct cn_slabs slabs = make();
  struct cn_slab_part part;
  char *error = NULL;
  size_t taken = 0;
  static struct cn_slab_part parts[4096];

  (void)state;
  while (taken < 4096 && cn_slabs_take(&slabs, CN_SLAB_DATA, CN_SLAB_BYTES, 1, &part, &error))
    parts[taken++] = part;
  assert_true(taken > 1000 && taken < 2048);
  assert_non_null(error);
  assert_non_null(strstr(error, "are in use"));
  free(error);
  for (size_t i = 0; i < taken; i++)
    assert_true(parts[i].address - slabs.near + ((uintptr_t)1 << 30) < (uintptr_t)2 << 30);
  for (size_t i = 0; i < taken; i++)
    cn_slabs_give(&slabs, &parts[i]);
  cn_slabs_free(&slabs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_is_written_elsewhere),
      cmocka_unit_test(parts_come_and_go),
      cmocka_unit_test(freed_parts_join),
      cmocka_unit_test(refusals_are_errors),
      cmocka_unit_test(addresses_end),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
