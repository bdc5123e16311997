/* Names of loaded code: look-ups while names come and go, also in signal handlers; functions of two modules that lie
 * between each other; entries of GDB's list, with copies of the files. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/code.h>
#include "runtime/code/names.h"
#include "runtime/core/options.h"
#include "runtime/core/readers.h"
#include "runtime/tables/blocks.h"

static struct cairn_named_code *name(const char *origin, const struct cairn_code_function *functions, size_t count)
{
  const struct cairn_code_names names = {.origin = origin, .functions = functions, .count = count};
  struct cairn_named_code *named;

  assert_int_equal(cairn_code_name(&names, &named), CAIRN_OK);
  return named;
}

/* "name+0x1 from origin", or "unknown". */
static const char *describe(uintptr_t pc)
{
  static _Thread_local char text[100];
  char function[40], origin[40];

  if (!cn_code_describe(pc, function, sizeof function) || !cn_code_find_origin(pc, origin, sizeof origin))
    return "unknown";
  snprintf(text, sizeof text, "%s from %s", function, origin);
  return text;
}

/* The functions are not sorted; one has a second function in it, as an entry has a body. */
static void names_are_found(void **state)
{
  const struct cairn_code_function ones[] = {{0x9000, 0x10, "last"}, {0x1000, 0x20, "entry"}, {0x1008, 0x18, "body"}};
  const struct cairn_code_function others[] = {{0x2000, 0x10, "middle"}, {0x3000, 0, "empty"}};

  (void)state;
  assert_string_equal(describe(0x1000), "unknown");
  struct cairn_named_code *one = name("one", ones, 3), *other = name("other", others, 2), *none = name("none", NULL, 0);
  assert_string_equal(describe(0x1000), "entry+0x0 from one");
  assert_string_equal(describe(0x1007), "entry+0x7 from one");
  assert_string_equal(describe(0x1009), "body+0x1 from one");
  assert_string_equal(describe(0x1020), "unknown");
  assert_string_equal(describe(0x200f), "middle+0xf from other");
  assert_string_equal(describe(0x2010), "unknown");
  assert_string_equal(describe(0x3000), "unknown");
  assert_string_equal(describe(0x9008), "last+0x8 from one");
  assert_string_equal(describe(UINTPTR_MAX), "unknown");
  cairn_code_unname(one);
  assert_string_equal(describe(0x1000), "unknown");
  assert_string_equal(describe(0x2000), "middle+0x0 from other");
  cairn_code_unname(other);
  cairn_code_unname(none);
  cairn_code_unname(NULL);
  assert_string_equal(describe(0x2000), "unknown");
}

/* ---- while names come and go ---- */

static atomic_bool ends, is_wrong;
static atomic_uint found;

static void look_up(void)
{
  for (uintptr_t i = 0; i < 4; i++) {
    const char *text = describe(0x10000 + i * 0x100);
    char right[40];
    snprintf(right, sizeof right, "function%lu+0x0 from module", (unsigned long)i);
    if (strcmp(text, right) == 0)
      found++;
    else if (strcmp(text, "unknown") != 0)
      is_wrong = true;
  }
}

static void handle(int signal)
{
  (void)signal;
  look_up();
}

static void *keep_looking(void *unused)
{
  while (!ends)
    look_up();
  return unused;
}

/* Several threads change the names, and are interrupted by look-ups. */
static void *keep_naming(void *index)
{
  char text[] = "function0";

  text[8] = (char)('0' + (uintptr_t)index);
  for (int i = 0; i < 3000; i++) {
    struct cairn_code_function functions[] = {{0x10000 + (uintptr_t)index * 0x100, 0x80, text}};
    struct cairn_named_code *named = name("module", functions, 1);
    memset(functions, 0xff, sizeof functions);
    if (i % 16 == 0)
      raise(SIGUSR1);
    cairn_code_unname(named);
  }
  return NULL;
}

static void names_come_and_go(void **state)
{
  pthread_t lookers[2], namers[4];

  (void)state;
  signal(SIGUSR1, handle);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&lookers[i], NULL, keep_looking, NULL), 0);
  for (uintptr_t i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&namers[i], NULL, keep_naming, (void *)i), 0);
  for (size_t i = 0; i < 4; i++)
    pthread_join(namers[i], NULL);
  ends = true;
  for (size_t i = 0; i < 2; i++)
    pthread_join(lookers[i], NULL);
  assert_false(is_wrong);
  assert_true(found > 0);
  look_up();
  assert_false(is_wrong);
}

