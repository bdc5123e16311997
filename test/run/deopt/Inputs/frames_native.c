/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/frames.ll: reads the frames of the youngest activation, prints them once, and
 * compares them later, in two threads.
 */
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/deopt.h>
#include <cairn/heap_object.h>
#include <cairn/thread.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 400 };

void remember(long number, uintptr_t reference);
void look(long n);
void expect_fault(const char *what);
long run(long n);
void faults(long n);

static const struct cairn_layout *layouts[10];
static _Thread_local uintptr_t before;
static _Atomic long moved, right;
static bool prints = true;

void remember(long number, uintptr_t reference)
{
  layouts[number] = cairn_object_layout(reference);
  before = reference;
}

static void expect(bool good, const char *what)
{
  if (good)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

/* ---- the language ---- */

static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)index;
  return function == 12 ? (const void *)run : NULL;
}

static const struct cairn_layout *find_layout(uint64_t number)
{
  return number < 7 ? layouts[number] : NULL;
}

static const struct cairn_deopt_language mine = {
    .name = "mine", .continuation = find_continuation, .layout = find_layout};

/* ---- values ---- */

static long signed_word(const struct cairn_deopt_value *value)
{
  return (long)(value->word[0] << (64 - value->bits)) >> (64 - value->bits);
}

static void print_float(const struct cairn_deopt_value *value)
{
  double wide;
  float narrow;

  memcpy(&wide, &value->word[0], sizeof wide);
  memcpy(&narrow, &value->word[0], sizeof narrow);
  printf("float of %u bits: %g\n", value->bits, value->bits == 32 ? narrow : wide);
}

static void print_reference(const struct cairn_deopt_value *value)
{
  if (value->word[0] == 0)
    printf("reference: null\n");
  else
    printf("reference: %ld, %s\n", *(long *)value->word[0], value->base == value->word[0] ? "at its start" : "inside");
}

static void print_value(const struct cairn_stack_iterator *it, uint32_t operand)
{
  struct cairn_deopt_value value;

  expect(cairn_deopt_read(it, operand, &value) == CAIRN_OK, "an operand");
  if (value.value_class == CAIRN_DEOPT_INTEGER)
    printf("integer of %u bits: %ld\n", value.bits, value.bits == 1 ? (long)value.word[0] : signed_word(&value));
  else if (value.value_class == CAIRN_DEOPT_FLOAT)
    print_float(&value);
  else if (value.value_class == CAIRN_DEOPT_REFERENCE)
    print_reference(&value);
  else if (value.value_class == CAIRN_DEOPT_OBJECT)
    printf("object %lu\n", (unsigned long)value.word[0]);
  else if (value.value_class == CAIRN_DEOPT_VECTOR)
    printf("vector of %u bits: %lu, %lu\n", value.bits, (unsigned long)value.word[0], (unsigned long)value.word[1]);
  else if (value.value_class == CAIRN_DEOPT_UNDEFINED && value.word[0] == 0)
    printf("undefined\n");
  else
    printf("class %d\n", value.value_class);
}

static void print_frames(const struct cairn_stack_iterator *it)
{
  struct cairn_deopt_frame frame;
  uint32_t count = 0;

  expect(cairn_deopt_frames(it, &count) == CAIRN_OK, "frames");
  printf("%u frames\n", count);
  for (uint32_t i = 0; cairn_deopt_frame(it, i, &frame) == CAIRN_OK; i++) {
    printf("language %u function %lu index %lu result %u: %u locals, %u on the stack, first %u\n", frame.language,
           (unsigned long)frame.function, (unsigned long)frame.index, frame.result, frame.locals, frame.stack,
           frame.first);
    for (uint32_t k = 0; k < frame.locals + frame.stack; k++)
      print_value(it, frame.first + k);
  }
}

