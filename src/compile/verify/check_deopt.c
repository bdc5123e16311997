/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `verify-deopt`, and a part of pass `verify-points`: checks the records in bundles "deopt" of calls and
 * statepoints (abi.def, DEOPT_FRAME). Needs: any module. Provides: diagnostic deopt-record, with the number of the
 * operand. Breaks: nothing.
 *
 * A bundle whose first operand is the header of a record consists of records: their heads are constants, their counts
 * agree with the operands, offsets of fields ascend, and a constant of 24 bits names an object that exists. No value is
 * the address of a local, because the local goes with its frame. A continuation could take the function's place. In
 * another bundle no operand is a header: inlining would have joined a plain bundle with records, and readers would take
 * both for plain values. This file shares no code with <cairn/deopt_ir.h>, the writer, and with pass escape.
 */
#include <stdio.h>
#include <string.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/verify.h"

enum { LANGUAGES = 256, MAX_ELEMENTS = 1 << 30, MAX_OFFSET = 1 << 30 };

struct found_record {
  unsigned start, end; /* operands of the call */
  unsigned objects_at; /* operand of the first object */
  uint64_t objects;
  bool is_frame;
};

/* The check of one bundle. The program's own operands are [first, end). */
struct bundle_check {
  struct cn_ctx *ctx;
  LLVMValueRef call;
  unsigned first, end;
  CN_VECTOR(struct found_record) records;
  bool wrong;
};

/* Describe the call, or the call that the statepoint makes; the callee of a transition by its name in the source. */
static const char *describe_call(LLVMValueRef call, char *buffer, size_t size)
{
  enum { STATEPOINT_CALLEE = 2 }; /* its operand */
  LLVMValueRef callee = cn_epochs_is_statepoint(call) ? LLVMGetOperand(call, STATEPOINT_CALLEE) : NULL;
  char name[120];

  if (!callee || !LLVMIsAGlobalValue(callee))
    return cn_calls_describe(call, buffer, size);
  const char *symbol = cn_value_name(callee, name, sizeof name) + 1;
  size_t prefix = strlen(CN_CALL_PREFIX);
  snprintf(buffer, size, "call to @%s", strncmp(symbol, CN_CALL_PREFIX, prefix) == 0 ? symbol + prefix : symbol);
  return buffer;
}

static void report(struct bundle_check *c, unsigned operand, const char *what)
{
  char name[160];

  if (!c->wrong)
    cn_error(c->ctx, c->call, "deopt-record", "deopt operand %u of %s %s", operand - c->first,
             describe_call(c->call, name, sizeof name), what);
  c->wrong = true;
}

/* Read a word of a head. False if the operand is missing, or no constant integer of 64 bits. */
static bool read_head_word(struct bundle_check *c, unsigned operand, unsigned end, uint64_t *word)
{
  LLVMValueRef value = operand < end ? LLVMGetOperand(c->call, operand) : NULL;

  if (!value || !LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) != 64) {
    report(c, operand, value ? "is not a constant i64, as the head of a record is" : "is missing from its record");
    return false;
  }
  *word = LLVMConstIntGetZExtValue(value);
  return true;
}

static bool is_header(LLVMValueRef value)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) != 64)
    return false;
  uint64_t magic = LLVMConstIntGetZExtValue(value) >> CAIRN_ABI_DEOPT_MAGIC_SHIFT;
  return magic == CAIRN_ABI_DEOPT_FRAME || magic == CAIRN_ABI_DEOPT_OBJECTS;
}

/* Read the head of the record at `r->start`, whose end is known. */
static bool read_head(struct bundle_check *c, struct found_record *r)
{
  uint64_t language, word = 0, values;
  unsigned count = r->start + (r->is_frame ? CAIRN_ABI_DEOPT_FRAME_HEAD : CAIRN_ABI_DEOPT_OBJECTS_HEAD) - 1;

  if (!read_head_word(c, r->start + 1, r->end, &language))
    return false;
  if (language >> CAIRN_ABI_DEOPT_FLAGS_SHIFT > (r->is_frame ? CAIRN_ABI_DEOPT_RESULT_REFERENCE : 0) ||
      (language & 0xffff) >= LANGUAGES) {
    report(c, r->start + 1, "names an unknown kind of result, or a language of 256 or more");
    return false;
  }
  for (unsigned i = r->start + 2; i < count; i++)
    if (!read_head_word(c, i, r->end, &word))
      return false;
  if (!read_head_word(c, count, r->end, &r->objects))
    return false;
  values = r->is_frame ? (word & UINT32_MAX) + (word >> CAIRN_ABI_DEOPT_STACK_SHIFT) : 0;
  if (values > r->end - count - 1) {
    report(c, count - 1, "announces more values than its record has");
    return false;
  }
  r->objects_at = count + 1 + (unsigned)values;
  if (r->objects > (r->end - r->objects_at) / 2) {
    report(c, count, "announces more objects than its record has operands for");
    return false;
  }
  return true;
}

