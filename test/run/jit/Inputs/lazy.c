/* Lazy compilation: functions are compiled at their first calls, which pass references, floats, many arguments and
 * structures, while the compiler's thread waits in a native call and everything moves. Prints a line per part. */
#include <pthread.h>
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

static uint64_t add_lazy(const char *text)
{
  uint64_t module;
  char *error = NULL;

  check(cairn_jit_add_lazy_ir(session, text, strlen(text), &module, &error), error);
  return module;
}

static void *find(const char *name)
{
  void *address;
  char *error = NULL;

  check(cairn_jit_look_up(session, name, &address, &error), error);
  return address;
}

static uintptr_t code_of(const char *name)
{
  uintptr_t address;
  char *error = NULL;

  check(cairn_jit_find_code(session, name, &address, &error), error);
  return address;
}

#define GC " gc \"statepoint-example\" {\n"

static const char text[] =
    "%cell = type { ptr addrspace(1), i64 }\n"
    "%pair = type { ptr addrspace(1), double }\n"
    "@cell.layout = internal constant %cell zeroinitializer\n"
    "@count = internal global i64 0\n"
    "@table = global [1 x ptr] [ptr @cons]\n"
    "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
    /* a local function and a local variable, which two functions share */
    "define internal i64 @next_count()" GC "  %n = load i64, ptr @count\n  %m = add i64 %n, 1\n"
    "  store i64 %m, ptr @count\n  ret i64 %m\n}\n"
    "define i64 @count_a()" GC "  %n = call i64 @next_count()\n  ret i64 %n\n}\n"
    "define i64 @count_b()" GC "  %n = call i64 @next_count()\n  ret i64 %n\n}\n"
    "define ptr addrspace(1) @cons(i64 %value, ptr addrspace(1) %next)" GC
    "  %c = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n"
    "  %f = getelementptr %cell, ptr addrspace(1) %c, i64 0, i32 1\n  store i64 %value, ptr addrspace(1) %f\n"
    "  store ptr addrspace(1) %next, ptr addrspace(1) %c\n  ret ptr addrspace(1) %c\n}\n"
    "define i64 @value(ptr addrspace(1) %c)" GC
    "  %f = getelementptr %cell, ptr addrspace(1) %c, i64 0, i32 1\n  %v = load i64, ptr addrspace(1) %f\n"
    "  ret i64 %v\n}\n"
    /* 12 references and numbers, 9 floating-point numbers */
    "define double @many(ptr addrspace(1) %a, i64 %b, double %c, ptr addrspace(1) %d, i64 %e, double %f,\n"
    "    ptr addrspace(1) %g, i64 %h, double %i, ptr addrspace(1) %j, i64 %k, double %l, double %m, double %n,\n"
    "    double %o, double %p, double %q, ptr addrspace(1) %r, i64 %s)" GC
    "  %va = call i64 @value(ptr addrspace(1) %a)\n  %vd = call i64 @value(ptr addrspace(1) %d)\n"
    "  %vg = call i64 @value(ptr addrspace(1) %g)\n  %vj = call i64 @value(ptr addrspace(1) %j)\n"
    "  %vr = call i64 @value(ptr addrspace(1) %r)\n"
    "  %1 = add i64 %va, %vd\n  %2 = add i64 %1, %vg\n  %3 = add i64 %2, %vj\n  %4 = add i64 %3, %vr\n"
    "  %5 = add i64 %4, %b\n  %6 = add i64 %5, %e\n  %7 = add i64 %6, %h\n  %8 = add i64 %7, %k\n"
    "  %9 = add i64 %8, %s\n  %10 = sitofp i64 %9 to double\n"
    "  %11 = fadd double %10, %c\n  %12 = fadd double %11, %f\n  %13 = fadd double %12, %i\n"
    "  %14 = fadd double %13, %l\n  %15 = fadd double %14, %m\n  %16 = fadd double %15, %n\n"
    "  %17 = fadd double %16, %o\n  %18 = fadd double %17, %p\n  %19 = fadd double %18, %q\n"
    "  ret double %19\n}\n"
    "define double @call_many(ptr addrspace(1) %x)" GC
    "  %y = call double @many(ptr addrspace(1) %x, i64 1, double 1.5, ptr addrspace(1) %x, i64 2, double 2.5,\n"
    "    ptr addrspace(1) %x, i64 3, double 3.5, ptr addrspace(1) %x, i64 4, double 4.5, double 5.5, double 6.5,\n"
    "    double 7.5, double 8.5, double 9.5, ptr addrspace(1) %x, i64 5)\n  ret double %y\n}\n"
    /* a structure in registers, one by hidden address, one by value */
    "define %pair @pair_of(ptr addrspace(1) %x, double %d)" GC
    "  %p = insertvalue %pair zeroinitializer, ptr addrspace(1) %x, 0\n  %q = insertvalue %pair %p, double %d, 1\n"
    "  ret %pair %q\n}\n"
    "define void @big(ptr sret([4 x i64]) %out, ptr byval([4 x i64]) %in)" GC
    "  %v = load [4 x i64], ptr %in\n  store [4 x i64] %v, ptr %out\n  ret void\n}\n"
    "define i64 @structs(ptr addrspace(1) %x)" GC
    "  %p = call %pair @pair_of(ptr addrspace(1) %x, double 8.0)\n  %r = extractvalue %pair %p, 0\n"
    "  %d = extractvalue %pair %p, 1\n  %v = call i64 @value(ptr addrspace(1) %r)\n  %n = fptosi double %d to i64\n"
    "  %in = alloca [4 x i64]\n  %out = alloca [4 x i64]\n"
    "  store [4 x i64] [i64 1, i64 2, i64 3, i64 4], ptr %in\n"
    "  call void @big(ptr sret([4 x i64]) %out, ptr byval([4 x i64]) %in)\n"
    "  %l = getelementptr [4 x i64], ptr %out, i64 0, i64 3\n  %four = load i64, ptr %l\n"
    "  %s = add i64 %v, %n\n  %t = add i64 %s, %four\n  ret i64 %t\n}\n"
    "define i64 @even(i64 %n)" GC "  %z = icmp eq i64 %n, 0\n  br i1 %z, label %yes, label %more\n"
    "more:\n  %m = sub i64 %n, 1\n  %x = call i64 @odd(i64 %m)\n  ret i64 %x\nyes:\n  ret i64 1\n}\n"
    "define i64 @odd(i64 %n)" GC "  %z = icmp eq i64 %n, 0\n  br i1 %z, label %no, label %more\n"
    "more:\n  %m = sub i64 %n, 1\n  %x = call i64 @even(i64 %m)\n  ret i64 %x\nno:\n  ret i64 0\n}\n"
    "define i64 @raced(ptr addrspace(1) %x)" GC "  %v = call i64 @value(ptr addrspace(1) %x)\n  ret i64 %v\n}\n"
    "define void @unused()" GC "  ret void\n}\n";

