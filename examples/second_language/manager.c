/* SPDX-License-Identifier: Apache-2.0
 *
 * What the other language (language.S) tells Cairn about its frames: two code info managers, a
 * handler for its own kind of root; and native code between them, which looks at the stack.
 */
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The registers that language_mix saves; those that any call loses; and what the barrier saves, from
 * the SP of its frame. A register has its DWARF number. */
#ifdef __aarch64__
enum { NODE = 19, VALUE = 20, ELEMENT = 21, BARRIER_WORDS = 20 };
#define LOST_REGISTERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 30
static const struct saved {
  uint8_t reg, word;
} saved_by_barrier[] = {{0, 0},   {1, 1},   {2, 2},   {3, 3},   {4, 4},   {5, 5},
                        {6, 6},   {7, 7},   {8, 8},   {9, 9},   {10, 10}, {11, 11},
                        {12, 12}, {13, 13}, {14, 14}, {15, 15}, {16, 16}, {17, 17}};
#else
enum { NODE = 3, VALUE = 12, ELEMENT = 13, BARRIER_WORDS = 11 };
#define LOST_REGISTERS 0, 1, 2, 4, 5, 8, 9, 10, 11
static const struct saved {
  uint8_t reg, word;
} saved_by_barrier[] = {{11, 1}, {10, 2}, {9, 3}, {8, 4}, {5, 5}, {4, 6}, {1, 7}, {2, 8}, {0, 9}};
#endif
enum { CALLS = 3, LINE = 0x11e };

struct root {
  uint8_t in_register, place, tag, parameter;
};

/* What is known of a call: a name, and the roots that live over it. */
struct call {
  uint32_t offset, roots;
  char name[8];
  struct root root[12];
};

extern const struct call language_calls[CALLS];
extern const char language_start[], language_end[], barrier_start[], barrier_end[];
extern long managed_turn(long turns); /* managed code */
extern void native_raise(void) __attribute__((weak));

static void check(bool good, const char *what)
{
  if (!good) {
    fprintf(stderr, "wrong: %s\n", what);
    abort();
  }
}

/* ---- the language's frames ---- */

static const struct call *call_of(const struct cairn_stack_iterator *iterator)
{
  uintptr_t offset = cairn_stack_ip(iterator) - (uintptr_t)language_start;

  for (int i = 0; i < CALLS; i++)
    if (language_calls[i].offset == offset)
      return &language_calls[i];
  check(false, "no such call");
  return NULL;
}

static int describe(const struct cairn_stack_iterator *iterator, char *buffer, size_t size,
                    void *data)
{
  return snprintf(buffer, size, "%s language_mix, at its call of %s", (const char *)data,
                  call_of(iterator)->name);
}

static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  static const uint8_t lost[] = {LOST_REGISTERS};
  struct cairn_stack_state state;

  (void)data;
  cairn_stack_get(iterator, &state);
  uintptr_t end = state.sp + *(uintptr_t *)state.sp;
  state.pc = (uintptr_t *)end;
  state.sp = end + 8;
  state.reg[ELEMENT] = (uintptr_t *)(end - 32);
  state.reg[VALUE] = (uintptr_t *)(end - 40);
  state.reg[NODE] = (uintptr_t *)(end - 48);
  for (size_t i = 0; i < sizeof lost; i++)
    state.reg[lost[i]] = NULL;
  cairn_stack_set(iterator, &state);
}

static void enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                      void *env, void *data)
{
  const struct call *call = call_of(iterator);
  struct cairn_stack_state state;

  (void)data;
  cairn_stack_get(iterator, &state);
  for (uint32_t i = 0; i < call->roots; i++) {
    const struct root *root = &call->root[i];
    uintptr_t *slot = root->in_register ? state.reg[root->place]
                                        : (uintptr_t *)(state.sp + root->place);
    check(slot != NULL, "a register is lost");
    void *parameter = (void *)(uintptr_t)root->parameter;
    if (root->tag == CAIRN_ROOT_BASE)
      parameter = (void *)(state.sp + root->parameter);
    callback(env, slot, root->tag, parameter);
  }
}