/* Find the records, whose lengths must fill the bundle. One of them is a frame. */
static bool find_records(struct bundle_check *c)
{
  bool has_frame = false;
  uint64_t word;

  for (unsigned at = c->first; at < c->end;) {
    if (!is_header(LLVMGetOperand(c->call, at))) {
      report(c, at, "must be the header of a record, since the one before ends there");
      return false;
    }
    read_head_word(c, at, c->end, &word);
    struct found_record r = {.start = at, .is_frame = word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_FRAME};
    uint64_t length = word & UINT32_MAX;
    if (length == 0 || length > c->end - at) {
      report(c, at, "gives its record another length than the bundle has operands for");
      return false;
    }
    r.end = at + (unsigned)length;
    if (!read_head(c, &r))
      return false;
    cn_push(&c->records, r);
    has_frame |= r.is_frame;
    at = r.end;
  }
  if (!has_frame)
    report(c, c->first, "begins records without a frame");
  return has_frame;
}

/* The number of objects in the OBJECTS records from record `index` on. */
static uint64_t count_shared_objects(const struct bundle_check *c, size_t index)
{
  uint64_t count = 0;

  for (; index < c->records.count; index++)
    count += c->records.at[index].is_frame ? 0 : c->records.at[index].objects;
  return count;
}

/* The operands whose address the value may be are [*first, *end); none if the value is no copy of an address. */
static void find_copied_operands(LLVMValueRef value, unsigned *first, unsigned *end)
{
  *first = LLVMIsASelectInst(value) ? 1 : 0;
  *end = 0;
  if (LLVMIsAGetElementPtrInst(value) || LLVMIsAAddrSpaceCastInst(value) || LLVMIsAFreezeInst(value) ||
      cn_calls_intrinsic(value, "llvm.launder.invariant.group"))
    *end = 1;
  else if (LLVMIsASelectInst(value) || LLVMIsAPHINode(value))
    *end = (unsigned)LLVMGetNumOperands(value);
}

/* True if the value is the address of a local on some path. */
static bool may_be_address_of_local(LLVMValueRef value)
{
  CN_VECTOR(LLVMValueRef) work = {0};
  struct cn_ptrmap seen = {0};
  unsigned i, end;
  bool found = false;

  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    cn_push(&work, value);
  while (work.count && !found) {
    LLVMValueRef address = work.at[--work.count];
    uint64_t *known = cn_ptrmap_add(&seen, address, NULL);
    found = LLVMIsAAllocaInst(address) != NULL;
    for (find_copied_operands(address, &i, &end); !*known && i < end; i++)
      cn_push(&work, LLVMGetOperand(address, i));
    *known = 1;
  }
  cn_free(&work);
  cn_ptrmap_free(&seen);
  return found;
}

static bool check_value(struct bundle_check *c, size_t record, unsigned operand)
{
  LLVMValueRef value = LLVMGetOperand(c->call, operand);
  LLVMTypeRef type = LLVMTypeOf(value);

  if (may_be_address_of_local(value)) {
    report(c, operand, "is the address of a local, which goes with its frame");
    return false;
  }
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != CAIRN_ABI_DEOPT_OBJECT_BITS)
    return true;
  if (!LLVMIsAConstantInt(value)) {
    report(c, operand, "is an i24 that is not constant; an i24 stands for an object");
    return false;
  }
  uint64_t number = LLVMConstIntGetZExtValue(value);
  bool exists = number < CAIRN_ABI_DEOPT_OBJECT_SHARED
                    ? number < c->records.at[record].objects
                    : number - CAIRN_ABI_DEOPT_OBJECT_SHARED < count_shared_objects(c, record);
  if (!exists)
    report(c, operand, "stands for an object that no record has");
  return exists;
}

static bool is_address_in_object(LLVMValueRef value)
{
  while (LLVMIsAFreezeInst(value))
    value = LLVMGetOperand(value, 0);
  return LLVMIsAGetElementPtrInst(value) != NULL;
}

/* The size of a field. A number that stands for an object takes the place of a reference. */
static uint64_t field_bytes(const struct bundle_check *c, LLVMValueRef value)
{
  enum { REFERENCE_BYTES = 8 };
  uint64_t bits = LLVMSizeOfTypeInBits(c->ctx->layout, LLVMTypeOf(value));

  return bits == CAIRN_ABI_DEOPT_OBJECT_BITS ? REFERENCE_BYTES : (bits + 7) / 8;
}

