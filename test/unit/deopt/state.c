/* SPDX-License-Identifier: Apache-2.0
 *
 * States made of sites made by hand, while every allocation moves all objects and poisons their old memory: values of
 * all classes, removed objects that are shared, refer to each other and to themselves, arrays, results. And sites that
 * are refused. Wrong: a reference to an old place; an object made twice; a store without its card; a field at another
 * offset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/heap_object.h>
#include "deopt/site.h"
#include "runtime/core/image.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/roots/roots.h"

/* ---- a heap that moves all objects at each allocation ---- */

enum { MOST_OBJECTS = 40, MOST_LEFT = 400, SLOTS = 8 };
#define REGISTER cn_arch_callee_saved[0]
static const uintptr_t poison = 0xdeadbeefdeadbeef;

static struct {
  uintptr_t *block;
  size_t bytes;
} blocks[MOST_OBJECTS];
static size_t block_count, allocations;
static uintptr_t *left_memory[MOST_LEFT]; /* of objects that have moved */
static size_t left_count;
static size_t first_made; /* the number of objects before the state */
static struct cairn_collector collector = {.barriers = CAIRN_ABI_BARRIERS_CARDS};

/* The activation's stack, of which the first slot and the register are roots. */
static uintptr_t stack[SLOTS], saved_register;

static uintptr_t object_in(size_t index)
{
  return cairn_block_object((uintptr_t)blocks[index].block);
}

/* The object of a reference, which may have a tag. */
static uintptr_t *object_at(uintptr_t reference)
{
  return (uintptr_t *)(reference - cairn_words.reference);
}

/* The new address of a reference to the start of a block's object, or inside. */
static void forward(uintptr_t *slot, const uintptr_t *old, size_t bytes, uintptr_t *new)
{
  if (*slot - (uintptr_t)old < bytes)
    *slot += (uintptr_t)new - (uintptr_t)old;
}

static void forward_fields(size_t object, const uintptr_t *old, size_t bytes, uintptr_t *new)
{
  uintptr_t at = object_in(object);
  const struct cairn_layout *layout = cairn_object_layout(at);
  uint64_t payload = 0;

  assert_int_equal(cairn_object_payload(at, layout, &payload), CAIRN_OK);
  for (uint64_t offset = 0; offset < payload; offset += sizeof *old)
    if (cn_layouts_have_reference(layout, offset))
      forward((uintptr_t *)(at + offset), old, bytes, new);
}

static void move(size_t index)
{
  uintptr_t *old = blocks[index].block, *new = malloc(blocks[index].bytes);
  struct cn_root_slots handles = {0};

  memcpy(new, old, blocks[index].bytes);
  blocks[index].block = new;
  for (size_t i = 0; i < block_count; i++)
    forward_fields(i, old, blocks[index].bytes, new);
  cn_handles_begin();
  while (cn_handles_fetch_next(&handles, 1000))
    for (; handles.count > 0; handles.count--)
      forward(handles.at[handles.count - 1], old, blocks[index].bytes, new);
  forward(&stack[0], old, blocks[index].bytes, new);
  forward(&stack[1], old, blocks[index].bytes, new);
  forward(&saved_register, old, blocks[index].bytes, new);
  for (size_t i = 0; i < blocks[index].bytes / sizeof *old; i++)
    old[i] = poison;
  assert_true(left_count < MOST_LEFT);
  left_memory[left_count++] = old;
}

static uintptr_t allocate(const struct cairn_layout *layout, uint64_t count)
{
  uint64_t payload = 0;

  assert_true(block_count < MOST_OBJECTS);
  assert_int_equal(cairn_layout_payload(layout, count, &payload), CAIRN_OK);
  size_t header = layout->elem_size != 0 ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
  uintptr_t *block = calloc(1, header + payload);
  blocks[block_count].block = block;
  blocks[block_count++].bytes = header + payload;
  if (layout->elem_size != 0)
    *block++ = count << 1 | 1;
  *block = (uintptr_t)layout;
  return (uintptr_t)(block + 1) + cairn_words.reference;
}

