/* Replacement of functions: every way to call a function reaches the new version, calls under way end in the old one,
 * bad input changes nothing; then threads call while a thread replaces. Prints a line per part. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *ref;

static struct cairn_jit *session;
static const char *last_error = "";

static char text[16384];

static size_t write_text(const char *format, va_list arguments)
{
  return (size_t)vsnprintf(text, sizeof text, format, arguments);
}

static uint64_t add_text(void)
{
  uint64_t module;
  char *error = NULL;

  check(cairn_jit_add_ir(session, text, strlen(text), &module, &error), error);
  return module;
}

static uint64_t add(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  write_text(format, arguments);
  va_end(arguments);
  return add_text();
}

static enum cairn_status try_replace(const char *name, const char *format, ...)
{
  va_list arguments;
  uint64_t module;
  char *error = NULL;

  va_start(arguments, format);
  size_t length = write_text(format, arguments);
  va_end(arguments);
  enum cairn_status status = cairn_jit_replace_ir(session, name, text, length, &module, &error);
  if ((status == CAIRN_OK) != (error == NULL) || (status == CAIRN_OK) != (module != 0))
    abort();
  last_error = error;
  return status;
}

static void *find(const char *name)
{
  void *address;
  char *error = NULL;

  check(cairn_jit_look_up(session, name, &address, &error), error);
  return address;
}

/* ---- the ways to a function ---- */

#define CELL \
  "%%cell = type { ptr addrspace(1), i64 }\n" \
  "@cell.layout = internal constant %%cell zeroinitializer\n" \
  "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"

/* A new cell with the version. */
#define VERSION \
  CELL "define ptr addrspace(1) @version(ptr addrspace(1) %%next) gc \"statepoint-example\" {\n" \
       "  %%cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n" \
       "  %%field = getelementptr %%cell, ptr addrspace(1) %%cell, i64 0, i32 1\n" \
       "  store i64 %ld, ptr addrspace(1) %%field\n" \
       "  store ptr addrspace(1) %%next, ptr addrspace(1) %%cell\n" \
       "  ret ptr addrspace(1) %%cell\n}\n" \
       "define i64 @number() gc \"statepoint-example\" {\n  ret i64 %ld\n}\n"

static const char first_version[] = VERSION
    "@table = global [2 x ptr] [ptr @version, ptr @number]\n"
    "define ptr @own_address() gc \"statepoint-example\" {\n  ret ptr @version\n}\n"
    "define void @count_call(i64 %%n) gc \"statepoint-example\" {\n  ret void\n}\n";

static const char caller[] = "declare ptr addrspace(1) @version(ptr addrspace(1))\ndeclare i64 @number()\n"
                             "@there = global ptr @number\n"
                             "define ptr addrspace(1) @by_name(ptr addrspace(1) %%p) gc \"statepoint-example\" {\n"
                             "  %%c = call ptr addrspace(1) @version(ptr addrspace(1) %%p)\n"
                             "  %%d = call ptr addrspace(1) @version(ptr addrspace(1) %%c)\n"
                             "  ret ptr addrspace(1) %%d\n}\n"
                             "define i64 @by_number() gc \"statepoint-example\" {\n"
                             "  %%n = call i64 @number()\n  %%f = load volatile ptr, ptr @there\n"
                             "  %%m = call i64 %%f()\n  %%k = mul i64 %%m, 1000\n  %%s = add i64 %%n, %%k\n"
                             "  ret i64 %%s\n}\n";

typedef ref version_function(ref next);
typedef long number_function(void);

static version_function *before, *own, *in_table, *by_name;
static number_function *number, *by_number, *number_in_table;

static void take_pointers(void)
{
  before = (version_function *)find("version");
  own = ((version_function * (*)(void)) find("own_address"))();
  in_table = ((version_function **)find("table"))[0];
  number = (number_function *)find("number");
  number_in_table = ((number_function **)find("table"))[1];
  by_name = (version_function *)find("by_name");
  by_number = (number_function *)find("by_number");
}

/* Ends the program, before code that is gone runs. */
static void expect(const char *way, long version, long expected)
{
  if (version == expected)
    return;
  fprintf(stderr, "replace: %s reaches version %ld in place of %ld\n", way, version, expected);
  exit(1);
}

static void check_ways(long version)
{
  expect("a pointer from a look-up", before(NULL)->value, version);
  expect("the module's own use of the address", own(NULL)->value, version);
  expect("the table of the first module", in_table(NULL)->value, version);
  expect("a call by name", by_name(NULL)->value, version);
  expect("the other function", number(), version);
  expect("the other function, by name and by pointer", by_number(), 1001 * version);
}

static void show(const char *when, long version)
{
  check_ways(version);
  ref list = by_name(in_table(own(before(NULL))));
  printf("%s:", when);
  for (ref cell = list; cell; cell = cell->next)
    printf(" %ld", cell->value);
  printf("; %ld %ld %ld\n", number(), number_in_table(), by_number());
}