/* Hidden symbols, definitions that their own part does not use, a table of addresses of blocks, a leaf that takes a
 * reference, and a literal name. */
static const char symbols[] =
    "@hidden = hidden global i64 5\n@odr = linkonce_odr global i64 30\n"
    "@labels = internal global [2 x ptr] [ptr blockaddress(@jump, %a), ptr blockaddress(@jump, %b)]\n"
    "define hidden i64 @read()" GC "  %n = load i64, ptr @hidden\n  ret i64 %n\n}\n"
    "define linkonce_odr i64 @weak()" GC "  %n = load i64, ptr @odr\n  ret i64 %n\n}\n"
    "define internal i64 @jump(i64 %n)" GC "  %p = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %n\n"
    "  %q = load ptr, ptr %p\n  indirectbr ptr %q, [label %a, label %b]\n"
    "a:\n  ret i64 100\nb:\n  ret i64 200\n}\n"
    "define i64 @leaf(ptr addrspace(1) %p) noinline \"gc-leaf-function\" {\n  %n = icmp eq ptr addrspace(1) %p, null\n"
    "  %m = select i1 %n, i64 1000, i64 0\n  ret i64 %m\n}\n"
    "define i64 @\"\\01literal\"()" GC "  ret i64 5000\n}\n"
    "define i64 @symbols()" GC "  %1 = call i64 @read()\n  %2 = call i64 @weak()\n  %3 = call i64 @jump(i64 1)\n"
    "  %4 = add i64 %1, %2\n  %5 = add i64 %3, %4\n  %6 = call i64 @leaf(ptr addrspace(1) null)\n"
    "  %7 = call i64 @\"\\01literal\"()\n  %8 = add i64 %5, %6\n  %9 = add i64 %8, %7\n  ret i64 %9\n}\n";