/* Spans of the language: LINE round each call, the number of roots being the line. */
static bool span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value,
                 void *data)
{
  (void)data;
  if (key != LINE)
    return false;
  *value = call_of(iterator)->roots;
  return true;
}

static const struct cairn_code_manager language = {"language", describe, previous, enumerate, span};

/* ---- the collector's barrier ---- */

/* It has saved all registers, so that its caller may have roots in any. */
static void previous_of_barrier(struct cairn_stack_iterator *iterator, void *data)
{
  struct cairn_stack_state state;

  (void)data;
  cairn_stack_get(iterator, &state);
  uintptr_t *frame = (uintptr_t *)state.sp;
  for (size_t i = 0; i < sizeof saved_by_barrier / sizeof *saved_by_barrier; i++)
    state.reg[saved_by_barrier[i].reg] = frame + saved_by_barrier[i].word;
  state.pc = frame + BARRIER_WORDS - 1;
  state.sp = (uintptr_t)(frame + BARRIER_WORDS);
  cairn_stack_set(iterator, &state);
}

static const struct cairn_code_manager barrier = {.name = "barrier",
                                                  .previous = previous_of_barrier};

/* ---- the language's own kind of root ---- */

static unsigned long user_roots;

static void visit_tagged(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                         void *env)
{
  uintptr_t bit = (uintptr_t)parameter, reference = *root - bit;

  check(tag == CAIRN_ROOT_USER + 1 && bit == 1 && (*root & 7) == 1, "not a tagged node");
  visit(env, (struct cairn_slot){&reference});
  *root = reference + bit;
  user_roots++;
}

/* ---- native code in between ---- */

static void count_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  unsigned *counts = env;

  check(slot != NULL && tag < 8 && (tag != CAIRN_ROOT_BASE || parameter != NULL), "root");
  counts[tag]++;
}

static void print_stack(void)
{
  struct cairn_stack_iterator it;
  char text[200];

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    unsigned counts[8] = {0};
    uintptr_t line = 0;
    cairn_stack_describe(&it, text, sizeof text);
    cairn_stack_enumerate(&it, count_root, counts);
    bool has_line = cairn_stack_span(&it, LINE, &line);
    check(!cairn_stack_span(&it, LINE + 1, &line), "span of another key");
    printf("%s; roots %u %u %u %u %u%s\n", text, counts[0], counts[1], counts[2], counts[3],
           counts[4], has_line ? "; in a span" : "");
  }
  fflush(stdout);
  cairn_backtrace(1);
}

/* The PRINTth time that it is reached at the bottom of the turns, the stack is printed. */
long native_turn(long turns);
long native_turn(long turns)
{
  static int reached;
  const char *print = getenv("PRINT");

  if (turns > 0) {
    long result = managed_turn(turns - 1);
    __asm__ volatile("" ::: "memory"); /* not a tail call */
    return result;
  }
  if (print && ++reached == atoi(print))
    print_stack();
  if (native_raise != NULL)
    native_raise();
  return 0;
}

static uintptr_t address(const char *code)
{
  return (uintptr_t)code;
}

void language_install(void);
void language_install(void)
{
  uintptr_t start = address(language_start), end = address(language_end);
  static char name[] = "the";

  check(cairn_code_region_add(&language, start, end, name) == CAIRN_OK, "add");
  check(cairn_code_region_add(&barrier, start, end, NULL) == CAIRN_E_OVERLAP, "again");
  check(cairn_code_region_add(&barrier, end - 1, end + 1, NULL) == CAIRN_E_OVERLAP, "part");
  check(cairn_code_region_add(&barrier, (uintptr_t)managed_turn, (uintptr_t)managed_turn + 1,
                              NULL) == CAIRN_E_OVERLAP,
        "compiled code");
  check(cairn_code_region_add(&barrier, address(barrier_start), address(barrier_end), NULL) ==
            CAIRN_OK,
        "add another");
  cairn_set_user_roots(visit_tagged);
}

void language_end_check(void);
void language_end_check(void)
{
  check(!getenv("CAIRN_STRESS") || user_roots > 0, "no user root was seen");
  check(cairn_code_region_remove(address(language_start)) == CAIRN_OK, "remove");
  check(cairn_code_region_remove(address(language_start)) == CAIRN_E_UNKNOWN, "twice");
}