/* ---- barriers: each store of a reference has its card ---- */

enum { MOST_RANGES = 400 };
static struct {
  uintptr_t start, end;
} covered[MOST_RANGES];
static size_t covered_count;

void __wrap_cn_barrier_range_slow_path(uintptr_t start, uint64_t bytes);
void __wrap_cn_barrier_range_slow_path(uintptr_t start, uint64_t bytes)
{
  assert_true(covered_count < MOST_RANGES);
  covered[covered_count].start = start;
  covered[covered_count++].end = start + bytes;
}

static bool is_covered(uintptr_t slot)
{
  for (size_t i = 0; i < covered_count; i++)
    if (slot >= covered[i].start && slot < covered[i].end)
      return true;
  return false;
}

/* References in objects that were made after `first` objects refer to objects, and have cards. */
static void check_references(size_t first)
{
  for (size_t i = first; i < block_count; i++) {
    uintptr_t at = object_in(i), found = 0;
    const struct cairn_layout *layout = cairn_object_layout(at);
    uint64_t payload = 0;
    assert_int_equal(cairn_object_payload(at, layout, &payload), CAIRN_OK);
    for (uint64_t offset = 0; offset < payload; offset += sizeof at) {
      uintptr_t slot = at + offset, reference = *(uintptr_t *)slot;
      if (!cn_layouts_have_reference(layout, offset) || reference == 0)
        continue;
      found = 0;
      for (size_t k = 0; k < block_count; k++)
        found += object_in(k) == (uintptr_t)object_at(reference);
      assert_int_equal(found, 1);
      assert_true(collector.barriers != CAIRN_ABI_BARRIERS_CARDS || is_covered(slot));
    }
  }
}

/* The collector knows the references that it has found. */
static void cover_references(size_t index)
{
  uintptr_t at = object_in(index);
  uint64_t payload = 0;

  assert_int_equal(cairn_object_payload(at, cairn_object_layout(at), &payload), CAIRN_OK);
  for (uint64_t offset = 0; offset < payload; offset += sizeof at)
    if (*(uintptr_t *)(at + offset) != 0)
      __wrap_cn_barrier_range_slow_path(at + offset, sizeof at);
}

typedef void *object_pointer;
object_pointer __wrap_cn_safepoint_alloc_entered(const void *regs, const struct cairn_layout *layout, uint64_t count);
object_pointer __wrap_cn_safepoint_alloc_entered(const void *regs, const struct cairn_layout *layout, uint64_t count)
{
  assert_null(regs);
  check_references(first_made);
  covered_count = 0;
  for (size_t i = 0; i < block_count; i++)
    move(i);
  for (size_t i = first_made; i < block_count; i++)
    cover_references(i);
  allocations++;
  return (void *)allocate(layout, count);
}

/* ---- the program ---- */

typedef const struct cairn_collector *collector_pointer;
collector_pointer __wrap_cn_heap_collector(void);
collector_pointer __wrap_cn_heap_collector(void)
{
  return &collector;
}

#define LAYOUT(...) {.magic = CAIRN_ABI_LAYOUT_MAGIC, __VA_ARGS__}
/* struct node { struct node *left, *right; long n; char c; short s; float f; }; struct node *[]; long[] */
static const struct cairn_layout node = LAYOUT(.base_size = 32, .base_refs = 2, .offsets = {0, 8}),
                                 references = LAYOUT(.elem_size = 8, .elem_refs = 1, .offsets = {0}),
                                 numbers = LAYOUT(.elem_size = 8, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES);

bool __wrap_cairn_layout_is_known(const struct cairn_layout *layout);
bool __wrap_cairn_layout_is_known(const struct cairn_layout *layout)
{
  return layout != (const struct cairn_layout *)&poison;
}