static void print_objects(const struct cairn_stack_iterator *it)
{
  struct cairn_deopt_object object;
  struct cairn_deopt_value offset;
  uint32_t count = 0;

  expect(cairn_deopt_objects(it, &count) == CAIRN_OK, "objects");
  printf("%u objects\n", count);
  for (uint32_t i = 0; cairn_deopt_object(it, i, &object) == CAIRN_OK; i++) {
    printf("language %u layout %lu elements %lu: %u fields\n", object.language, (unsigned long)object.layout,
           (unsigned long)object.elements, object.fields);
    for (uint32_t k = 0; k < object.fields; k++) {
      expect(cairn_deopt_read(it, object.first + 2 * k, &offset) == CAIRN_OK, "an offset");
      printf("at %lu: ", (unsigned long)offset.word[0]);
      print_value(it, object.first + 2 * k + 1);
    }
  }
}

static void print_check(const struct cairn_stack_iterator *it)
{
  struct cairn_deopt_failure failure = {.status = CAIRN_E_UNKNOWN};
  enum cairn_status status = cairn_deopt_check(it, &failure);

  if (status == CAIRN_OK && failure.status == CAIRN_OK)
    printf("check: ok\n");
  else
    printf("check: %s, operand %ld: %s\n", cairn_status_text(status), (long)failure.operand, failure.text);
}

/* ---- activations ---- */

/* As printed, for any n. */
static void compare_values(const struct cairn_stack_iterator *it, long n)
{
  struct cairn_deopt_value value;

  expect(cairn_deopt_read(it, 6, &value) == CAIRN_OK && signed_word(&value) == n, "the caller's local");
  expect(cairn_deopt_read(it, 19, &value) == CAIRN_OK && *(long *)value.word[0] == 100, "the reference");
  moved += value.word[0] != before;
  expect(cairn_deopt_read(it, 21, &value) == CAIRN_OK && signed_word(&value) == 4 - n, "the integer");
  expect(cairn_deopt_read(it, 23, &value) == CAIRN_OK && value.word[0] == (uint64_t)n &&
             value.word[1] == (uint64_t)n + 1,
         "the vector");
  right++;
}

/* Collections wait during the operation, so references stay valid. */
static void read_activation(int thread, void *env)
{
  struct cairn_stack_iterator it;

  expect(cairn_stack_of_thread(&it, thread) == CAIRN_OK, "the thread's stack");
  if (prints) {
    print_frames(&it);
    print_objects(&it);
    print_check(&it);
  } else {
    compare_values(&it, *(long *)env);
  }
}

void look(long n)
{
  cairn_collect();
  expect(cairn_handshake(gettid(), read_activation, &n, CAIRN_ASK_FOREVER) == CAIRN_OK, "a handshake");
}

void expect_fault(const char *what)
{
  struct cairn_stack_iterator it;
  struct cairn_deopt_failure failure = {.status = CAIRN_OK};

  cairn_stack_youngest(&it);
  enum cairn_status status = cairn_deopt_check(&it, &failure);
  expect(status == failure.status && failure.address == cairn_stack_ip(&it), "the failure's status and address");
  printf("%s: %s, operand %ld: %s\n", what,
         status == CAIRN_E_LANGUAGE ? "no language, or a part of it, has the number" : cairn_status_text(status),
         (long)failure.operand, failure.text);
}

static void *run_thread(void *env)
{
  for (long i = 0; i < ROUNDS; i++)
    expect(run(i + (long)env) == 100, "a result");
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[2];

  (void)argv;
  expect(cairn_deopt_add_language(1, &mine) == CAIRN_OK && cairn_deopt_add_language(1, &mine) == CAIRN_E_TAKEN &&
             cairn_deopt_add_language(256, &mine) == CAIRN_E_BOUNDS &&
             cairn_deopt_add_language(2, &(const struct cairn_deopt_language){.name = "none"}) == CAIRN_E_BOUNDS,
         "languages");
  run(7);
  faults(1);
  prints = false;
  for (long i = 0; i < 2; i++)
    expect(pthread_create(&threads[i], NULL, run_thread, (void *)(1000 * i)) == 0, "a thread");
  for (long i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  if (argc > 1 && moved == 2 * ROUNDS)
    printf("objects moved\n");
  printf("%ld right activations in 2 threads\n", (long)right);
  return 0;
}
