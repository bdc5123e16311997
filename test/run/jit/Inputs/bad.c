/* Bad input of sessions: each is a status with a message, and the session works on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/jit.h>

#ifndef TIER
#define TIER CAIRN_TIER_FULL
#endif

static struct cairn_jit *session;
static int wrong;

static const char *name_of(enum cairn_status status)
{
  switch ((int)status) {
#define CAIRN_STATUS(name, value, text) \
  case value: \
    return #name;
#include <cairn/status.def>
#undef CAIRN_STATUS
  }
  return status == CAIRN_OK ? "OK" : "?";
}

static void show(const char *what, enum cairn_status status, char *error)
{
  wrong |= (status == CAIRN_OK) != (error == NULL);
  printf("%s: %s: %s\n", what, name_of(status), error ? error : "-");
  free(error);
}

static uint64_t add(const char *what, const char *text)
{
  uint64_t module = 99;
  char *error = NULL;
  enum cairn_status status = cairn_jit_add_ir(session, text, strlen(text), &module, &error);

  wrong |= (status == CAIRN_OK) != (module != 0);
  show(what, status, error);
  return module;
}

static void look_up(const char *name)
{
  void *address = &wrong;
  char *error = NULL;
  enum cairn_status status = cairn_jit_look_up(session, name, &address, &error);

  wrong |= (status == CAIRN_OK) != (address != NULL);
  show(name, status, error);
}

static void drop(const char *what, uint64_t module)
{
  char *error = NULL;

  show(what, cairn_jit_remove(session, module, &error), error);
}

static void begin(const char *what, struct cairn_jit_options options)
{
  char *error = NULL;

  show(what, cairn_jit_new(&options, &session, &error), error);
  if (session)
    cairn_jit_dispose(session);
}

static int found;

static void diagnose(void *env, const struct cairn_diagnostic *d)
{
  wrong |= env != &session;
  found += d->severity == CAIRN_ERROR;
}

int main(void)
{
  begin("shared", (struct cairn_jit_options){.compile = {.shared = true}});
  begin("processor", (struct cairn_jit_options){.cpu = "z80"});
  begin("old processor", (struct cairn_jit_options){.cpu = "i386"});
  begin("level", (struct cairn_jit_options){.compile = {.opt_level = 4}});
  begin("tier", (struct cairn_jit_options){.compile = {.tier = CAIRN_TIER_QUICK + 1}});
  begin("barriers", (struct cairn_jit_options){.compile = {.barriers = CAIRN_BARRIERS_LOADS}});

  const struct cairn_jit_options options = {
      .compile = {.tier = TIER, .opt_level = 1, .diagnose = diagnose, .env = &session}};
  char *error = NULL;
  if (cairn_jit_new(&options, &session, &error))
    return 1;
  add("parse", "define i32 @f( {");
  add("empty", "");
  add("verify", "define i32 @f() gc \"statepoint-example\" {\n  ret i32 0\n}\n"
                "define i32 @g() {\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n");
  add("triple", "target triple = \"aarch64-unknown-linux-gnu\"\ndefine void @f() {\n  ret void\n}\n");
  add("layout", "target datalayout = \"E-m:e-i64:64\"\ndefine void @f() {\n  ret void\n}\n");
  add("construct", "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
                   "{ i32 1, ptr @f, ptr null }]\ndefine void @f() {\n  ret void\n}\n");
  add("local", "@x = thread_local global i32 0\n");
  add("ifunc", "@i = ifunc void (), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}\n");
  add("strategy", "define i64 @g(i64 %n) gc \"nonsense\" {\n  ret i64 %n\n}\n");
  add("image", "@cairn.jit.image.8.0 = global i32 0\n");
  add("refused", "define i64 @f(ptr addrspace(1) %p) gc \"statepoint-example\" {\n"
                 "  %x = ptrtoint ptr addrspace(1) %p to i64\n  call void @g()\n  ret i64 %x\n}\ndeclare void @g()\n");
  printf("errors told: %s\n", found ? "yes" : "no");
  add("assembly", "define void @f() {\n  call void asm sideeffect \"no such instruction\", \"\"()\n  ret void\n}\n");
  look_up("f");

  uint64_t first = add("first", "define i32 @f() gc \"statepoint-example\" {\n  ret i32 1\n}\n");
  add("twice", "define i32 @f() gc \"statepoint-example\" {\n  ret i32 2\n}\ndefine i32 @h() {\n  ret i32 3\n}\n");
  look_up("h");
  look_up("f");
  show("defined", cairn_jit_define(session, "f", &wrong, &error), error);

  uint64_t second = add("second", "source_filename = \"k.src\"\ndeclare i32 @nowhere()\n@data = external global i32\n"
                                  "define i32 @k() gc \"statepoint-example\" {\n  %x = call i32 @nowhere()\n"
                                  "  %y = load i32, ptr @data\n  %z = add i32 %x, %y\n  ret i32 %z\n}\n");
  look_up("k");
  add("unnamed", "declare i32 @nowhere()\ndefine i32 @u() gc \"statepoint-example\" {\n"
                 "  %x = call i32 @nowhere()\n  ret i32 %x\n}\n");
  look_up("u");
  uint64_t third = add("third", "@data = global i32 7\ndefine i32 @nowhere() gc \"statepoint-example\" {\n"
                                "  ret i32 35\n}\n");
  look_up("k");
  void *k;
  if (cairn_jit_look_up(session, "k", &k, &error) == CAIRN_OK)
    printf("k() = %d\n", ((int (*)(void))k)());
  add("native", "declare void @atoi(ptr addrspace(1))\ndefine void @n() gc \"statepoint-example\" {\n"
                "  call void @atoi(ptr addrspace(1) null)\n  ret void\n}\n");
  look_up("n");
  add("large", "@large = global [4611686018427387904 x i8] zeroinitializer\n");
  look_up("large");

  drop("first", first);
  drop("first again", first);
  drop("never", 1000);
  drop("zero", 0);
  look_up("f");
  drop("second", second);
  drop("third", third);
  cairn_jit_dispose(session);
  return wrong;
}