static const void *find_continuation(uint64_t function, uint64_t index)
{
  static const struct {
    _Alignas(16) uint64_t mark;
    uint64_t entry;
  } managed = {.mark = CAIRN_ABI_MANAGED_MARK};

  (void)index;
  return function == 99 ? NULL : function == 98 ? (const void *)&node : &managed.entry;
}

static const struct cairn_layout *find_layout(uint64_t number)
{
  static const struct cairn_layout *const layouts[] = {&node, &references, &numbers,
                                                       (const struct cairn_layout *)&poison};

  return number < 4 ? layouts[number] : NULL;
}

static const struct cairn_deopt_language mine = {.name = "mine",
                                                 .continuation = find_continuation,
                                                 .layout = find_layout},
                                         bare = {.name = "bare", .continuation = find_continuation};

static int add_languages(void **state)
{
  (void)state;
  return cairn_deopt_add_language(3, &mine) != CAIRN_OK || cairn_deopt_add_language(4, &bare) != CAIRN_OK;
}

/* ---- sites ---- */

static struct cn_operand operands[100];
static uint32_t operand_count;

static void push(enum cairn_deopt_class value_class, unsigned bits, uint64_t constant)
{
  operands[operand_count++] =
      (struct cn_operand){.value_class = (uint8_t)value_class, .bits = (uint8_t)bits, .constant = constant};
}

static void number(uint64_t constant)
{
  push(CAIRN_DEOPT_INTEGER, 64, constant);
}

static void object_number(uint32_t object)
{
  push(CAIRN_DEOPT_INTEGER, CAIRN_ABI_DEOPT_OBJECT_BITS, object);
}

static void in_slot(enum cairn_deopt_class value_class, unsigned bits, int slot)
{
  push(value_class, bits, 0);
  operands[operand_count - 1].kind = CN_OPERAND_PLACE;
  operands[operand_count - 1].loc = (struct cn_frame_place){.reg = cn_arch_sp_dwarf_number, .offset = 8 * slot};
}

static void in_register(enum cairn_deopt_class value_class, uint8_t reg)
{
  push(value_class, 64, 0);
  operands[operand_count - 1].kind = CN_OPERAND_PLACE;
  operands[operand_count - 1].loc = (struct cn_frame_place){.is_register = 1, .reg = reg};
}

static void begin_frame(uint64_t language, uint64_t function, uint64_t locals, uint64_t on_stack, uint64_t objects)
{
  number((uint64_t)CAIRN_ABI_DEOPT_FRAME << CAIRN_ABI_DEOPT_MAGIC_SHIFT);
  number(language);
  number(function);
  number(2 * function);
  number(locals | on_stack << CAIRN_ABI_DEOPT_STACK_SHIFT);
  number(objects);
}

static void begin_object(uint64_t layout, uint64_t fields, uint64_t elements)
{
  number(layout | fields << CAIRN_ABI_DEOPT_FIELDS_SHIFT);
  number(elements);
}

static void end_record(uint32_t start)
{
  operands[start].constant |= operand_count - start;
}

/* A site as sites.c makes it. */
static struct cn_deopt_site *make_site(void)
{
  struct cn_records_size size;
  struct cn_records_fault fault;
  enum cairn_status status = cn_records_check(operands, operand_count, &size, &fault);

  struct cn_deopt_site *site = calloc(1, cn_deopt_site_bytes(operand_count, &size));
  for (uint32_t i = 0; i < operand_count; i++)
    operands[i].source = (uint8_t)cn_deopt_source_of(&operands[i]);
  cn_deopt_site_write(
      site,
      &(struct cn_deopt_site){.pc = 0x1234, .status = status, .fault = fault, .operands = operand_count, .size = size},
      operands);
  assert_null(cn_deopt_site_wrong(site));
  return site;
}

