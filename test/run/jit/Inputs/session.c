/* Sessions: calls with references between modules, static code and the user's symbols, each with collections on the
 * way; several sessions; symbols of all kinds. Prints a line per part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

#ifndef TIER
#define TIER CAIRN_TIER_FULL
#endif

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *ref;

static struct cairn_jit *begin(void)
{
  const struct cairn_jit_options options = {.compile = {.tier = TIER, .opt_level = 2}};
  struct cairn_jit *session;
  char *error = NULL;

  check(cairn_jit_new(&options, &session, &error), error);
  return session;
}

static uint64_t add(struct cairn_jit *session, const char *text)
{
  uint64_t module;
  char *error = NULL;

  check(cairn_jit_add_ir(session, text, strlen(text), &module, &error), error);
  return module;
}

static void *find(struct cairn_jit *session, const char *name)
{
  void *address;
  char *error = NULL;

  check(cairn_jit_look_up(session, name, &address, &error), error);
  return address;
}

static void drop(struct cairn_jit *session, uint64_t module)
{
  char *error = NULL;

  check(cairn_jit_remove(session, module, &error), error);
}

/* Exported by the program's dynamic symbol table only on request, as the test asks; and given to a session. */
ref static_cons(long value, ref next)
{
  ref cell = cairn_new(struct cell);
  cell->next = next;
  cell->value = value;
  return cell;
}

static ref given_cons(long value, ref next)
{
  return static_cons(value + 1000, next);
}

static long sum(ref list)
{
  long total = 0;

  for (; list; list = list->next)
    total += list->value;
  return total;
}

#define CELL \
  "%cell = type { ptr addrspace(1), i64 }\n" \
  "@cell.layout = internal constant %cell zeroinitializer\n" \
  "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"

static const char maker[] =
    CELL "define ptr addrspace(1) @make(i64 %value, ptr addrspace(1) %next) noinline gc \"statepoint-example\" {\n"
         "  %cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n"
         "  %field = getelementptr %cell, ptr addrspace(1) %cell, i64 0, i32 1\n"
         "  store i64 %value, ptr addrspace(1) %field\n"
         "  store ptr addrspace(1) %next, ptr addrspace(1) %cell\n"
         "  ret ptr addrspace(1) %cell\n"
         "}\n";

/* A list of n cells, made by another function whose name stands for MAKE. */
static const char user[] =
    "declare ptr addrspace(1) @MAKE(i64, ptr addrspace(1))\n"
    "define ptr addrspace(1) @list_MAKE(i64 %n) gc \"statepoint-example\" {\n"
    "entry:\n  br label %loop\n"
    "loop:\n"
    "  %i = phi i64 [ %n, %entry ], [ %less, %more ]\n"
    "  %list = phi ptr addrspace(1) [ null, %entry ], [ %longer, %more ]\n"
    "  %end = icmp eq i64 %i, 0\n"
    "  br i1 %end, label %done, label %more\n"
    "more:\n"
    "  %longer = call ptr addrspace(1) @MAKE(i64 %i, ptr addrspace(1) %list)\n"
    "  %less = sub i64 %i, 1\n  br label %loop\n"
    "done:\n  ret ptr addrspace(1) %list\n}\n";

static char *replace(const char *text, const char *from, const char *to)
{
  char *all = calloc(1, 4 * strlen(text) + 1), *end = all;

  for (const char *next; (next = strstr(text, from)); text = next + strlen(from)) {
    end = mempcpy(end, text, (size_t)(next - text));
    end = stpcpy(end, to);
  }
  strcpy(end, text);
  return all;
}

static uint64_t add_user(struct cairn_jit *session, const char *make)
{
  char *text = replace(user, "MAKE", make);
  uint64_t module = add(session, text);

  free(text);
  return module;
}

static long sum_of(struct cairn_jit *session, const char *name, long n)
{
  ref (*list)(long) = (ref(*)(long))find(session, name);

  return sum(list(n));
}

static void modules_call_each_other(void)
{
  struct cairn_jit *session = begin();
  uint64_t first = add_user(session, "make"); /* refers to a module that comes later */
  uint64_t second = add(session, maker);

  printf("modules: %ld\n", sum_of(session, "list_make", 100));
  drop(session, first);
  drop(session, second);
  cairn_jit_dispose(session);
}

static void modules_call_in_a_circle(void)
{
  static const char even[] =
      "declare i64 @odd(i64, ptr addrspace(1))\n"
      "define i64 @even(i64 %n, ptr addrspace(1) %p) noinline gc \"statepoint-example\" {\n"
      "  %end = icmp eq i64 %n, 0\n  br i1 %end, label %done, label %more\n"
      "more:\n  %less = sub i64 %n, 1\n  %x = call i64 @odd(i64 %less, ptr addrspace(1) %p)\n  %y = add i64 %x, 1\n"
      "  ret i64 %y\n"
      "done:\n  ret i64 0\n}\n";
  struct cairn_jit *session = begin();
  char *odd = replace(even, "odd", "MIDDLE"), *other = replace(odd, "even", "odd");
  char *turned = replace(other, "MIDDLE", "even");

  add(session, even);
  add(session, turned);
  printf("circle: %ld\n", ((long (*)(long, ref))find(session, "even"))(1000, cairn_new(struct cell)));
  cairn_jit_dispose(session);
  free(odd);
  free(other);
  free(turned);
}

