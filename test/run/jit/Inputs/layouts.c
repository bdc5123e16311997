/* Modules of a session that share layouts with each other and with the program, which makes one at run time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/collector.h>
#include <cairn/heap.h>
#include <cairn/jit.h>

void cairn_collect(void);

static struct cairn_jit *session;

static uint64_t add(const char *text)
{
  uint64_t module = 0;
  char *error = NULL;

  if (cairn_jit_add_ir(session, text, strlen(text), &module, &error))
    printf("add: %s\n", error);
  free(error);
  return module;
}

static void call(const char *name)
{
  void *function;
  char *error = NULL;
  enum cairn_status status = cairn_jit_look_up(session, name, &function, &error);

  if (status)
    printf("%s: %s: %s\n", name, status == CAIRN_E_REFUSED ? "REFUSED" : "?", error);
  else
    printf("%s() = %ld\n", name, ((long (*)(void))function)());
  free(error);
}

#define ALLOC "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
#define CELLS "@cells = external global ptr addrspace(1)\n"

/* A function `name` that allocates an object of the layout, and puts it before the list @cells. */
static uint64_t add_user(const char *name, const char *layout, const char *type, int size, const char *calls)
{
  char text[2000];

  snprintf(text, sizeof text,
           "source_filename = \"%s.src\"\n%%t = type %s\n" CELLS ALLOC "@%s = external constant %%t\n"
           "declare i64 @%s()\n"
           "define i64 @%s() gc \"statepoint-example\" {\n"
           "  %%x = call ptr addrspace(1) @cairn_alloc(ptr @%s, i64 %d)\n"
           "  %%old = load ptr addrspace(1), ptr @cells\n  store ptr addrspace(1) %%old, ptr addrspace(1) %%x\n"
           "  %%v = getelementptr i8, ptr addrspace(1) %%x, i64 8\n  store i64 7, ptr addrspace(1) %%v\n"
           "  store ptr addrspace(1) %%x, ptr @cells\n"
           "  %%n = call i64 @%s()\n  ret i64 %%n\n}\n",
           name, type, layout, calls, name, layout, size, calls);
  return add(text);
}

static void count(void *env, const struct cairn_heap_object *object)
{
  long *counts = env;
  char type[20];

  if (object->layout == NULL)
    return;
  cairn_layout_type(object->layout, type, sizeof type);
  counts[0] += object->layout == cairn_layout_find("cell.layout");
  counts[1] += object->layout != cairn_layout_find("cell.layout") && strcmp(type, "cell.layout") == 0;
}

static void collect_and_count(void)
{
  long counts[2] = {0};

  call("collect");
  cairn_heap_walk(count, counts);
  printf("cells %ld, others %ld\n", counts[0], counts[1]);
}

int main(void)
{
  static const uint32_t at_0[] = {0};
  struct cairn_layout_description cell = {
      .size = sizeof cell, .name = "cell.layout", .base_size = 16, .base_refs = 1, .offsets = at_0};
  const struct cairn_layout *layout;
  char *error = NULL, fault[200];

  if (cairn_jit_new(NULL, &session, &error))
    return fprintf(stderr, "%s\n", error), 1;
  add("@cells = global ptr addrspace(1) null\ndeclare void @cairn_collect()\n"
      "define i64 @collect() gc \"statepoint-example\" {\n  call void @cairn_collect()\n  ret i64 0\n}\n"
      "define i64 @length() gc \"statepoint-example\" {\nentry:\n  %first = load ptr addrspace(1), ptr @cells\n"
      "  br label %loop\nloop:\n  %at = phi ptr addrspace(1) [ %first, %entry ], [ %next, %more ]\n"
      "  %n = phi i64 [ 0, %entry ], [ %sum, %more ]\n  %end = icmp eq ptr addrspace(1) %at, null\n"
      "  br i1 %end, label %out, label %more\nmore:\n  %v = getelementptr i8, ptr addrspace(1) %at, i64 8\n"
      "  %value = load i64, ptr addrspace(1) %v\n  %sum = add i64 %n, %value\n"
      "  %next = load ptr addrspace(1), ptr addrspace(1) %at\n  br label %loop\nout:\n  ret i64 %n\n}\n");
  uint64_t early = add_user("early", "cell.layout", "opaque", 0, "length");
  void *address;
  if (cairn_jit_look_up(session, "early", &address, &error))
    printf("early: %s\n", error);
  if (cairn_layout_make(&cell, &layout, fault, sizeof fault))
    puts(fault);
  call("early");
  uint64_t typed = add_user("typed", "cell.layout", "{ ptr addrspace(1), i64 }", 16, "early");
  call("typed");
  add_user("large", "cell.layout", "{ ptr addrspace(1), i64, i64 }", 24, "length");
  call("large");
  call("large");
  /* Two that differ in one link. */
  add_user("first", "other", "{ ptr addrspace(1), i64 }", 16, "length");
  add_user("second", "other", "{ ptr addrspace(1), i64, i64 }", 24, "first");
  call("second");
  collect_and_count();
  if (cairn_jit_remove(session, typed, &error) || cairn_jit_remove(session, early, &error))
    puts(error);
  printf("waiting %zu\n", cairn_jit_pending(session, NULL, NULL));
  collect_and_count();
  call("length");
  cairn_jit_dispose(session);
  return 0;
}