static struct cn_frame activation(void)
{
  struct cn_frame frame = {.sp = (uintptr_t)stack};

  frame.place[cn_arch_callee_saved_index[REGISTER]] = &saved_register;
  return frame;
}

/* As <cairn/deopt.h> has them for managed C. */
struct item {
  uintptr_t reference;
  uint64_t word, high;
  uint32_t info, more;
};
struct state {
  uint64_t reason;
  uint32_t frames, items;
  struct item item[];
};

static void expect_item(const struct item *item, enum cairn_deopt_class value_class, unsigned bits, uint64_t word)
{
  assert_int_equal(item->info, value_class | bits << 8);
  assert_int_equal(item->word, word);
}

static void begin_test(void)
{
  for (; block_count > 0; block_count--)
    free(blocks[block_count - 1].block);
  for (; left_count > 0; left_count--)
    free(left_memory[left_count - 1]);
  operand_count = 0;
  allocations = covered_count = 0;
  collector.barriers = CAIRN_ABI_BARRIERS_CARDS;
  stack[0] = allocate(&node, 0);
  object_at(stack[0])[2] = 500;
  stack[1] = stack[0] + 16;
  saved_register = allocate(&node, 0);
  object_at(saved_register)[2] = 600;
  stack[2] = 0x1122334455667788;
  stack[3] = 42;
}

/* The buffer of the thread for states that are made without a slow path; it has words of earlier objects. */
static uintptr_t buffer[200];
static bool is_in_line;

static const struct state *make_in_line(const struct cn_deopt_site *site, const struct cn_frame *frame,
                                        struct cairn_deopt_result result)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  size_t covered_before = covered_count;

  memset(buffer, 0xcd, sizeof buffer);
  mutator->state = CAIRN_ABI_MANAGED;
  mutator->alloc = (uintptr_t)buffer;
  mutator->limit = 0;
  assert_int_equal(cn_deopt_state_make_in_line(site, frame, 77, result), 0);
  mutator->limit = (uintptr_t)(buffer + 200);
  uintptr_t state = cn_deopt_state_make_in_line(site, frame, 77, result), end = mutator->alloc;
  assert_int_equal(object_at(state), buffer + 2);
  mutator->alloc = (uintptr_t)buffer;
  mutator->limit = end - 8;
  assert_int_equal(cn_deopt_state_make_in_line(site, frame, 77, result), 0);
  assert_int_equal(mutator->alloc, buffer);
  mutator->state = CAIRN_ABI_UNATTACHED;
  assert_int_equal(covered_count, covered_before);
  for (uintptr_t block = (uintptr_t)buffer; block != end;) { /* whole blocks */
    uintptr_t object = cairn_block_object(block);
    uint64_t payload = 0;
    assert_int_equal(cairn_object_payload(object, cairn_object_layout(object), &payload), CAIRN_OK);
    block = object + ((payload + 7) & ~(uint64_t)7);
    assert_true(block <= end);
  }
  assert_int_equal(*(uintptr_t *)end, 0xcdcdcdcdcdcdcdcd);
  return (const struct state *)object_at(state);
}

static const struct state *make_state(struct cairn_deopt_result result)
{
  struct cn_deopt_site *site = make_site();
  struct cn_frame frame = activation();
  struct cairn_deopt_failure failure;

  if (cn_deopt_site_check(site, &frame, &failure) != CAIRN_OK)
    fail_msg("operand %d: %s", (int)failure.operand, failure.text);
  first_made = block_count;
  const struct state *state =
      is_in_line ? make_in_line(site, &frame, result)
                 : (const struct state *)object_at(cn_deopt_state_make(site, &frame, NULL, 77, result));
  assert_int_equal(allocations, is_in_line ? 0 : 1 + site->size.objects);
  assert_int_equal(state->reason, 77);
  assert_int_equal(state->frames, site->size.frames);
  assert_int_equal(state->items, 1 + 2 * site->size.frames + site->size.values + site->size.objects);
  check_references(first_made);
  free(site);
  return state;
}

