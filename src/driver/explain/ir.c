/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the finished module's IR: prints the module once, and walks the text and the instructions side by side, so that
 * each line of text has the facts of its instruction. Runs in the driver's thread, just before code generation, and
 * leaves the module unchanged. The text lives in struct cn_explain.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "driver/cc/command.h"
#include "driver/explain/explain.h"

struct ir_walk {
  struct cn_explain *explain;
  struct cn_text rest; /* of the module's text */
  size_t function;     /* index */
  LLVMBasicBlockRef block;
  LLVMValueRef next;    /* the instruction of the next line */
  struct cn_text label; /* of the block */
  bool started;         /* the first block has begun */
};

/* ---- positions ---- */

/* LLVM's text for a position: "a.c:7:3 @[ a.c:15:16 ]". */
static const char *format_chain(LLVMMetadataRef location)
{
  unsigned length;
  LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
  LLVMMetadataRef outer = LLVMDILocationGetInlinedAt(location);
  const char *name = file ? LLVMDIFileGetFilename(file, &length) : "", *rest = outer ? format_chain(outer) : NULL;

  return cn_command_format_string("%s:%u:%u%s%s%s", name, LLVMDILocationGetLine(location),
                                  LLVMDILocationGetColumn(location), rest ? " @[ " : "", rest ? rest : "",
                                  rest ? " ]" : "");
}

static struct cn_explain_position position_of(LLVMValueRef instruction)
{
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction), outer = location, next;
  struct cn_explain_position position = {0};

  if (!location)
    return position;
  while ((next = LLVMDILocationGetInlinedAt(outer)) != NULL)
    outer = next;
  position.line = LLVMDILocationGetLine(outer);
  position.at_line = LLVMDILocationGetLine(location);
  position.at_column = LLVMDILocationGetColumn(location);
  position.inlined = outer != location;
  position.chain = format_chain(location);
  return position;
}

/* ---- lines ---- */

/* The text without metadata and comments at its end. */
static struct cn_text strip_attachments(struct cn_text text)
{
  bool quoted = false;

  for (size_t i = 0; i + 3 < text.size; i++) {
    bool metadata = text.at[i] == ',' && text.at[i + 1] == ' ' && text.at[i + 2] == '!';
    char after = text.at[i + 3];
    quoted ^= text.at[i] == '"';
    if (!quoted && ((metadata && after >= 'a' && after <= 'z') || strncmp(text.at + i, " ; (", 4) == 0))
      return (struct cn_text){text.at, i};
  }
  return text;
}

static void take_statepoint(struct ir_walk *walk, LLVMValueRef call, struct cn_explain_line *line)
{
  struct cn_explain *explain = walk->explain;
  struct cn_explain_statepoint statepoint = {
      .block = walk->label, .function = walk->function, .position = line->position, .safepoint = CN_EXPLAIN_NONE};

  cn_explain_take_statepoint(&statepoint, call, line->text);
  line->kind = statepoint.kind;
  line->why = statepoint.why;
  line->statepoint = explain->statepoints.count;
  line->text = cn_explain_shorten_statepoint(line->text);
  cn_push(&explain->statepoints, statepoint);
}

static void classify_line(struct ir_walk *walk, LLVMValueRef instruction, struct cn_explain_line *line)
{
  struct cn_call_class class = cn_classify_call(instruction);

  if (class.kind == CN_CALL_STATEPOINT) {
    take_statepoint(walk, instruction, line);
  } else if (cn_is_call(instruction) && cn_calls_intrinsic(instruction, "llvm.experimental.gc.relocate")) {
    line->kind = CN_EXPLAIN_RELOCATION;
    line->text = cn_explain_shorten_relocation(line->text);
  } else if (class.kind == CN_CALL_LEAF && !cn_calls_some_intrinsic(instruction)) {
    line->kind = CN_EXPLAIN_LEAF;
    line->why = class.why;
  }
}

static bool begins_instruction(struct cn_text line)
{
  return line.size > 2 && line.at[0] == ' ' && line.at[1] == ' ' && !strchr(" ];", line.at[2]);
}

