/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: which forms, which functions; the entry and the main function.
 */
#include "random/modules/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"

enum { CN_FUEL = 40 };

bool cn_random_may_refuse(uint64_t forms, const char *rule)
{
  size_t length = strlen(rule);

  for (unsigned f = 0; f < CN_FORMS; f++) {
    const char *rules = cn_form_table[f].rules, *found = strstr(rules, rule);
    if (forms >> f & 1 && found && (found == rules || found[-1] == ' ') && (found[length] == ' ' || !found[length]))
      return true;
  }
  return false;
}

/* A module that is run has any of the forms that can be; another has one, so that what becomes of
 * it is that form's doing. Two kinds of pads do not go together, nor do places and tail calls of
 * the musttail kind. Spans and points go with all, in some modules. */
static uint64_t choose_forms(struct cn_maker *m, const struct cn_random_wish *wish)
{
  uint64_t forms = m->seed % 5 == 3 ? (uint64_t)1 << CN_FORM_SPANS : 0;

  forms |= m->seed % 4 == 2 || wish->points ? (uint64_t)1 << CN_FORM_POINTS : 0;
  if (wish->only != CN_FORMS)
    return 1u | (uint64_t)1 << wish->only;
  if (!m->run) {
    forms |= 1u | (uint64_t)1 << cn_below(m, CN_FORM_SPANS);
    return cn_chance(m, 20) ? forms | (uint64_t)1 << cn_below(m, CN_FORM_SPANS) : forms;
  }
  for (unsigned f = 0; f < CN_FORM_SPANS; f++)
    if (cn_form_table[f].run && cn_chance(m, 35))
      forms |= (uint64_t)1 << f;
  return forms | 1u;
}

static void run_passes(struct cn_maker *m, const char *passes)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(m->module, passes, NULL, options);

  CN_CHECK(!error);
  LLVMDisposePassBuilderOptions(options);
}

/* Make allocas of the managed address space of those that odd.c has named, in the module's text. */
static LLVMModuleRef manage_allocas(LLVMContextRef llvm, LLVMModuleRef module)
{
  char *text = LLVMPrintModuleToString(module), *out, *message = NULL;
  size_t size;
  FILE *file = open_memstream(&out, &size);

  CN_CHECK(file);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    const char *cast = strstr(line, " addrspacecast ptr %managed");
    if (strstr(line, "%managed.cast") == line + 2 && cast)
      fprintf(file, "%.*s bitcast ptr addrspace(1)%.*s to ptr addrspace(1)\n", (int)(cast - line), line,
              (int)(strstr(cast, " to ") - cast - 18), cast + 18);
    else if (strstr(line, "%managed") == line + 2 && strstr(line, " = alloca "))
      fprintf(file, "%s, addrspace(1)\n", line);
    else
      fprintf(file, "%s\n", line);
  }
  fclose(file);
  LLVMDisposeMessage(text);
  LLVMDisposeModule(module);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(out, size, "managed");
  free(out);
  if (LLVMParseIRInContext(llvm, buffer, &module, &message))
    fprintf(stderr, "%s\n", message);
  CN_CHECK(!message);
  return module;
}

static void fill_roots(struct cn_maker *m)
{
  LLVMValueRef node = cn_new_node(m, NULL, NULL);

  LLVMBuildStore(m->builder, node, m->roots[CN_NODE]);
  LLVMBuildStore(m->builder, cn_new_array(m, CN_LONGS, NULL), m->roots[CN_LONGS]);
  node = LLVMBuildLoad2(m->builder, m->ref, m->roots[CN_NODE], "");
  LLVMBuildStore(m->builder, cn_new_array(m, CN_NODES, node), m->roots[CN_NODES]);
  LLVMBuildStore(m->builder, cn_new_tree(m, node), m->roots[CN_TREE]);
}