static void modules_call_static_code(void)
{
  struct cairn_jit *session = begin();
  char *error = NULL;

  add_user(session, "static_cons");
  add_user(session, "given");
  check(cairn_jit_define(session, "given", (void *)given_cons, &error), error);
  printf("static: %ld %ld\n", sum_of(session, "list_static_cons", 100), sum_of(session, "list_given", 100));
  cairn_jit_dispose(session);
}

static void weak_functions_have_one_address(void)
{
  static const char address[] = "define ptr @NAME() gc \"statepoint-example\" {\n  ret ptr @make\n}\n";
  struct cairn_jit *session = begin();
  char *weak = replace(maker, "define ptr addrspace(1)", "define linkonce_odr ptr addrspace(1)");
  char *one = malloc(5000), *two = malloc(5000), *names[2] = {replace(address, "NAME", "one"),
                                                             replace(address, "NAME", "two")};

  sprintf(one, "%s%s", weak, names[0]);
  sprintf(two, "%s%s", weak, names[1]);
  add(session, one);
  add(session, two);
  void *x = ((void *(*)(void))find(session, "one"))(), *y = ((void *(*)(void))find(session, "two"))();
  printf("weak: %s %s\n", x == y ? "one" : "two", x == find(session, "make") ? "found" : "lost");
  cairn_jit_dispose(session);
  free(weak);
  free(one);
  free(two);
  free(names[0]);
  free(names[1]);
}

static void sessions_share_no_names(void)
{
  struct cairn_jit *a = begin(), *b = begin();
  char *other = replace(maker, "store i64 %value", "store i64 7");

  add(a, maker);
  add(b, other);
  ref x = ((ref(*)(long, ref))find(a, "make"))(5, NULL), y = ((ref(*)(long, ref))find(b, "make"))(5, x);
  printf("sessions: %ld %ld\n", sum(x), sum(y));
  x = y = NULL;
  cairn_jit_dispose(a);
  cairn_jit_dispose(b);
  free(other);
}

static void names_are_used_again(void)
{
  struct cairn_jit *session = begin();
  long total = 0;

  for (int i = 0; i < 20; i++) {
    uint64_t module = add(session, maker);
    total += sum(((ref(*)(long, ref))find(session, "make"))(i, NULL));
    drop(session, module);
  }
  printf("again: %ld\n", total);
  cairn_jit_dispose(session);
}

/* Data of all kinds, an alias, and a weak reference to a symbol that is nowhere. */
static void symbols_of_all_kinds(void)
{
  static const char owner[] = "@common = common global i64 0\n@data = global [2 x i64] [i64 3, i64 4]\n"
                              "@other = alias i64, ptr @data\n"
                              "@constant = constant i64 5\n";
  static const char reader[] = "@common = common global i64 0\n@data = external global [2 x i64]\n"
                               "@other = external global i64\n@constant = external constant i64\n"
                               "@nowhere = extern_weak global i64\n"
                               "define i64 @read() gc \"statepoint-example\" {\n"
                               "  %a = load i64, ptr @common\n  %b = load i64, ptr @data\n"
                               "  %c = load i64, ptr @other\n  %d = load i64, ptr @constant\n"
                               "  %n = icmp eq ptr @nowhere, null\n  %e = zext i1 %n to i64\n"
                               "  %ab = add i64 %a, %b\n  %abc = add i64 %ab, %c\n  %abcd = add i64 %abc, %d\n"
                               "  %all = add i64 %abcd, %e\n  ret i64 %all\n}\n";
  struct cairn_jit *session = begin();

  add(session, reader);
  add(session, owner);
  *(long *)find(session, "common") = 1000;
  printf("symbols: %ld\n", ((long (*)(void))find(session, "read"))());
  cairn_jit_dispose(session);
}

/* A module with a table of its functions, whose names begin with LLVM's sign of a plain symbol. */
static void tables_have_all_functions(void)
{
  enum { FUNCTIONS = 100 };
  char text[FUNCTIONS * 160], *at = text;
  struct cairn_jit *session = begin();
  long total = 0;

  at += sprintf(at, "@table = global [%d x { i64, ptr }] [", FUNCTIONS);
  for (int i = 0; i < FUNCTIONS; i++)
    at += sprintf(at, "%s{ i64, ptr } { i64 %d, ptr @\"\\01f%d\" }", i ? ", " : "", i, i);
  at += sprintf(at, "]\n@pair = global [2 x ptr] [ptr @\"\\01f1\", ptr @\"\\01f2\"]\n");
  for (int i = 0; i < FUNCTIONS; i++)
    at += sprintf(at, "define i64 @\"\\01f%d\"() gc \"statepoint-example\" {\n  ret i64 %d\n}\n", i, i);
  add(session, text);
  const struct function {
    long number;
    long (*call)(void);
  } *table = find(session, "table");
  for (int i = 0; i < FUNCTIONS; i++)
    total += table[i].call() * 1000 + table[i].number;
  printf("table: %ld, %s\n", total, (void *)table[7].call == find(session, "f7") ? "one address" : "two addresses");
  cairn_jit_dispose(session);
}

int main(void)
{
  symbols_of_all_kinds();
  tables_have_all_functions();
  modules_call_each_other();
  modules_call_in_a_circle();
  modules_call_static_code();
  weak_functions_have_one_address();
  sessions_share_no_names();
  names_are_used_again();
  return 0;
}
