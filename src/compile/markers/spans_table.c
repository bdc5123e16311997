/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the table of spans in section `cairn_spans`, with all keys and values (collector.h, struct cairn_span). Part
 * of rewrite-statepoints. Needs: any module. Provides: an internal constant @cairn.spans; the reason why a key or value
 * is refused; an error for a table of another form. Breaks: nothing.
 *
 * An entry has an address as the distance from the entry's field to the address. The linker computes the distance. So
 * the dynamic linker has nothing to relocate, and the section is read-only. The value must therefore lie in the same
 * executable or shared object.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/spans.h"

enum { FIELD_KEY, FIELD_INTEGER, FIELD_DISTANCE, FIELD_RESERVED, FIELD_COUNT };

/* ---- addresses ---- */

/* A global plus a constant offset. If the global is null, the offset is a number. */
struct constant_address {
  LLVMValueRef global;
  uint64_t offset;
};

static LLVMValueRef make_i64(struct cn_ctx *ctx, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), n, false);
}

static bool read_number(LLVMValueRef value, uint64_t *out)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *out = LLVMConstIntGetZExtValue(value);
  return true;
}

/* Read the address in a pointer constant, or in an integer converted from a pointer in the table. */
static bool read_address(struct cn_ctx *ctx, LLVMValueRef value, struct constant_address *out)
{
  uint64_t n;

  *out = (struct constant_address){0};
  for (;;) {
    if (LLVMIsAGlobalValue(value)) {
      out->global = value;
      return true;
    }
    if (LLVMIsNull(value))
      return true;
    if (!LLVMIsAConstantExpr(value))
      return false;
    switch (LLVMGetConstOpcode(value)) {
    case LLVMGetElementPtr:
      if (!cn_types_gep_offset(ctx, value, &out->offset))
        return false;
      break;
    case LLVMAdd:
      if (!read_number(LLVMGetOperand(value, 1), &n))
        return false;
      out->offset += n;
      break;
    case LLVMIntToPtr:
      if (!read_number(LLVMGetOperand(value, 0), &n))
        return false;
      out->offset += n;
      return true;
    case LLVMPtrToInt:
    case LLVMBitCast:
      break;
    default:
      return false;
    }
    value = LLVMGetOperand(value, 0);
  }
}

/* The canonical pointer of an address, so that equal entries are found again. The offset is "inbounds", because LLVM
 * looks through no other offset when it decides whether the dynamic linker must relocate a constant. */
static LLVMValueRef canonical_pointer_of(struct cn_ctx *ctx, struct constant_address address)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMValueRef offset = make_i64(ctx, address.offset);

  if (!address.global)
    return address.offset ? LLVMConstIntToPtr(offset, pointer) : LLVMConstNull(pointer);
  if (!address.offset)
    return address.global;
  return cn_constant_address_in_bounds(ctx, address.global, address.offset);
}

static bool is_preemptible(struct cn_ctx *ctx, LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return ctx->options->shared && linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage &&
         LLVMGetVisibility(global) == LLVMDefaultVisibility;
}

const char *cn_span_refusal_reason(struct cn_ctx *ctx, LLVMValueRef key, LLVMValueRef value)
{
  struct constant_address address;

  if (!key || LLVMTypeOf(key) != LLVMInt64TypeInContext(ctx->llvm) || !LLVMIsAConstantInt(key))
    return "the key of a span is not a constant number";
  if (!value)
    return NULL;
  if (LLVMTypeOf(value) != LLVMPointerTypeInContext(ctx->llvm, 0) || !LLVMIsConstant(value) ||
      !read_address(ctx, value, &address))
    return "the value of a span is not the constant address of a global, nor a number";
  if (!address.global)
    return NULL;
  if (LLVMIsThreadLocal(address.global))
    return "the value of a span is thread-local: each thread has another address";
  if (LLVMGetLinkage(address.global) == LLVMExternalWeakLinkage)
    return "the value of a span may be missing: it is a weak symbol, which may stay undefined";
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(address.global)) != 0)
    return "the value of a span is not in address space 0";
  if (is_preemptible(ctx, address.global))
    return "the value of a span may be replaced by another module's when the program is loaded; "
           "make it static, hidden or protected";
  return NULL;
}

/* ---- reading ---- */

static LLVMValueRef entry_field_of(LLVMValueRef entries, uint64_t entry, unsigned which)
{
  LLVMValueRef one = LLVMGetAggregateElement(entries, (unsigned)entry);

  return one ? LLVMGetAggregateElement(one, which) : NULL;
}

/* The address from the value of field FIELD_DISTANCE, which is trunc(address - the field's address). */
static LLVMValueRef address_from_distance(LLVMValueRef distance)
{
  LLVMValueRef difference =
      LLVMIsAConstantExpr(distance) && LLVMGetConstOpcode(distance) == LLVMTrunc ? LLVMGetOperand(distance, 0) : NULL;

  return difference && LLVMIsAConstantExpr(difference) && LLVMGetConstOpcode(difference) == LLVMSub
             ? LLVMGetOperand(difference, 0)
             : NULL;
}

static bool read_entry(struct cn_ctx *ctx, struct cn_span_table *table, LLVMValueRef entries, uint64_t entry)
{
  LLVMValueRef fields[FIELD_COUNT];
  struct constant_address address = {0};
  uint64_t key;

  for (unsigned f = 0; f < FIELD_COUNT; f++)
    if (!(fields[f] = entry_field_of(entries, entry, f)))
      return false;
  if (!read_number(fields[FIELD_KEY], &key) || !read_number(fields[FIELD_INTEGER], &address.offset))
    return false;
  if (entry == 0)
    return key == CAIRN_ABI_SPAN_MARK;
  if (!LLVMIsNull(fields[FIELD_DISTANCE])) {
    LLVMValueRef of = address_from_distance(fields[FIELD_DISTANCE]);
    if (!of || !read_address(ctx, of, &address) || !address.global)
      return false;
  }
  struct cn_word_triple one = {0, (uintptr_t)make_i64(ctx, key), (uintptr_t)canonical_pointer_of(ctx, address)};
  return cn_triples_add(&table->entries, one) == entry;
}