/* `i64 run_SEED()`: makes the roots, and calls each function a few times. */
static void make_entry(struct cn_maker *m)
{
  struct cn_random_function entry = {.result = CN_NUMBER};
  char name[64];

  snprintf(name, sizeof name, "run_%llu", (unsigned long long)m->seed);
  m->function = LLVMAddFunction(m->module, name, LLVMFunctionType(m->i64, NULL, 0, false));
  LLVMSetGC(m->function, "statepoint-example");
  entry.value = m->function;
  m->current = &entry;
  m->pad_count = 0;
  LLVMPositionBuilderAtEnd(m->builder, cn_cfg_block(m));
  cn_make_variables(m, fill_roots);
  for (unsigned f = 0; f < m->function_count; f++) {
    LLVMBuildStore(m->builder, cn_int(m, CN_FUEL), m->fuel);
    LLVMValueRef result = cn_call_function(m, &m->functions[f], m->functions[f].value);
    if (m->functions[f].result != CN_VOID)
      cn_set(m, m->functions[f].result, result);
  }
  LLVMBuildRet(m->builder, cn_get(m, CN_NUMBER));
}

LLVMModuleRef cn_random_module(LLVMContextRef llvm, const struct cn_random_wish *wish, uint64_t *forms)
{
  struct cn_maker m = {.llvm = llvm, .seed = wish->seed, .run = wish->run, .plain = wish->plain};
  char name[64];

  m.machine = cn_random_machine();
  m.random = m.seed * 2 + m.run;
  snprintf(name, sizeof name, "random_%llu", (unsigned long long)m.seed);
  m.module = LLVMModuleCreateWithNameInContext(name, llvm);
  LLVMSetTarget(m.module, m.machine->triple);
  LLVMSetDataLayout(m.module, m.machine->layout);
  m.builder = LLVMCreateBuilderInContext(llvm);
  *forms = m.forms = choose_forms(&m, wish);
  cn_maker_types(&m);
  cn_maker_globals(&m);
  unsigned count = 2 + cn_below(&m, m.run ? CN_FUNCTIONS - 3 : 2);
  for (unsigned f = 0; f < count; f++) {
    m.function_count++;
    snprintf(name, sizeof name, "f%u", f);
    cn_declare_function(&m, &m.functions[f], name);
  }
  for (unsigned f = 0; f < count; f++)
    cn_make_function(&m, &m.functions[f]);
  make_entry(&m);
  LLVMDisposeBuilder(m.builder);
  if (!cn_has(&m, CN_FORM_MEMORY))
    run_passes(&m, "function(mem2reg)");
  if (cn_has(&m, CN_FORM_MANAGED_ALLOCA))
    m.module = manage_allocas(llvm, m.module);
  return m.module;
}

LLVMModuleRef cn_random_main(LLVMContextRef llvm, uint64_t first, uint64_t count)
{
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("random_main", llvm);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(llvm), i32 = LLVMInt32TypeInContext(llvm);
  LLVMTypeRef run = LLVMFunctionType(i64, NULL, 0, false);
  LLVMTypeRef params[] = {i64, i64};
  LLVMTypeRef report = LLVMFunctionType(LLVMVoidTypeInContext(llvm), params, 2, false);
  LLVMValueRef show = LLVMAddFunction(module, "random_report", report);
  LLVMValueRef patch = LLVMAddFunction(module, "random_patch", report);
  LLVMValueRef f = LLVMAddFunction(module, "main", LLVMFunctionType(i32, NULL, 0, false));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(llvm);

  LLVMSetTarget(module, cn_random_machine()->triple);
  LLVMSetDataLayout(module, cn_random_machine()->layout);
  LLVMSetGC(f, "statepoint-example");
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(llvm, f, ""));
  LLVMValueRef range[] = {LLVMConstInt(i64, first, false), LLVMConstInt(i64, count, false)};
  LLVMBuildCall2(builder, report, patch, range, 2, "");
  for (uint64_t seed = first; seed < first + count; seed++) {
    char name[64];
    snprintf(name, sizeof name, "run_%llu", (unsigned long long)seed);
    LLVMValueRef args[2] = {LLVMConstInt(i64, seed, false)};
    LLVMValueRef one = LLVMAddFunction(module, name, run);
    args[1] = LLVMBuildCall2(builder, run, one, NULL, 0, "");
    LLVMBuildCall2(builder, report, show, args, 2, "");
  }
  LLVMBuildRet(builder, LLVMConstInt(i32, 0, false));
  LLVMDisposeBuilder(builder);
  return module;
}