/* ---- memory of names that are read ---- */

/* A look-up stays in the names until a writer waits for it, or frees memory under it. */
enum { OFF, ARMED, READING, WAITED_FOR, FREED };
static atomic_int reading;

void __wrap_cn_readers_leave(struct cn_reader_epochs *readers, volatile unsigned *inside);
void __real_cn_readers_leave(struct cn_reader_epochs *readers, volatile unsigned *inside);
void __wrap_cn_readers_wait(struct cn_reader_epochs *readers);
void __real_cn_readers_wait(struct cn_reader_epochs *readers);
void __wrap_cn_blocks_give(struct cn_blocks *blocks, void *block, size_t bytes);
void __real_cn_blocks_give(struct cn_blocks *blocks, void *block, size_t bytes);

void __wrap_cn_readers_leave(struct cn_reader_epochs *readers, volatile unsigned *inside)
{
  int armed = ARMED;

  if (atomic_compare_exchange_strong(&reading, &armed, READING))
    while (reading == READING)
      ;
  __real_cn_readers_leave(readers, inside);
}

static void answer(int event)
{
  int state = READING;

  atomic_compare_exchange_strong(&reading, &state, event);
}

void __wrap_cn_readers_wait(struct cn_reader_epochs *readers)
{
  answer(WAITED_FOR);
  __real_cn_readers_wait(readers);
}

void __wrap_cn_blocks_give(struct cn_blocks *blocks, void *block, size_t bytes)
{
  answer(FREED);
  __real_cn_blocks_give(blocks, block, bytes);
}

static void *look_once(void *unused)
{
  look_up();
  return unused;
}

static void names_stay_for_readers(void **state)
{
  const struct cairn_code_function function = {0x10000, 0x80, "function0"};
  struct cairn_named_code *named = name("module", &function, 1);
  pthread_t looker;

  (void)state;
  reading = ARMED;
  assert_int_equal(pthread_create(&looker, NULL, look_once, NULL), 0);
  while (reading == ARMED)
    ;
  cairn_code_unname(named);
  pthread_join(looker, NULL);
  assert_int_equal(reading, WAITED_FOR);
  reading = OFF;
}

/* ---- GDB's list ---- */

extern struct {
  uint32_t version, action;
  struct cn_debugger_entry *relevant, *first;
} __jit_debug_descriptor;

static struct cairn_named_code *name_with_file(const char *file)
{
  const struct cairn_code_names names = {.origin = "module", .debug_file = file, .debug_file_size = strlen(file)};
  struct cairn_named_code *named;

  assert_int_equal(cairn_code_name(&names, &named), CAIRN_OK);
  return named;
}

static void check_list(const char *files)
{
  const struct cn_debugger_entry *previous = NULL;

  for (const struct cn_debugger_entry *entry = __jit_debug_descriptor.first; entry; entry = entry->next) {
    assert_true(*files != 0 && entry->file_size == 2 && entry->file[0] == *files++ && entry->previous == previous);
    previous = entry;
  }
  assert_true(*files == 0);
}

static void debuggers_have_a_list(void **state)
{
  struct cairn_named_code *named[3];
  char file[] = "a-";

  (void)state;
  if (!cairn_code_is_debugged()) {
    named[0] = name_with_file("x-");
    check_list("");
    cairn_code_unname(named[0]);
  }
  cn_options.code = CN_CODE_GDB;
  assert_true(cairn_code_is_debugged());
  for (int i = 0; i < 3; i++, file[0]++)
    named[i] = name_with_file(file);
  check_list("cba");
  cairn_code_unname(named[1]);
  check_list("ca");
  cairn_code_unname(named[2]);
  check_list("a");
  cairn_code_unname(named[0]);
  check_list("");
  cn_options.code = 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found),
      cmocka_unit_test(names_come_and_go),
      cmocka_unit_test(names_stay_for_readers),
      cmocka_unit_test(debuggers_have_a_list),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