/* Check the object at *at, and step over it. */
static bool check_object(struct bundle_check *c, size_t record, unsigned *at)
{
  unsigned end = c->records.at[record].end;
  uint64_t word, elements, offset, next = 0;

  if (!read_head_word(c, *at, end, &word) || !read_head_word(c, *at + 1, end, &elements))
    return false;
  uint64_t fields = word >> CAIRN_ABI_DEOPT_FIELDS_SHIFT;
  if (fields > (end - *at - 2) / 2) {
    report(c, *at, "announces more fields than its record has operands for");
    return false;
  }
  if (elements > MAX_ELEMENTS) {
    report(c, *at + 1, "is a number of elements above 2^30");
    return false;
  }
  *at += 2;
  for (uint64_t i = 0; i < fields; i++, *at += 2) {
    if (!read_head_word(c, *at, end, &offset) || !check_value(c, record, *at + 1))
      return false;
    if (offset < next || offset > MAX_OFFSET) {
      report(c, *at, offset < next ? "is an offset before the end of the field before" : "is an offset above 2^30");
      return false;
    }
    LLVMValueRef value = LLVMGetOperand(c->call, *at + 1);
    if (cn_is_ref(LLVMTypeOf(value)) && is_address_in_object(value)) {
      report(c, *at + 1, "is an address in an object; a field refers to the start of its object");
      return false;
    }
    next = offset + field_bytes(c, value);
  }
  return true;
}

static bool check_record(struct bundle_check *c, size_t record)
{
  const struct found_record r = c->records.at[record];
  unsigned at = r.objects_at;

  if (r.is_frame)
    for (unsigned i = r.start + CAIRN_ABI_DEOPT_FRAME_HEAD; i < r.objects_at; i++)
      if (!check_value(c, record, i))
        return false;
  for (uint64_t i = 0; i < r.objects; i++)
    if (!check_object(c, record, &at))
      return false;
  if (at != r.end)
    report(c, at, "is left over in its record");
  return at == r.end;
}

/* True if callers expect the registers and the stack that a continuation of C's convention leaves: C, fastcc, swiftcc,
 * preserve_nonecc, System V's. Callees of other conventions pop arguments, or keep more registers. */
static bool may_be_continued(unsigned convention)
{
  static const uint8_t fit[] = {0, 8, 16, 21, 78};

  for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
    if (fit[i] == convention)
      return true;
  return false;
}

/* Check that a take-over may leave the function: it pops the function's frame for a continuation of C's convention,
 * which returns the result in registers. */
static void check_function(struct bundle_check *c)
{
  static const char *const parameters[] = {"sret", "swifterror", "inalloca", "preallocated"};
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(c->call));
  const char *why = may_be_continued(LLVMGetFunctionCallConv(function)) ? NULL : "its calling convention";

  for (LLVMAttributeIndex i = 1; i <= LLVMCountParams(function); i++)
    for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++)
      if (LLVMGetEnumAttributeAtIndex(function, i, cn_attribute_kind(parameters[k])))
        why = parameters[k];
  if (why)
    cn_error(c->ctx, c->call, "deopt-record", "no continuation can take the place of the function, because of %s", why);
}

static void check_bundle(struct bundle_check *c)
{
  unsigned first = c->first;

  if (first == c->end)
    return;
  if (is_header(LLVMGetOperand(c->call, first))) {
    bool right = find_records(c);
    for (size_t i = 0; right && i < c->records.count; i++)
      right = check_record(c, i);
    if (right)
      check_function(c);
    return;
  }
  for (unsigned i = first + 1; i < c->end; i++)
    if (is_header(LLVMGetOperand(c->call, i)))
      report(c, i, "is the header of a record after plain values; callers and callees must both have records");
}

void cn_verify_deopt_records(struct cn_ctx *ctx, LLVMValueRef call)
{
  struct bundle_check c = {.ctx = ctx, .call = call};

  if (!cn_calls_find_bundle(call, "deopt", &c.first, &c.end))
    return;
  if (cn_epochs_is_statepoint(call)) {
    c.end = cn_verify_end_before_tail(call, CAIRN_ABI_SPAN_MARK, c.first, c.end);
    c.end = cn_verify_end_before_tail(call, CAIRN_ABI_ALLOCA_MARK, c.first, c.end);
    c.end = cn_verify_end_before_tail(call, CAIRN_ABI_POINT_MARK, c.first, c.end);
  }
  check_bundle(&c);
  cn_free(&c.records);
}

bool cn_verify_deopt(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_is_call(i) && LLVMGetNumOperandBundles(i))
          cn_verify_deopt_records(ctx, i);
  return ctx->errors == 0;
}