static void first_calls(void)
{
  ref (*cons)(long, ref) = ((ref(**)(long, ref))find("table"))[0];
  uintptr_t before = code_of("cons");
  ref list = NULL;

  for (int i = 1; i <= 3; i++)
    list = cons(i, list);
  printf("list: %ld %ld %ld\n", list->value, list->next->value, list->next->next->value);
  printf("compiled: %s, then %s\n", code_of("cons") != before ? "at the first call" : "before",
         cons == find("cons") ? "one address" : "another address");
  printf("many: %g\n", ((double (*)(ref))find("call_many"))(list));
  printf("structures: %ld\n", ((long (*)(ref))find("structs"))(list));
  printf("even: %ld %ld\n", ((long (*)(long))find("even"))(100), ((long (*)(long))find("even"))(7));
  long a = ((long (*)(void))find("count_a"))(), b = ((long (*)(void))find("count_b"))();
  printf("count: %ld %ld\n", a, b);
  add_lazy(symbols);
  printf("symbols: %ld\n", ((long (*)(void))find("symbols"))());
}

/* ---- threads ---- */

static atomic_int waiting;
static atomic_long sum;

static void *race(void *unused)
{
  ref cell = cairn_new(struct cell);

  cell->value = 5;
  long (*raced)(ref) = (long (*)(ref))find("raced");
  atomic_fetch_add(&waiting, 1);
  while (atomic_load(&waiting) < 4)
    continue;
  atomic_fetch_add(&sum, raced(cell));
  return unused;
}

/* Numbers of modules tell how many were compiled between: this one and its stubs take two. */
static void threads_race(void)
{
  pthread_t threads[4];
  uint64_t first = add_lazy("define i64 @mark_1()" GC "  ret i64 1\n}\n");

  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, race, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  printf("raced: %ld, compilations: %lu\n", atomic_load(&sum),
         (unsigned long)(add_lazy("define i64 @mark_2()" GC "  ret i64 1\n}\n") - first - 2));
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 1}};
  char *error = NULL;

  check(cairn_jit_new(&options, &session, &error), error);
  if (argc > 1 && strcmp(argv[1], "bad") == 0) {
    add_lazy("declare i64 @nowhere()\ndefine i64 @bad()" GC "  %n = call i64 @nowhere()\n  ret i64 %n\n}\n");
    void (*bad)(void) = (void (*)(void))find("bad");
    printf("found\n");
    fflush(stdout);
    bad();
  }
  uint64_t module = add_lazy(text);
  first_calls();
  threads_race();
  check(cairn_jit_remove(session, module, &error), error);
  cairn_collect();
  printf("removed: %zu pending, %s\n", cairn_jit_pending(session, NULL, NULL),
         cairn_jit_remove(session, module, &error) == CAIRN_E_UNKNOWN ? "gone" : "there");
  free(error);
  cairn_jit_dispose(session);
  return 0;
}
