/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak fields, ephemerons and finalisers, as a collector of this file's calls for them: it marks
 * objects of an array, and knows what the roots are. What would go wrong: what is reachable is
 * cleared or queued, what is not stays; a chain of ephemerons takes time by the square of its
 * length; without memory for lists the result is another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "runtime/weak/finalisers.h"

uintptr_t cairn_finalise_next(unsigned queue); /* <cairn/weak.h> */

enum { KEY, VALUE, REFS, MANY = 1000000, FEW = 300 };
#define MARKED ((uintptr_t)0x0100000000000000) /* of HEADER_MARK */

/* An object: {weak reference, reference}, as a pair of plain references, an object with a weak
 * field, or an ephemeron. */
struct object {
  uintptr_t header, at[REFS];
};

static struct layouts {
  struct cairn_layout plain;
  uint32_t plain_offsets[2];
  struct cairn_layout weak;
  uint32_t weak_offsets[2];
  struct cairn_layout ephemeron;
  uint32_t ephemeron_offsets[2];
  struct cairn_layout table;
  uint32_t table_offsets[2];
} layouts = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 2, .base_size = 16},
    {0, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 2, .base_size = 16, .flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS},
    {1, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC,
     .base_refs = 2,
     .base_size = 16,
     .flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS | CAIRN_ABI_LAYOUT_EPHEMERON},
    {1, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC,
     .elem_refs = 2,
     .elem_size = 16,
     .flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS | CAIRN_ABI_LAYOUT_EPHEMERON},
    {1, 8},
};
static const struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                         .size = sizeof(struct cairn_image),
                                         .layouts_start = (const unsigned char *)&layouts,
                                         .layouts_stop = (const unsigned char *)(&layouts + 1)};

static struct object *objects;
static size_t made;
static uintptr_t *gray; /* a stack */
static size_t grays;
static uint64_t asked; /* calls of is_reached() */
static bool young;

static uintptr_t new(const struct cairn_layout *layout, uintptr_t key, uintptr_t value)
{
  objects[made] = (struct object){(uintptr_t)layout, {key, value}};
  return (uintptr_t)objects[made++].at;
}

static uintptr_t *words(uintptr_t object)
{
  return (uintptr_t *)object;
}

/* ---- the collector ---- */

static bool is_reached(void *env, struct cairn_slot slot)
{
  (void)env;
  asked++;
  return *slot.address == 0 || (*cairn_object_header(*slot.address) & MARKED) != 0;
}

static void reach(void *env, struct cairn_slot slot)
{
  uintptr_t object = *slot.address;

  if (is_reached(env, slot))
    return;
  asked--;
  *cairn_object_header(object) |= MARKED;
  if ((*cairn_object_header(object) & CAIRN_ABI_HEADER_AWAITED) != 0)
    cairn_weak_reached(object, object);
  gray[grays++] = object;
}

static void close_up(void *env)
{
  while (grays != 0) {
    uintptr_t object = gray[--grays];
    const struct cairn_layout *layout = cairn_object_layout(object);
    if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
      cairn_weak_note(object, 0, UINTPTR_MAX);
    if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) == 0)
      cairn_object_visit(object, layout, reach, env);
  }
}

static void collect(uintptr_t *roots, size_t count)
{
  static const struct cairn_closure closure = {is_reached, reach, close_up, NULL, false};
  struct cairn_closure now = closure;

  now.young = young;
  for (size_t i = 0; i < count; i++)
    reach(NULL, (struct cairn_slot){&roots[i]});
  close_up(NULL);
  asked = 0;
  cairn_weak_process(&now);
  for (size_t i = 0; i < made; i++) {
    uintptr_t header = objects[i].header;
    assert_int_equal(header & CAIRN_ABI_HEADER_AWAITED, 0);
    objects[i].header = header & ~MARKED;
    if ((header & MARKED) == 0) /* it is free */
      memset(&objects[i], 0, sizeof objects[i]);
  }
}

static bool is_free(uintptr_t object)
{
  return *cairn_object_header(object) == 0;
}

static int begin(void **state)
{
  (void)state;
  made = 0;
  young = false;
  return 0;
}

/* ---- tests ---- */

static void weak_fields(void **state)
{
  uintptr_t held = new(&layouts.plain, 0, 0), dead = new(&layouts.plain, 0, 0);
  uintptr_t roots[] = {new(&layouts.weak, held, held), new(&layouts.weak, dead, 0)};

  (void)state;
  collect(roots, 2);
  assert_int_equal(words(roots[0])[KEY], held);
  assert_int_equal(words(roots[1])[KEY], 0);
  assert_true(is_free(dead));
}

/* Each value is the key of another ephemeron, which comes later, or before. */
static uintptr_t chain(size_t count, bool backwards, uintptr_t first)
{
  uintptr_t list = 0;

  assert_int_equal(made, 0); /* the first objects are the list */
  for (size_t i = 0; i < count; i++)
    list = new(&layouts.plain, list, 0);
  uintptr_t key = first;
  for (size_t i = 0; i < count; i++) {
    uintptr_t value = new(&layouts.plain, 0, 0);
    objects[backwards ? count - 1 - i : i].at[VALUE] = new(&layouts.ephemeron, key, value);
    key = value;
  }
  return list;
}

static void check_chain(size_t count, bool alive)
{
  for (size_t i = 0; i < count; i++) {
    uintptr_t ephemeron = objects[i].at[VALUE];
    assert_int_equal(words(ephemeron)[KEY] != 0, alive);
    assert_int_equal(words(ephemeron)[VALUE] != 0, alive);
  }
}