static const struct cairn_deopt_result no_result = {CAIRN_ABI_DEOPT_RESULT_NONE, 0};

/* ---- states ---- */

static void values_of_all_classes(void **test)
{
  (void)test;
  begin_test();
  begin_frame(3 | CAIRN_ABI_DEOPT_RESULT_FLOAT << 16, 12, 7, 2, 0);
  in_slot(CAIRN_DEOPT_INTEGER, 64, 2);
  in_slot(CAIRN_DEOPT_INTEGER, 8, 2);
  in_slot(CAIRN_DEOPT_FLOAT, 32, 2);
  in_slot(CAIRN_DEOPT_VECTOR, 96, 2);
  push(CAIRN_DEOPT_UNDEFINED, 64, 0);
  in_slot(CAIRN_DEOPT_REFERENCE, 64, 0);
  in_register(CAIRN_DEOPT_REFERENCE, REGISTER);
  in_slot(CAIRN_DEOPT_REFERENCE, 64, 1); /* derived from slot 0 */
  operands[operand_count - 1].is_derived = true;
  operands[operand_count - 1].base = (struct cn_frame_place){.reg = cn_arch_sp_dwarf_number};
  push(CAIRN_DEOPT_REFERENCE, 64, 0);
  end_record(0);
  const struct state *state = make_state((struct cairn_deopt_result){CAIRN_ABI_DEOPT_RESULT_FLOAT, 5});
  expect_item(&state->item[0], CAIRN_DEOPT_FLOAT, 64, 5);
  assert_int_equal(state->item[1].word, 12);
  assert_int_equal(state->item[1].high, 24);
  assert_int_equal(state->item[1].info, 3 | CAIRN_ABI_DEOPT_RESULT_FLOAT << 16);
  assert_int_equal(state->item[1].more, 3);
  assert_int_equal(state->item[2].word, 7);
  assert_int_equal(state->item[2].high, 2);
  expect_item(&state->item[3], CAIRN_DEOPT_INTEGER, 64, 0x1122334455667788);
  expect_item(&state->item[4], CAIRN_DEOPT_INTEGER, 8, 0x88);
  expect_item(&state->item[5], CAIRN_DEOPT_FLOAT, 32, 0x55667788);
  expect_item(&state->item[6], CAIRN_DEOPT_VECTOR, 96, 0x1122334455667788);
  assert_int_equal(state->item[6].high, 42);
  expect_item(&state->item[7], CAIRN_DEOPT_UNDEFINED, 64, 0);
  expect_item(&state->item[8], CAIRN_DEOPT_REFERENCE, 64, 0);
  assert_int_equal(state->item[8].reference, stack[0]);
  expect_item(&state->item[9], CAIRN_DEOPT_REFERENCE, 64, 0);
  assert_int_equal(state->item[9].reference, saved_register);
  expect_item(&state->item[10], CAIRN_DEOPT_REFERENCE, 64, 16);
  assert_int_equal(state->item[10].reference, stack[0]);
  expect_item(&state->item[11], CAIRN_DEOPT_REFERENCE, 64, 0);
  assert_int_equal(state->item[11].reference, 0);
}

/* Two frames: object 0 of the first refers to itself and to the shared array; both frames have the array, which refers
 * to an existing object, and to a shared node with small fields; the second has a node of its own. */
