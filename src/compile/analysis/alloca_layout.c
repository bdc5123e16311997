/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the words of a function's allocas that hold references. An alloca's type may be [N x i8] after optimisation, so
 * the analysis also uses the loads and stores of references through the alloca (alloca_uses.c), and copies between
 * allocas. Needs: nothing. Provides: struct cn_alloca_layouts, refusals. Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "base/bitset.h"
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"

enum { WORD_BYTES = CN_ALLOCA_WORD_BYTES, MAX_ALLOCA_WORDS = 1 << 20 };

static bool is_fixed_size_in_entry(LLVMValueRef alloca)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(alloca));

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  return LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) &&
         LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(alloca, 0))) <= 64 &&
         LLVMGetInstructionParent(alloca) == LLVMGetEntryBasicBlock(function);
}

static uint64_t sized_type_bytes(struct cn_ctx *ctx, LLVMTypeRef type)
{
  return LLVMTypeIsSized(type) && !cn_holds_scalable_vector(type) ? LLVMABISizeOfType(ctx->layout, type) : 0;
}

/* The alloca that `pointer` points into, at the constant offset `*offset`, or null. */
static LLVMValueRef alloca_of_pointer(struct cn_ctx *ctx, LLVMValueRef pointer, uint64_t *offset)
{
  *offset = 0;
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer)) {
    if (LLVMIsAGetElementPtrInst(pointer) && !cn_types_gep_offset(ctx, pointer, offset))
      return NULL;
    pointer = LLVMGetOperand(pointer, 0);
  }
  return LLVMIsAAllocaInst(pointer);
}

static bool copy_reference_bits(struct cn_alloca_layout *to, uint64_t to_offset, const struct cn_alloca_layout *from,
                                uint64_t from_offset, uint64_t bytes)
{
  bool changed = false;

  for (uint64_t w = 0; w + WORD_BYTES <= bytes; w += WORD_BYTES) {
    uint64_t source = from_offset + w, target = to_offset + w;
    if (source % WORD_BYTES || source / WORD_BYTES >= from->words ||
        !cn_bitset_contains(from->bits, source / WORD_BYTES))
      continue;
    bool known = target % WORD_BYTES == 0 && target / WORD_BYTES < to->words &&
                 cn_bitset_contains(to->bits, target / WORD_BYTES);
    changed |= !known && !to->unclear;
    cn_alloca_uses_mark_reference(to, target);
  }
  return changed;
}

struct area_copy {
  struct cn_alloca_layout *to, *from;
  uint64_t to_offset, from_offset, bytes;
};
typedef CN_VECTOR(struct area_copy) area_copies;

static void collect_copy(struct cn_ctx *ctx, struct cn_alloca_layouts *maps, const struct cn_ptrmap *index,
                         LLVMValueRef call, area_copies *out)
{
  struct area_copy copy;
  LLVMValueRef to = alloca_of_pointer(ctx, LLVMGetArgOperand(call, 0), &copy.to_offset);
  LLVMValueRef from = alloca_of_pointer(ctx, LLVMGetArgOperand(call, 1), &copy.from_offset);
  LLVMValueRef length = LLVMGetArgOperand(call, 2);

  if (!to || !from)
    return;
  copy.to = &maps->maps.at[*cn_ptrmap_find(index, to)];
  copy.from = &maps->maps.at[*cn_ptrmap_find(index, from)];
  uint64_t most = (copy.to->words > copy.from->words ? copy.to->words : copy.from->words) * WORD_BYTES;
  copy.bytes = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : UINT64_MAX / 2;
  if (copy.bytes > most)
    copy.bytes = most;
  cn_push(out, copy);
}

static area_copies collect_copies(struct cn_ctx *ctx, struct cn_alloca_layouts *maps, LLVMValueRef function)
{
  struct cn_ptrmap index = {0};
  area_copies copies = {0};

  for (size_t i = 0; i < maps->maps.count; i++)
    *cn_ptrmap_add(&index, maps->maps.at[i].alloca, NULL) = i;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_alloca_uses_is_copy(i))
        collect_copy(ctx, maps, &index, i, &copies);
  cn_ptrmap_free(&index);
  return copies;
}

/* Spread the bits in both directions, because either alloca may hold references that the other shows. */
static bool spread_references_by_copy(const struct area_copy *c)
{
  bool changed = copy_reference_bits(c->to, c->to_offset, c->from, c->from_offset, c->bytes);

  return copy_reference_bits(c->from, c->from_offset, c->to, c->to_offset, c->bytes) || changed;
}

/* Spread bits along copies between allocas, forwards and backwards through the list of copies, until the bits are
 * stable. */
static void spread_references_by_copies(struct cn_ctx *ctx, struct cn_alloca_layouts *maps, LLVMValueRef function)
{
  area_copies copies = collect_copies(ctx, maps, function);
  bool changed = true;

  while (changed) {
    changed = false;
    for (size_t c = 0; c < copies.count; c++)
      changed |= spread_references_by_copy(&copies.at[c]);
    for (size_t c = copies.count; c-- > 0;)
      changed |= spread_references_by_copy(&copies.at[c]);
  }
  cn_free(&copies);
}

