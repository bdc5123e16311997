/* SPDX-License-Identifier: Apache-2.0
 *
 * The analyses as text, stable from run to run: for people, and for tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/rewrite/values/refs.h"
#include "compile/tail/tail.h"

static void print_name(LLVMBasicBlockRef block, uint32_t index, FILE *out)
{
  const char *name = LLVMGetBasicBlockName(block);

  if (*name)
    fprintf(out, "%%%s", name);
  else
    fprintf(out, "#%u", index);
}

static void print_cfg(LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;

  cn_cfg_build(&cfg, function);
  for (uint32_t b = 0; b < cfg.count; b++) {
    const struct cn_block *block = &cfg.blocks[b];
    fputs("  ", out);
    print_name(block->block, b, out);
    fputs(": preds", out);
    for (uint32_t p = 0; p < block->pred_count; p++) {
      fputc(' ', out);
      print_name(cfg.blocks[block->preds[p]].block, block->preds[p], out);
      if (cn_cfg_retreats(block->preds[p], b))
        fputs("(back)", out);
    }
    fputs(" idom ", out);
    print_name(cfg.blocks[block->idom].block, block->idom, out);
    if (block->loop != CN_NO_BLOCK) {
      fputs(" loop ", out);
      print_name(cfg.blocks[block->loop].block, block->loop, out);
      fprintf(out, " depth %u", block->depth);
    }
    fputc('\n', out);
  }
  cn_cfg_free(&cfg);
}

/* ", at a.c:3:5", where there is debug information. */
static void print_position(LLVMValueRef call, FILE *out)
{
  unsigned length, line = LLVMGetDebugLocLine(call);
  const char *file = line ? LLVMGetDebugLocFilename(call, &length) : NULL;

  if (file)
    fprintf(out, ", at %.*s:%u:%u", (int)length, file, line, LLVMGetDebugLocColumn(call));
}

/* One line per call of `function`, in block order: kind, callee, why. */
static void print_calls(LLVMValueRef function, FILE *out)
{
  static const char *const words[] = {"", "leaf", "parse", "musttail", "statepoint"};
  size_t length;
  char name[160];

  fprintf(out, "calls of @%s\n", LLVMGetValueName2(function, &length));
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      struct cn_call_class class = cn_classify_call(i);
      if (class.kind == CN_CALL_NOT)
        continue;
      fprintf(out, "  %s: %s (%s%s)", words[class.kind], cn_calls_name(i, name, sizeof name),
              class.why, cn_tail_position(i) ? "; in tail position" : "");
      print_position(i, out);
      fputc('\n', out);
    }
}

static const struct analysis {
  const char *name;
  void (*print)(LLVMValueRef function, FILE *out);
  bool titled; /* prints the function's name itself */
} analyses[] = {
    {"cfg", print_cfg, false},
    {"liveness", cn_liveness_print, false},
    {"bases", cn_bases_print, false},
    {"calls", print_calls, true},
};

static char *print_with(LLVMModuleRef module, const struct analysis *analysis)
{
  char *text = NULL;
  size_t size = 0, length;
  FILE *out = open_memstream(&text, &size);

  CN_CHECK(out);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    if (!analysis->titled)
      fprintf(out, "%s of @%s:\n", analysis->name, LLVMGetValueName2(f, &length));
    analysis->print(f, out);
  }
  fclose(out);
  return text;
}

enum cairn_status cairn_compile_print(LLVMModuleRef module, const char *analysis,
                                      const struct cairn_compile_options *options, char **text)
{
  static const struct cairn_compile_options defaults;
  struct cn_reference_spaces before = cn_reference_spaces_enter(options ? options : &defaults);

  *text = NULL;
  for (size_t i = 0; !*text && i < sizeof analyses / sizeof *analyses; i++)
    if (strcmp(analyses[i].name, analysis) == 0)
      *text = print_with(module, &analyses[i]);
  cn_reference_spaces_leave(before);
  return *text ? CAIRN_OK : CAIRN_E_UNKNOWN;
}
