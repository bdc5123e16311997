/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives IR the lines of its text as debug information: finds the line of each instruction in the text, and
 * makes a subprogram for each function and a location for each instruction. Runs before the unit is compiled, and
 * changes only the module's debug information. Holds no state.
 *
 * LLVM's reader keeps no positions. A function gets lines only if its text has as many instructions as the function
 * has, so an unusual notation costs the lines; all lines are right.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "driver/ir_lines.h"

/* ---- the text ---- */

/* The line without a comment, which begins with a semicolon outside of quotes. */
static struct cn_text strip_comment(struct cn_text line)
{
  bool quoted = false;

  for (size_t i = 0; i < line.size; i++) {
    quoted ^= line.at[i] == '"';
    if (line.at[i] == ';' && !quoted)
      return (struct cn_text){line.at, i};
  }
  return line;
}

/* The number of brackets that the line opens, minus those that it closes. */
static int depth_change_of(struct cn_text line)
{
  bool quoted = false;
  int depth = 0;

  for (size_t i = 0; i < line.size; i++) {
    quoted ^= line.at[i] == '"';
    if (!quoted && memchr("([{", line.at[i], 3))
      depth++;
    else if (!quoted && memchr(")]}", line.at[i], 3))
      depth--;
  }
  return depth;
}

/* A label is a name and a colon alone on its line. */
static bool is_label(struct cn_text line)
{
  size_t name =
      line.at[0] == '"' ? cn_text_before(cn_text_skip(line, 1), '"').size + 2 : cn_text_before(line, ':').size;

  return name + 1 == line.size && line.at[name] == ':' && (line.at[0] == '"' || cn_text_before(line, ' ').size > name);
}

/* True if the line goes on with the instruction of the line before, or is a debug record. */
static bool continues_instruction(struct cn_text line)
{
  static const char *const words[] = {"to label ", "unwind label ", "unwind to ", "cleanup",
                                      "catch ",    "filter ",       "#dbg_"};

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (cn_text_begins_with(line, words[i]))
      return true;
  return false;
}

/* The places of instructions in the text, counted from 1. */
struct text_place {
  unsigned line, column;
};
typedef CN_VECTOR(struct text_place) text_places;

/* A walk over the lines of a text, numbered from 1. */
struct text_walk {
  const cn_texts *lines;
  size_t next; /* index of the next line */
};

/* Find the places of the instructions up to the line "}". */
static void find_instructions(struct text_walk *walk, text_places *places)
{
  int depth = 0;

  for (; walk->next < walk->lines->count; walk->next++) {
    struct cn_text whole = walk->lines->at[walk->next], line = cn_text_trim(strip_comment(whole));
    if (depth == 0 && cn_text_is(line, "}"))
      return;
    if (line.size && depth == 0 && !is_label(line) && !continues_instruction(line)) {
      struct text_place place = {(unsigned)walk->next + 1, (unsigned)(line.at - whole.at) + 1};
      cn_push(places, place);
    }
    depth += depth_change_of(line);
  }
}

/* The name in a line "define ... @NAME(...) ... {"; empty if the name is quoted or the brace is on another line. */
static struct cn_text defined_name_of(struct cn_text line)
{
  struct cn_text from = cn_text_skip(line, cn_text_before(line, '@').size + 1), name = cn_text_before(from, '(');

  line = cn_text_trim(strip_comment(line));
  if (name.size == 0 || name.at[0] == '"' || line.at[line.size - 1] != '{')
    name.size = 0;
  return name;
}

/* ---- the module ---- */

struct debug_maker {
  LLVMModuleRef module;
  LLVMDIBuilderRef builder;
  LLVMMetadataRef file, type;
};

static bool has_debug_information(LLVMModuleRef module)
{
  return LLVMGetNamedMetadata(module, "llvm.dbg.cu", 11) != NULL;
}

static struct debug_maker begin_debug_information(LLVMModuleRef module, const char *path)
{
  static const char producer[] = "cairn", flag[] = "Debug Info Version";
  struct debug_maker maker = {.module = module, .builder = LLVMCreateDIBuilder(module)};
  LLVMValueRef version =
      LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), LLVMDebugMetadataVersion(), 0);

  maker.file = LLVMDIBuilderCreateFile(maker.builder, path, strlen(path), "", 0);
  LLVMDIBuilderCreateCompileUnit(maker.builder, LLVMDWARFSourceLanguageC11, maker.file, producer, sizeof producer - 1,
                                 true, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
  maker.type = LLVMDIBuilderCreateSubroutineType(maker.builder, maker.file, NULL, 0, LLVMDIFlagZero);
  if (!LLVMGetModuleFlag(module, flag, sizeof flag - 1))
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, flag, sizeof flag - 1, LLVMValueAsMetadata(version));
  return maker;
}

static size_t count_instructions(LLVMValueRef function)
{
  size_t count = 0;

  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      count++;
  return count;
}

/* False if the text has another number of instructions, or the function has a position. */
static bool number_function(const struct debug_maker *maker, LLVMValueRef function, unsigned start,
                            const text_places *places)
{
  size_t length, next = 0;
  const char *name = LLVMGetValueName2(function, &length);

  if (count_instructions(function) != places->count || LLVMGetSubprogram(function))
    return false;
  LLVMMetadataRef scope =
      LLVMDIBuilderCreateFunction(maker->builder, maker->file, name, length, name, length, maker->file, start,
                                  maker->type, false, true, start, LLVMDIFlagZero, true);
  LLVMContextRef llvm = LLVMGetModuleContext(maker->module);
  LLVMSetSubprogram(function, scope);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), next++) {
      struct text_place place = places->at[next];
      LLVMInstructionSetDebugLoc(i, LLVMDIBuilderCreateDebugLocation(llvm, place.line, place.column, scope, NULL));
    }
  CN_CHECK(next == places->count);
  return true;
}

size_t cn_ir_lines_add(LLVMModuleRef module, const cn_texts *lines, const char *path)
{
  struct text_walk walk = {.lines = lines};
  text_places places = {0};
  size_t numbered = 0;

  if (has_debug_information(module))
    return 0;
  struct debug_maker maker = begin_debug_information(module, path);
  for (; walk.next < lines->count; walk.next++) {
    struct cn_text line = lines->at[walk.next];
    struct cn_text name = cn_text_begins_with(line, "define ") ? defined_name_of(line) : (struct cn_text){0};
    LLVMValueRef function = name.size ? LLVMGetNamedFunctionWithLength(module, name.at, name.size) : NULL;
    if (!function || LLVMIsDeclaration(function))
      continue;
    unsigned start = (unsigned)++walk.next;
    places.count = 0;
    find_instructions(&walk, &places);
    numbered += number_function(&maker, function, start, &places);
  }
  cn_free(&places);
  LLVMDIBuilderFinalize(maker.builder);
  LLVMDisposeDIBuilder(maker.builder);
  return numbered;
}