static void add_alloca_layout(struct cn_ctx *ctx, struct cn_alloca_layouts *maps, LLVMValueRef alloca)
{
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);
  struct cn_alloca_layout map = {.alloca = alloca, .typed = cn_holds_ref(type) && sized_type_bytes(ctx, type) > 0};
  uint64_t element = sized_type_bytes(ctx, type), count = 1;

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  if (LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)))
    count = LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0));
  if (element && count > (uint64_t)MAX_ALLOCA_WORDS * WORD_BYTES / element)
    map.huge = map.typed;
  else
    map.words = element * count / WORD_BYTES;
  map.bits = cn_alloc(CN_BITSET_WORDS(map.words) * sizeof *map.bits);
  for (uint64_t i = 0; map.typed && i < count && !map.huge && !map.unclear; i++)
    cn_alloca_uses_mark_references(ctx, &map, type, i * element);
  cn_alloca_uses_mark_accesses(ctx, &map, alloca);
  cn_push(&maps->maps, map);
}

void cn_alloca_layouts_find(struct cn_ctx *ctx, LLVMValueRef function, struct cn_alloca_layouts *maps)
{
  CN_ASSERT(LLVMIsAFunction(function));
  *maps = (struct cn_alloca_layouts){0};
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAAllocaInst(i))
        add_alloca_layout(ctx, maps, i);
  if (maps->maps.count > 1)
    spread_references_by_copies(ctx, maps, function);
}

void cn_alloca_layouts_free(struct cn_alloca_layouts *maps)
{
  for (size_t i = 0; i < maps->maps.count; i++)
    free(maps->maps.at[i].bits);
  cn_free(&maps->maps);
}

bool cn_alloca_layout_holds_refs(const struct cn_alloca_layout *map)
{
  for (size_t w = 0; w < CN_BITSET_WORDS(map->words); w++)
    if (map->bits[w])
      return true;
  return map->unclear || map->huge || (map->floating && !map->typed);
}

/* A swifterror alloca, which always holds a pointer, lies in a register. LLVM-C shows the property only in the printed
 * text. Printing numbers all values of a module, so a copy in an empty module is printed. */
static bool is_swifterror(struct cn_ctx *ctx, LLVMValueRef alloca)
{
  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  if (LLVMGetTypeKind(LLVMGetAllocatedType(alloca)) != LLVMPointerTypeKind)
    return false;
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("", ctx->llvm);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef copy = LLVMInstructionClone(alloca);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, LLVMAddFunction(module, "f", type), ""));
  LLVMInsertIntoBuilder(builder, copy);
  char *text = LLVMPrintValueToString(copy);
  bool found = strstr(text, "alloca swifterror ") != NULL;

  LLVMDisposeMessage(text);
  LLVMDisposeBuilder(builder);
  LLVMDisposeModule(module);
  return found;
}

/* The name of the alloca, in a buffer of 64 bytes. Call this function only for errors, because it may print the alloca.
 */
static const char *alloca_name_of(const struct cn_alloca_layout *map, char *buffer)
{
  return cn_value_name(map->alloca, buffer, 64);
}

static void report_bad_alloca(struct cn_ctx *ctx, const struct cn_alloca_layout *map)
{
  char name[64];

  if (!is_fixed_size_in_entry(map->alloca))
    cn_error(ctx, map->alloca, "dynamic-alloca",
             "%s: a local of variable size or outside the entry block holds references that "
             "nothing can describe; allocate it with cairn_new_array()",
             alloca_name_of(map, name));
  else if (map->huge)
    cn_error(ctx, map->alloca, "huge-alloca",
             "%s: a local of more than 8 MiB holds references; allocate it with cairn_new_array()",
             alloca_name_of(map, name));
  else if (map->unclear || (map->floating && !map->typed))
    cn_error(ctx, map->alloca, "untyped-alloca",
             "%s: it is not known where in this local its references lie; declare it with their type, or allocate it "
             "with cairn_new_array()",
             alloca_name_of(map, name));
  else if (is_swifterror(ctx, map->alloca))
    cn_error(ctx, map->alloca, "swifterror-reference",
             "%s: a swifterror local lies in a register that no map describes", alloca_name_of(map, name));
  else if (map->copied)
    cn_error(ctx, map->copied, "byval-reference", "a copy of %s on the stack holds references that no map describes",
             alloca_name_of(map, name));
}

void cn_alloca_layouts_report_bad(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_alloca_layouts maps;

  CN_ASSERT(LLVMIsAFunction(function));
  cn_alloca_layouts_find(ctx, function, &maps);
  for (size_t i = 0; i < maps.maps.count; i++)
    if (cn_alloca_layout_holds_refs(&maps.maps.at[i]))
      report_bad_alloca(ctx, &maps.maps.at[i]);
  cn_alloca_layouts_free(&maps);
}