static void add_removed_objects(void)
{
  begin_frame(3, 12, 1, 1, 1);
  object_number(0);
  object_number(CAIRN_ABI_DEOPT_OBJECT_SHARED);
  begin_object(0, 3, 0);
  number(0), object_number(0);
  number(8), object_number(CAIRN_ABI_DEOPT_OBJECT_SHARED);
  number(16), in_slot(CAIRN_DEOPT_INTEGER, 64, 3);
  end_record(0);
  uint32_t start = operand_count;
  begin_frame(3, 13, 2, 0, 1);
  object_number(CAIRN_ABI_DEOPT_OBJECT_SHARED);
  object_number(0);
  begin_object(0, 1, 0);
  number(0), in_register(CAIRN_DEOPT_REFERENCE, REGISTER);
  end_record(start);
  start = operand_count;
  number((uint64_t)CAIRN_ABI_DEOPT_OBJECTS << CAIRN_ABI_DEOPT_MAGIC_SHIFT);
  number(3);
  number(2);
  begin_object(1, 2, 4);
  number(8), object_number(CAIRN_ABI_DEOPT_OBJECT_SHARED + 1);
  number(24), in_slot(CAIRN_DEOPT_REFERENCE, 64, 0);
  begin_object(0, 5, 0);
  number(8), push(CAIRN_DEOPT_UNDEFINED, 64, 0);
  number(16), push(CAIRN_DEOPT_INTEGER, 32, 0x55667788);
  number(24), push(CAIRN_DEOPT_INTEGER, 1, 1);
  number(26), push(CAIRN_DEOPT_INTEGER, 16, 0x1234);
  number(28), in_slot(CAIRN_DEOPT_FLOAT, 32, 2);
  end_record(start);
}

static void removed_objects(void **test)
{
  (void)test;
  begin_test();
  add_removed_objects();
  const struct state *state = make_state(no_result);
  expect_item(&state->item[0], CAIRN_DEOPT_UNDEFINED, 64, 0);
  const uintptr_t *first = object_at(state->item[5].reference), *array = object_at(state->item[6].reference);
  const uintptr_t *own = object_at(state->item[8].reference);
  expect_item(&state->item[5], CAIRN_DEOPT_REFERENCE, 64, 0);
  assert_int_equal(state->item[7].reference, state->item[6].reference);
  assert_int_equal(first[0], state->item[5].reference);
  assert_int_equal(first[1], state->item[6].reference);
  assert_int_equal(first[2], 42);
  assert_int_equal(own[0], saved_register);
  assert_int_equal(own[1], 0);
  assert_int_equal(object_at(own[0])[2], 600);
  assert_int_equal(cairn_object_count((uintptr_t)array), 4);
  assert_int_equal(array[0] | array[2], 0);
  assert_int_equal(array[3], stack[0]);
  const unsigned char *shared = (const unsigned char *)object_at(array[1]);
  static const unsigned char expected[32] = {[16] = 0x88, 0x77, 0x66, 0x55, [24] = 1, 0,
                                             0x34,        0x12, 0x88, 0x77, 0x66,     0x55};
  assert_memory_equal(shared, expected, sizeof expected);
}

/* The result of the pending call is held while objects are allocated. */
static void reference_result(void **test)
{
  (void)test;
  begin_test();
  add_removed_objects();
  uintptr_t result = allocate(&node, 0);
  object_at(result)[2] = 700;
  const struct state *state = make_state((struct cairn_deopt_result){CAIRN_ABI_DEOPT_RESULT_REFERENCE, result});
  expect_item(&state->item[0], CAIRN_DEOPT_REFERENCE, 64, 0);
  assert_int_not_equal(state->item[0].reference, result);
  assert_int_equal(object_at(state->item[0].reference)[2], 700);
}

/* References end in 3, as in programs with such words. */
static void tagged_references(void **test)
{
  cairn_words = (struct cairn_words){7, 3};
  values_of_all_classes(test);
  removed_objects(test);
  reference_result(test);
  cairn_words = (struct cairn_words){0, 0};
}

static void in_line(void **test)
{
  is_in_line = true;
  values_of_all_classes(test);
  removed_objects(test);
  cairn_words = (struct cairn_words){7, 3};
  values_of_all_classes(test);
  removed_objects(test);
  cairn_words = (struct cairn_words){0, 0};
  is_in_line = false;
}