bool cn_span_table_read(struct cn_ctx *ctx, struct cn_span_table *table)
{
  LLVMValueRef global = LLVMGetNamedGlobal(ctx->module, CN_SPAN_TABLE), entries;

  *table = (struct cn_span_table){.global = global};
  cn_triples_add(&table->entries, (struct cn_word_triple){1, 0, 0});
  if (!global)
    return true;
  entries = LLVMGetInitializer(global);
  if (!entries || LLVMGetTypeKind(LLVMTypeOf(entries)) != LLVMArrayTypeKind)
    return false;
  uint64_t count = LLVMGetArrayLength2(LLVMTypeOf(entries));
  for (uint64_t e = 0; e < count; e++)
    if (!read_entry(ctx, table, entries, e))
      return false;
  return table->entries.items.count == count;
}

void cn_span_table_check(struct cn_ctx *ctx)
{
  struct cn_span_table table;

  if (!cn_span_table_read(ctx, &table))
    cn_error(ctx, table.global, "span-table", "@%s is not a table of spans", CN_SPAN_TABLE);
  cn_triples_free(&table.entries);
}

/* ---- writing ---- */

uint32_t cn_span_table_add(struct cn_ctx *ctx, struct cn_span_table *table, LLVMValueRef key, LLVMValueRef value)
{
  struct constant_address address;

  CN_CHECK(!cn_span_refusal_reason(ctx, key, value) && read_address(ctx, value, &address));
  return cn_triples_add(&table->entries,
                        (struct cn_word_triple){0, (uintptr_t)key, (uintptr_t)canonical_pointer_of(ctx, address)});
}

static LLVMTypeRef entry_type(struct cn_ctx *ctx)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMTypeRef types[FIELD_COUNT] = {i64, i64, i32, i32};

  return LLVMStructTypeInContext(ctx->llvm, types, FIELD_COUNT, false);
}

static LLVMValueRef build_distance(struct cn_ctx *ctx, LLVMValueRef global, uint64_t entry, LLVMValueRef value)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMTypeRef type = entry_type(ctx);
  uint64_t offset =
      entry * LLVMABISizeOfType(ctx->layout, type) + LLVMOffsetOfElement(ctx->layout, type, FIELD_DISTANCE);
  LLVMValueRef here = cn_constant_address_in_bounds(ctx, global, offset);

  return LLVMConstTrunc(LLVMConstSub(LLVMConstPtrToInt(value, i64), LLVMConstPtrToInt(here, i64)), i32);
}

static LLVMValueRef make_entry(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef global,
                               uint64_t entry)
{
  const struct cn_word_triple *t = &table->entries.items.at[entry];
  LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), 0, false);
  LLVMValueRef value = (LLVMValueRef)(uintptr_t)t->c;
  LLVMValueRef fields[FIELD_COUNT] = {(LLVMValueRef)(uintptr_t)t->b, make_i64(ctx, 0), zero, zero};
  struct constant_address address;

  if (entry == 0) {
    fields[FIELD_KEY] = make_i64(ctx, CAIRN_ABI_SPAN_MARK);
    fields[FIELD_INTEGER] = make_i64(ctx, table->entries.items.count);
  } else if (read_address(ctx, value, &address) && address.global) {
    fields[FIELD_DISTANCE] = build_distance(ctx, global, entry, value);
  } else {
    fields[FIELD_INTEGER] = make_i64(ctx, address.offset);
  }
  return LLVMConstStructInContext(ctx->llvm, fields, FIELD_COUNT, false);
}

/* Replace the old table, whose entries refer to the table itself. */
static void replace_table(struct cn_ctx *ctx, struct cn_span_table *table, LLVMValueRef global)
{
  size_t length = strlen(CN_SPAN_TABLE);

  if (table->global) {
    LLVMSetInitializer(table->global, LLVMConstNull(LLVMGlobalGetValueType(table->global)));
    LLVMReplaceAllUsesWith(table->global, global);
    LLVMDeleteGlobal(table->global);
  } else {
    cn_emit_append_to_list(ctx, "llvm.compiler.used", LLVMPointerTypeInContext(ctx->llvm, 0), &global, 1);
  }
  LLVMSetValueName2(global, CN_SPAN_TABLE, length);
}

void cn_span_table_write(struct cn_ctx *ctx, struct cn_span_table *table)
{
  size_t count = table->entries.items.count, old = 1;

  if (table->global)
    old = LLVMGetArrayLength2(LLVMGlobalGetValueType(table->global));
  if (count > old) {
    LLVMValueRef global = LLVMAddGlobal(ctx->module, LLVMArrayType2(entry_type(ctx), count), CN_SPAN_TABLE);
    LLVMValueRef *entries = cn_alloc(count * sizeof *entries);
    for (size_t e = 0; e < count; e++)
      entries[e] = make_entry(ctx, table, global, e);
    LLVMSetInitializer(global, LLVMConstArray2(entry_type(ctx), entries, count));
    free(entries);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage); /* internal, because cairn_details needs a symbol */
    LLVMSetSection(global, CN_SPAN_SECTION);
    LLVMSetAlignment(global, 8);
    replace_table(ctx, table, global);
  }
  cn_triples_free(&table->entries);
}