/* Take an instruction with the lines that continue it: the cases of a switch, the ends of an invoke. */
static void take_instruction(struct ir_walk *walk, struct cn_text line)
{
  struct cn_explain_function *function = &walk->explain->functions.at[walk->function];
  LLVMValueRef instruction = walk->next;

  CN_CHECK(instruction != NULL); /* the text has a line for each instruction */
  walk->next = LLVMGetNextInstruction(instruction);
  for (struct cn_text rest = walk->rest, more; cn_text_next_line(&rest, &more); walk->rest = rest) {
    if (begins_instruction(more) || more.size < 3 || more.at[0] != ' ' || cn_text_begins_with(more, "    #dbg_"))
      break;
    line.size = (size_t)(more.at + more.size - line.at);
  }
  struct cn_explain_line taken = {.text = cn_text_skip(line, 2),
                                  .block = walk->label,
                                  .position = position_of(instruction),
                                  .statepoint = CN_EXPLAIN_NONE};
  classify_line(walk, instruction, &taken);
  if (taken.kind == CN_EXPLAIN_PLAIN || taken.kind == CN_EXPLAIN_LEAF)
    taken.text = cn_text_trim(strip_attachments(taken.text));
  struct cn_explain_lines *lines = &function->ir;
  cn_push(lines, taken);
}

static void begin_block(struct ir_walk *walk, struct cn_text line)
{
  CN_CHECK(walk->next == NULL || !walk->started);
  if (walk->started)
    walk->block = LLVMGetNextBasicBlock(walk->block);
  walk->started = true;
  CN_CHECK(walk->block != NULL);
  walk->next = LLVMGetFirstInstruction(walk->block);
  size_t quoted = line.at[0] == '"' ? cn_text_before(cn_text_skip(line, 1), '"').size + 2 : 0;
  walk->label = quoted ? (struct cn_text){line.at, quoted} : cn_text_before(line, ':');
}

static void take_body(struct ir_walk *walk, LLVMValueRef function)
{
  struct cn_text line;

  walk->block = LLVMGetFirstBasicBlock(function);
  walk->next = LLVMGetFirstInstruction(walk->block);
  walk->label = (struct cn_text){0};
  walk->started = false;
  while (cn_text_next_line(&walk->rest, &line) && !cn_text_is(line, "}")) {
    if (line.size && line.at[0] != ' ' && line.at[0] != ';') {
      begin_block(walk, line);
    } else if (begins_instruction(line)) {
      walk->started = true;
      take_instruction(walk, line);
    }
  }
  CN_CHECK(walk->next == NULL && LLVMGetNextBasicBlock(walk->block) == NULL);
}

static struct cn_explain_function make_function(LLVMValueRef function)
{
  size_t size;
  unsigned length;
  const char *name = LLVMGetValueName2(function, &size);
  struct cn_explain_function made = {.name = cn_text_keep((struct cn_text){name, size}),
                                     .managed = cn_is_managed(function)};
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;

  if (!file)
    return made;
  made.line = LLVMDISubprogramGetLine(subprogram);
  const char *file_name = LLVMDIFileGetFilename(file, &length);
  made.file = cn_text_keep((struct cn_text){file_name, length});
  return made;
}

void cn_explain_take_ir(struct cn_explain *explain, LLVMModuleRef module)
{
  struct ir_walk walk = {.explain = explain};
  LLVMValueRef function = LLVMGetFirstFunction(module);
  struct cn_text line;

  CN_CHECK(explain->ir_text == NULL);
  explain->ir_text = LLVMPrintModuleToString(module);
  walk.rest = cn_text_of(explain->ir_text);
  while (cn_text_next_line(&walk.rest, &line)) {
    if (!cn_text_begins_with(line, "define "))
      continue;
    while (function && LLVMIsDeclaration(function))
      function = LLVMGetNextFunction(function);
    CN_CHECK(function != NULL);
    size_t first = explain->statepoints.count;
    walk.function = explain->functions.count;
    cn_push(&explain->functions, make_function(function));
    take_body(&walk, function);
    cn_explain_name_variables(explain, function, first);
    function = LLVMGetNextFunction(function);
  }
}
