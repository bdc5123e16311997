/* Modules whose images do not fit the program: the look-up refuses each one, and the session works on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/jit.h>

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

/* A module with a function `name`, which allocates a cell of a type with the trait, and loads from it. */
static uint64_t add_type(const char *name, const char *trait)
{
  char text[2000];

  snprintf(text, sizeof text,
           "source_filename = \"%s.src\"\n%%c = type { ptr addrspace(1), i64 }\n"
           "@c.layout = internal constant %%c zeroinitializer, !cairn.type !0\n!0 = !{!\"cell\"%s}\n"
           "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
           "define i64 @%s() gc \"statepoint-example\" {\n"
           "  %%x = call ptr addrspace(1) @cairn_alloc(ptr @c.layout, i64 16)\n"
           "  %%y = getelementptr i8, ptr addrspace(1) %%x, i64 8\n  store volatile i64 7, ptr addrspace(1) %%y\n"
           "  %%z = load volatile i64, ptr addrspace(1) %%y\n  ret i64 %%z\n}\n",
           name, trait, name);
  return add(text);
}

#define WORDS(code) "!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"cairn.words\", !\"" code "\"}\n"

int main(void)
{
  char *error = NULL;

  if (cairn_jit_new(NULL, &session, &error))
    return fprintf(stderr, "%s\n", error), 1;
  /* Two kinds in one link. */
  add("source_filename = \"two.src\"\ndefine i64 @two() gc \"statepoint-example\" {\n  ret i64 2\n}\n" WORDS("000:10"));
  uint64_t both = add("declare i64 @two()\ndefine i64 @both() gc \"statepoint-example\" {\n"
                      "  %x = call i64 @two()\n  ret i64 %x\n}\n");
  call("both");
  call("both");
  add("define i64 @one() gc \"statepoint-example\" {\n  ret i64 1\n}\n");
  call("one");
  call("two");
  uint64_t fixed = add_type("fixed", ", !\"never-moves\"");
  call("fixed");
  add_type("plain", "");
  call("plain");
  call("fixed");
  if (cairn_jit_remove(session, fixed, &error) || cairn_jit_remove(session, both, &error))
    printf("%s\n", error);
  add_type("fixed", "");
  call("fixed");
  call("one");
  cairn_jit_dispose(session);
  return 0;
}