static void every_way_reaches_the_new_version(void)
{
  uint64_t first = add(first_version, 1l, 1l);

  add(caller);
  take_pointers();
  show("first", 1);
  for (long i = 2; i < 5; i++) {
    check(try_replace(i % 2 ? "number" : "version", VERSION, i, i), (char *)last_error);
    show("replaced", i);
  }
  printf("one address: %s\n", before == own && own == in_table && before == find("version") ? "yes" : "no");
  char *error = NULL;
  check(cairn_jit_remove(session, first, &error), error);
  cairn_collect();
  printf("pending: %zu\n", cairn_jit_pending(session, NULL, NULL));
}

/* ---- calls under way ---- */

static const char under_way[] = "declare void @replace_now()\n"
                                "define i64 @under_way() gc \"statepoint-example\" {\n"
                                "  call void @replace_now()\n  ret i64 %d\n}\n";

static void replace_now(void)
{
  static int times;

  if (times++)
    return;
  check(try_replace("under_way", under_way, 2), (char *)last_error);
  cairn_collect();
  printf("under way: %zu pending\n", cairn_jit_pending(session, NULL, NULL));
}

static void calls_under_way_end_in_the_old_version(void)
{
  char *error = NULL;

  check(cairn_jit_define(session, "replace_now", (void *)replace_now, &error), error);
  add(under_way, 1);
  number_function *call = (number_function *)find("under_way");
  long old = call();
  printf("old %ld, new %ld\n", old, call());
  cairn_collect();
  printf("over: %zu pending\n", cairn_jit_pending(session, NULL, NULL));
}

/* ---- bad input ---- */

static void refuse(const char *what, enum cairn_status status)
{
  printf("%s: %s: %s\n", what, cairn_status_text(status), last_error);
  free((char *)last_error);
}

static void bad_input_changes_nothing(void)
{
  const char gc[] = "gc \"statepoint-example\"";

  add("@variable = global i64 1\ndefine i64 @native() {\n  ret i64 1\n}\n");
  add("define i64 @unlinked() %s {\n  ret i64 1\n}\n", gc);
  refuse("no name", try_replace("nobody", "define i64 @nobody() %s {\n  ret i64 1\n}\n", gc));
  refuse("not there", try_replace("number", "define i64 @nobody() %s {\n  ret i64 1\n}\n", gc));
  refuse("type", try_replace("number", "define i32 @number() %s {\n  ret i32 1\n}\n", gc));
  refuse("parameter", try_replace("number", "define i64 @number(ptr %%p) %s {\n  ret i64 1\n}\n", gc));
  refuse("convention", try_replace("number", "define fastcc i64 @number() %s {\n  ret i64 1\n}\n", gc));
  refuse("of native", try_replace("native", "define i64 @native() %s {\n  ret i64 1\n}\n", gc));
  refuse("by native", try_replace("number", "define i64 @number() {\n  ret i64 1\n}\n"));
  refuse("variable", try_replace("number",
                                 "@variable = global i64 2\ndefine i64 @number() %s {\n  ret i64 1\n}\n", gc));
  refuse("user's", try_replace("replace_now", "define void @replace_now() %s {\n  ret void\n}\n", gc));
  refuse("missing", try_replace("number", "declare i64 @nowhere()\ndefine i64 @number() %s {\n"
                                          "  %%x = call i64 @nowhere()\n  ret i64 %%x\n}\n", gc));
  refuse("one of two", try_replace("number", "define i64 @number() %s {\n  ret i64 9\n}\n"
                                             "define i32 @unlinked() %s {\n  ret i32 9\n}\n", gc, gc));
  refuse("parse", try_replace("number", "define\n"));
  show("as before", 4);
  check(try_replace("unlinked", "define i64 @unlinked() %s {\n  ret i64 3\n}\n", gc), (char *)last_error);
  printf("unlinked: %ld\n", ((number_function *)find("unlinked"))());
  cairn_collect();
  printf("bad input: %zu pending\n", cairn_jit_pending(session, NULL, NULL));
}

/* ---- threads ---- */

static atomic_long begun, published;
static atomic_bool over;
static atomic_long wrong, calls;

