/* SPDX-License-Identifier: Apache-2.0
 *
 * Many modules for a session at the price of one compilation: copies of a model, with other numbers in their names. The
 * functions of a module allocate and call each other. Included by programs of the session's room. One thread.
 */
#ifndef CN_BENCH_JIT_COPIES_H
#define CN_BENCH_JIT_COPIES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include "base/check.h"
#include "jit/session.h"

enum { FIRST_NUMBER = 1000000, DIGITS = 7 };

static struct cairn_jit *session;
static unsigned long last_number = FIRST_NUMBER;

static void stop(const char *message)
{
  fprintf(stderr, "%s\n", message);
  exit(1);
}

static LLVMModuleRef make_ir(LLVMContextRef context, int functions, const char *gc)
{
  size_t room = 1024 + (size_t)functions * 512;
  char *text = malloc(room), *message = NULL;
  int length = snprintf(text, room,
                        "%%cell = type { ptr addrspace(1), i64 }\n"
                        "@cell.layout = internal constant %%cell zeroinitializer\n"
                        "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
                        "define ptr addrspace(1) @f_%d_0(i64 %%n) %s {\n"
                        "  %%cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n"
                        "  ret ptr addrspace(1) %%cell\n}\n",
                        FIRST_NUMBER, gc);
  LLVMModuleRef ir;

  for (int i = 1; i < functions; i++)
    length += snprintf(text + length, room - (size_t)length,
                       "define ptr addrspace(1) @f_%1$d_%2$d(i64 %%n) %4$s {\n"
                       "  %%m = mul i64 %%n, %2$d\n"
                       "  %%a = call ptr addrspace(1) @f_%1$d_%3$d(i64 %%m)\n"
                       "  %%b = call ptr addrspace(1) @f_%1$d_%3$d(i64 %%n)\n"
                       "  store ptr addrspace(1) %%a, ptr addrspace(1) %%b\n"
                       "  ret ptr addrspace(1) %%b\n}\n",
                       FIRST_NUMBER, i, i / 2, gc);
  if (LLVMParseIRInContext2(context, LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)length, "ir"), &ir,
                            &message))
    stop(message);
  free(text);
  return ir;
}

static struct cn_jit_module *make_model(LLVMContextRef context, int functions)
{
  enum cairn_status status;
  char *error;

  session->numbers = FIRST_NUMBER - 1;
  LLVMModuleRef ir = make_ir(context, functions, "gc \"statepoint-example\"");
  struct cn_jit_module *model = cn_jit_compile(session, CAIRN_TIER_FULL, ir, &status, &error);
  if (!model)
    stop(error);
  return model;
}

/* A copy with another number. */
static struct cn_jit_module *copy_model(const struct cn_jit_module *model)
{
  struct cn_jit_module *module = cn_alloc(sizeof *module);
  char from[DIGITS + 1], to[DIGITS + 1], *error;

  module->number = ++last_number;
  module->title = cn_strdup("copy");
  module->object_size = model->object_size;
  module->object = cn_alloc(model->object_size);
  memcpy(module->object, model->object, model->object_size);
  snprintf(from, sizeof from, "%d", FIRST_NUMBER);
  snprintf(to, sizeof to, "%lu", last_number);
  char *at = module->object, *end = at + module->object_size;
  while ((at = memmem(at, (size_t)(end - at), from, DIGITS)) != NULL)
    memcpy(at, to, DIGITS);
  if (!cn_jit_module_read_symbols(module, &error))
    stop(error);
  return module;
}

/* Returns the address of the module's first function, which returns a cell. */
static void *link_module(struct cn_jit_module *module)
{
  char name[32], *error;
  void *address;

  snprintf(name, sizeof name, "f_%lu_0", (unsigned long)module->number);
  pthread_mutex_lock(&session->lock);
  cn_jit_insert_module(session, module);
  pthread_mutex_unlock(&session->lock);
  if (cairn_jit_look_up(session, name, &address, &error))
    stop(error);
  return address;
}

#endif