static void long_chains(void **state)
{
  (void)state;
  for (int backwards = 0; backwards < 2; backwards++) {
    made = 0;
    uintptr_t list = chain(MANY, backwards, 0);
    uintptr_t key = new(&layouts.plain, 0, 0), roots[] = {list, key};
    uintptr_t start = objects[backwards ? MANY - 1 : 0].at[VALUE];
    words(start)[KEY] = key;
    collect(roots, 2);
    check_chain(MANY, true);
    assert_true(asked <= (uint64_t)6 * MANY);
    roots[1] = 0;
    collect(roots, 2);
    check_chain(MANY, false);
    assert_true(asked <= (uint64_t)6 * MANY);
  }
}

/* What is mapped is all that there will be. */
static void limit_memory(void)
{
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;

  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE);
  assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}), 0);
}

static void without_memory(void **state)
{
  uintptr_t list = chain(FEW, false, 0); /* the last one is looked at first */
  uintptr_t key = new(&layouts.plain, 0, 0), roots[] = {list, key};
  int status;

  (void)state;
  words(objects[0].at[VALUE])[KEY] = key;
  collect(roots, 2); /* its table of parts stays */
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    limit_memory();
    collect(roots, 2);
    check_chain(FEW, true);
    if (asked < FEW * FEW / 2)
      _exit(3); /* there was memory */
    roots[1] = 0;
    collect(roots, 2);
    check_chain(FEW, false);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/* A key may be alive by the value of the same ephemeron alone: then it is not. */
static void own_value(void **state)
{
  uintptr_t key = new(&layouts.plain, 0, 0), leads = new(&layouts.plain, key, 0);
  uintptr_t roots[] = {new(&layouts.ephemeron, key, leads)};

  (void)state;
  collect(roots, 1);
  assert_int_equal(words(roots[0])[KEY] | words(roots[0])[VALUE], 0);
  assert_true(is_free(key) && is_free(leads));
  words(roots[0])[VALUE] = new(&layouts.plain, 0, 0); /* no key: the value is as any field's */
  collect(roots, 1);
  assert_int_not_equal(words(roots[0])[VALUE], 0);
}

static void elements(void **state)
{
  uintptr_t dead = new(&layouts.plain, 0, 0), alive = new(&layouts.plain, 0, 0);
  uintptr_t value = new(&layouts.plain, 0, 0), other = new(&layouts.plain, 0, 0);

  (void)state;
  objects[made].at[KEY] = 0;
  uintptr_t *table = objects[made].at + 1;
  made += 4;
  memset(table - 2, 0, 8 * sizeof *table);
  table[-2] = 3 << 1 | 1;
  table[-1] = (uintptr_t)&layouts.table;
  table[0] = dead, table[1] = other;
  table[2] = alive, table[3] = value;
  table[4] = value, table[5] = alive;
  uintptr_t roots[] = {(uintptr_t)table, alive};
  for (size_t i = 0; i < 2; i++)
    reach(NULL, (struct cairn_slot){&roots[i]});
  close_up(NULL);
  cairn_weak_process(&(struct cairn_closure){is_reached, reach, close_up, NULL, false});
  assert_int_equal(table[0] | table[1], 0);
  assert_int_equal(table[2], alive);
  assert_int_equal(table[3], value);
  assert_int_equal(table[4], value);
  assert_int_equal(table[5], alive);
}

static void finalisers(void **state)
{
  uintptr_t c = new(&layouts.plain, 0, 0), b = new(&layouts.plain, c, 0), a = new(&layouts.plain, 0, b);
  uintptr_t seen = new(&layouts.weak, b, 0), of_a = new(&layouts.weak, c, 0);
  uintptr_t roots[] = {seen, a};

  (void)state;
  words(a)[KEY] = of_a;
  cn_finalisers_add_object(c);
  cn_finalisers_add_object(a);
  cn_finalisers_add_object(b);
  collect(roots, 2);
  assert_int_equal(cairn_finalise_next(0), 0);
  roots[1] = 0;
  young = true; /* they have been looked at */
  for (uintptr_t i = 0; i < 3; i++)
    objects[i].header |= MARKED;
  objects[4].header |= MARKED;
  collect(roots, 1);
  assert_int_equal(cairn_finalise_next(0), 0);
  young = false;
  words(seen)[KEY] = b;
  collect(roots, 1);
  assert_int_equal(words(seen)[KEY], 0);
  assert_int_equal(words(of_a)[KEY], c); /* both are kept for the finaliser */
  assert_int_equal(cairn_finalise_next(0), a);
  assert_int_equal(cairn_finalise_next(0), b);
  assert_int_equal(cairn_finalise_next(0), c);
  assert_int_equal(cairn_finalise_next(0), 0);
  collect(roots, 1);
  assert_int_equal(cairn_finalise_next(0), 0);
  assert_true(is_free(a) && is_free(b) && is_free(c));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(weak_fields, begin),    cmocka_unit_test_setup(long_chains, begin),
      cmocka_unit_test_setup(without_memory, begin), cmocka_unit_test_setup(own_value, begin),
      cmocka_unit_test_setup(elements, begin),       cmocka_unit_test_setup(finalisers, begin),
  };

  objects = calloc(3 * MANY + 8, sizeof *objects);
  gray = calloc(3 * MANY + 8, sizeof *gray);
  cairn_image_register(&image);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