static void without_cards(void **test)
{
  (void)test;
  begin_test();
  collector.barriers = CAIRN_ABI_BARRIERS_SNAPSHOT;
  add_removed_objects();
  make_state(no_result);
  for (size_t i = 0; i < covered_count; i++)
    assert_int_equal(covered[i].end - covered[i].start, sizeof(uintptr_t)); /* the collector's */
}

/* ---- refused sites ---- */

static void expect_refusal(enum cairn_status status, int64_t operand, const char *text)
{
  struct cn_deopt_site *site = make_site();
  struct cn_frame frame = activation();
  struct cairn_deopt_failure failure;

  assert_int_equal(cn_deopt_site_check(site, &frame, &failure), status);
  assert_int_equal(cn_deopt_site_check(site, &frame, NULL), status);
  assert_string_equal(failure.text, text);
  assert_int_equal(failure.status, status);
  assert_int_equal(failure.operand, operand);
  assert_int_equal(failure.address, 0x1234);
  free(site);
}

/* The removed objects with one operand changed. */
#define REFUSED(at_operand, member, changed, status, operand, text) \
  do { \
    begin_test(); \
    add_removed_objects(); \
    operands[at_operand].member = (changed); \
    expect_refusal(status, operand, text); \
  } while (0)

static void refused_sites(void **test)
{
  char text[CAIRN_DEOPT_TEXT_BYTES];

  (void)test;
  REFUSED(1, constant, 5, CAIRN_E_LANGUAGE, 1, "no language has the number 5");
  REFUSED(2, constant, 99, CAIRN_E_LANGUAGE, -1, "language mine has no continuation for function 99 at 24");
  snprintf(text, sizeof text, "the continuation of language mine for function 98 at 24, %p, is not a managed function",
           (const void *)&node);
  REFUSED(2, constant, 98, CAIRN_E_LANGUAGE, -1, text);
  REFUSED(0, constant, 7, CAIRN_E_PLAIN, 0, "the deopt operands do not begin with a frame record");
  REFUSED(6, constant, 1, CAIRN_E_RECORD, 6, "there is no object of this number");
  REFUSED(8, constant, 4 | (uint64_t)3 << 32, CAIRN_E_LANGUAGE, 8, "language 3 has no layout 4");
  REFUSED(8, constant, 3 | (uint64_t)3 << 32, CAIRN_E_LANGUAGE, 8,
          "layout 3 of language mine is not a layout of the program");
  REFUSED(1, constant, 4, CAIRN_E_LANGUAGE, 8, "language 4 has no layout 0");
  REFUSED(9, constant, 1, CAIRN_E_RECORD, 9, "the layout does not have 1 elements");
  REFUSED(14, constant, 25, CAIRN_E_RECORD, 14, "the field lies outside of the object");
  REFUSED(15, value_class, CAIRN_DEOPT_REFERENCE, CAIRN_E_RECORD, 14, "the layout has no reference at the field");
  REFUSED(11, bits, 64, CAIRN_E_RECORD, 10, "the layout has a reference at the field, whose value is none");
  begin_test();
  add_removed_objects();
  operands[15].loc = (struct cn_frame_place){.is_register = 1, .reg = 0};
  expect_refusal(CAIRN_E_LOST, 15, "the value is in a register that a call may change");
  begin_test();
  add_removed_objects();
  collector.barriers = CAIRN_ABI_BARRIERS_CUSTOM;
  expect_refusal(CAIRN_E_REFUSED, -1, "the program has its own barriers, which the runtime cannot call");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_of_all_classes), cmocka_unit_test(removed_objects),   cmocka_unit_test(reference_result),
      cmocka_unit_test(without_cards),         cmocka_unit_test(tagged_references), cmocka_unit_test(in_line),
      cmocka_unit_test(refused_sites),
  };

  return cmocka_run_group_tests(tests, add_languages, NULL);
}