/* A call returns no version older than the last one whose replacement had returned, and none that has not begun. */
static void check_version(long least, long version)
{
  if (version < least || version > atomic_load(&begun))
    atomic_fetch_add(&wrong, 1);
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

static void *call_in_managed_code(void *unused)
{
  ref list = NULL;

  while (!atomic_load(&over)) {
    long least = atomic_load(&published);
    list = by_name(list);
    check_version(least, list->value);
    check_version(least, list->next->value);
    least = atomic_load(&published);
    check_version(least, number());
    list = list->next->next && list->next->next->next ? NULL : list;
  }
  return unused;
}

/* Code that stays native, and has no safepoint between its calls. */
__attribute__((annotate("cairn-unmanaged"))) static void *call_in_native_code(void *unused)
{
  while (!atomic_load(&over)) {
    long least = atomic_load(&published);
    check_version(least, number_in_table());
  }
  return unused;
}

static void threads_call_while_one_replaces(long rounds)
{
  pthread_t threads[3];

  atomic_store(&begun, 4);
  pthread_create(&threads[0], NULL, call_in_managed_code, NULL);
  pthread_create(&threads[1], NULL, call_in_managed_code, NULL);
  pthread_create(&threads[2], NULL, call_in_native_code, NULL);
  for (long i = 5; i < 5 + rounds; i++) {
    atomic_store(&begun, i);
    check(try_replace("version", VERSION, i, i), (char *)last_error);
    atomic_store(&published, i);
    check_version(i, before(NULL)->value);
  }
  atomic_store(&over, true);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  cairn_collect();
  printf("threads: %ld wrong, calls %s, %zu pending\n", atomic_load(&wrong),
         atomic_load(&calls) > rounds ? "many" : "few",
         cairn_jit_pending(session, NULL, NULL));
}

/* ---- several functions in one stop ---- */

enum { GROUP = 16 }; /* functions of a module: group_0, ... */

static number_function *group[GROUP], *call_group;
static atomic_long unordered;

/* Write to `text` the functions of the group, or their declarations, and a function that calls them all twice, in
 * turn. That one returns the last version, or -1 if a call has reached an older version than the call before. */
static void write_group(long version, bool calls)
{
  char *at = text;

  for (int i = 0; i < GROUP; i++)
    at += calls ? sprintf(at, "declare i64 @group_%d()\n", i)
                : sprintf(at, "define i64 @group_%d() gc \"statepoint-example\" {\n  ret i64 %ld\n}\n", i, version);
  if (!calls)
    return;
  at += sprintf(at, "define i64 @call_group() gc \"statepoint-example\" {\n"
                    "  %%v0 = add i64 0, 0\n  %%b0 = add i1 0, 0\n");
  for (int i = 1; i <= 2 * GROUP; i++)
    at += sprintf(at,
                  "  %%v%1$d = call i64 @group_%3$d()\n  %%c%1$d = icmp slt i64 %%v%1$d, %%v%2$d\n"
                  "  %%b%1$d = or i1 %%b%2$d, %%c%1$d\n",
                  i, i - 1, i % GROUP);
  sprintf(at, "  %%r = select i1 %%b%1$d, i64 -1, i64 %%v%1$d\n  ret i64 %%r\n}\n", 2 * GROUP);
}

static void note_order(long *last, long version)
{
  if (version < *last)
    atomic_fetch_add(&unordered, 1);
  *last = version;
}

static void *call_group_by_name(void *unused)
{
  for (long last = 0; !atomic_load(&over);)
    note_order(&last, call_group());
  return unused;
}

__attribute__((annotate("cairn-unmanaged"))) static void *call_group_by_pointers(void *unused)
{
  long last = 0;

  for (unsigned i = 0; !atomic_load(&over); i++)
    note_order(&last, group[i % GROUP]());
  return unused;
}

/* In each thread, no call reaches an older version than the call before, of whichever function. */
static void functions_are_replaced_in_one_moment(long rounds)
{
  pthread_t threads[2];
  char name[16];

  write_group(0, false);
  add_text();
  write_group(0, true);
  add_text();
  for (int i = 0; i < GROUP; i++) {
    sprintf(name, "group_%d", i);
    group[i] = (number_function *)find(name);
  }
  call_group = (number_function *)find("call_group");
  atomic_store(&over, false);
  pthread_create(&threads[0], NULL, call_group_by_name, NULL);
  pthread_create(&threads[1], NULL, call_group_by_pointers, NULL);
  for (long i = 1; i <= rounds; i++) {
    uint64_t module;
    char *error = NULL;
    write_group(i, false);
    check(cairn_jit_replace_ir(session, "group_0", text, strlen(text), &module, &error), error);
  }
  atomic_store(&over, true);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("one moment: %s, %ld unordered\n", call_group() == rounds ? "the last version" : "another version",
         atomic_load(&unordered));
}

/* A call of a function that is gone ends the program. */
static void call_late(void)
{
  uint64_t module = add(VERSION, 1l, 1l);
  number_function *late = (number_function *)find("number");
  char *error = NULL;

  late();
  check(cairn_jit_remove(session, module, &error), error);
  cairn_jit_pending(session, NULL, NULL);
  late();
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 1}};
  char *error = NULL;

  check(cairn_jit_new(&options, &session, &error), error);
  if (argc > 1 && strcmp(argv[1], "late") == 0)
    call_late();
  every_way_reaches_the_new_version();
  calls_under_way_end_in_the_old_version();
  bad_input_changes_nothing();
  threads_call_while_one_replaces(argc > 1 ? atol(argv[1]) : 100);
  functions_are_replaced_in_one_moment(argc > 1 ? atol(argv[1]) : 100);
  cairn_jit_dispose(session);
  return 0;
}
