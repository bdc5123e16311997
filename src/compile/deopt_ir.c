/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes frame records into operand bundles: the functions of <cairn/deopt_ir.h>. Needs, breaks: nothing. Provides: a
 * bundle whose operands follow abi.def, DEOPT_FRAME. Any thread; all state is local.
 */
#include <cairn/deopt_ir.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/vector.h"
#include "compile/core/pass.h"
#include "compile/core/scalars.h"

/* The records under construction. `what` and `number` name the value that is being added. */
struct record_writer {
  LLVMContextRef context;
  CN_VECTOR(LLVMValueRef) operands;
  size_t frame;
  const struct cairn_deopt_ir_frame *of;
  struct cairn_deopt_ir_failure *failure;
  enum cairn_status status;
};

__attribute__((format(printf, 3, 4))) static void fail(struct record_writer *w, enum cairn_status status,
                                                       const char *format, ...)
{
  va_list arguments;

  if (w->status)
    return;
  w->status = status;
  if (!w->failure)
    return;
  *w->failure = (struct cairn_deopt_ir_failure){.status = status, .frame = w->frame};
  va_start(arguments, format);
  vsnprintf(w->failure->text, sizeof w->failure->text, format, arguments);
  va_end(arguments);
}

static void push_word(struct record_writer *w, uint64_t word)
{
  cn_push(&w->operands, LLVMConstInt(LLVMInt64TypeInContext(w->context), word, false));
}

static bool is_vector_recordable(LLVMTypeRef type)
{
  LLVMTypeRef lane = LLVMGetElementType(type);
  LLVMTypeKind kind = LLVMGetTypeKind(lane);
  unsigned bits = cn_scalar_bits(lane);

  if (kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind || cn_is_ref(lane) || bits < 8 || bits > 64)
    return false;
  return LLVMGetVectorSize(type) <= CAIRN_ABI_DEOPT_BITS_MAX / bits;
}

/* The fault of a value that is no object, or null. */
static const char *value_wrong(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    return is_vector_recordable(type) ? NULL : "is a vector that LLVM 22 cannot record";
  unsigned bits = cn_scalar_bits(type);
  bool is_quad = bits == 128 && LLVMGetTypeKind(type) != LLVMIntegerTypeKind;
  if (bits < 1 || bits > CAIRN_ABI_DEOPT_BITS_MAX || is_quad)
    return "is of a type that LLVM 22 cannot record";
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && bits == CAIRN_ABI_DEOPT_OBJECT_BITS)
    return "is an integer of 24 bits, which would stand for an object";
  return LLVMIsAAllocaInst(value) ? "is the address of a local, which goes with its frame" : NULL;
}

/* True if the value stands for an object; sets *number. */
static bool is_object(LLVMValueRef value, uint64_t *number)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) != CAIRN_ABI_DEOPT_OBJECT_BITS)
    return false;
  *number = LLVMConstIntGetZExtValue(value);
  return true;
}

static void push_value(struct record_writer *w, LLVMValueRef value, const char *what, uint32_t number)
{
  uint64_t object;

  if (!value)
    fail(w, CAIRN_E_RECORD, "%s %u is null", what, number);
  else if (is_object(value, &object) && object >= w->of->objects)
    fail(w, CAIRN_E_RECORD, "%s %u stands for object %llu of %u", what, number, (unsigned long long)object,
         w->of->objects);
  else if (!is_object(value, &object) && value_wrong(value))
    fail(w, CAIRN_E_RECORD, "%s %u %s", what, number, value_wrong(value));
  else
    cn_push(&w->operands, value);
}

/* The size of a field. A number that stands for an object takes the place of a reference. */
static uint64_t field_bytes(LLVMValueRef value)
{
  enum { REFERENCE_BYTES = 8 };
  LLVMTypeRef type = LLVMTypeOf(value);
  uint64_t object, bits = cn_scalar_bits(type);

  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    bits = (uint64_t)LLVMGetVectorSize(type) * cn_scalar_bits(LLVMGetElementType(type));
  return is_object(value, &object) ? REFERENCE_BYTES : (bits + 7) / 8;
}

static void push_object(struct record_writer *w, const struct cairn_deopt_ir_object *object)
{
  push_word(w, object->layout | (uint64_t)object->fields << CAIRN_ABI_DEOPT_FIELDS_SHIFT);
  push_word(w, object->elements);
  uint64_t next = 0;
  for (uint32_t i = 0; i < object->fields && !w->status; i++) {
    if (object->field[i].offset < next)
      fail(w, CAIRN_E_RECORD, "the offset of field %u is before the end of the one before", i);
    push_word(w, object->field[i].offset);
    push_value(w, object->field[i].value, "field", i);
    next = w->status ? 0 : object->field[i].offset + field_bytes(object->field[i].value);
  }
}

static void push_frame(struct record_writer *w, const struct cairn_deopt_ir_frame *frame)
{
  size_t first = w->operands.count;

  w->of = frame;
  if (frame->language >= CAIRN_DEOPT_IR_LANGUAGES || frame->result > CAIRN_ABI_DEOPT_RESULT_REFERENCE ||
      frame->objects >= CAIRN_ABI_DEOPT_OBJECT_SHARED)
    fail(w, CAIRN_E_BOUNDS, "the language, the kind of the result, or the number of objects is out of range");
  push_word(w, 0); /* the header */
  push_word(w, frame->language | (uint64_t)frame->result << CAIRN_ABI_DEOPT_FLAGS_SHIFT);
  push_word(w, frame->function);
  push_word(w, frame->index);
  push_word(w, frame->locals | (uint64_t)frame->stack_values << CAIRN_ABI_DEOPT_STACK_SHIFT);
  push_word(w, frame->objects);
  for (uint32_t i = 0; i < frame->locals && !w->status; i++)
    push_value(w, frame->local[i], "local", i);
  for (uint32_t i = 0; i < frame->stack_values && !w->status; i++)
    push_value(w, frame->stack[i], "stack value", i);
  for (uint32_t i = 0; i < frame->objects && !w->status; i++)
    push_object(w, &frame->object[i]);
  uint64_t length = w->operands.count - first;
  if (length > UINT32_MAX)
    fail(w, CAIRN_E_BOUNDS, "the frame has too many values");
  w->operands.at[first] = LLVMConstInt(LLVMInt64TypeInContext(w->context),
                                       (uint64_t)CAIRN_ABI_DEOPT_FRAME << CAIRN_ABI_DEOPT_MAGIC_SHIFT | length, false);
}

LLVMValueRef cairn_deopt_ir_object(LLVMContextRef context, uint32_t number)
{
  return LLVMConstInt(LLVMIntTypeInContext(context, CAIRN_ABI_DEOPT_OBJECT_BITS), number, false);
}

enum cairn_status cairn_deopt_ir_bundle(LLVMContextRef context, const struct cairn_deopt_ir_frame *frames, size_t count,
                                        LLVMOperandBundleRef *bundle, struct cairn_deopt_ir_failure *failure)
{
  struct record_writer w = {.context = context, .failure = failure};

  *bundle = NULL;
  if (!count)
    fail(&w, CAIRN_E_BOUNDS, "there is no frame");
  for (w.frame = 0; w.frame < count && !w.status; w.frame++)
    push_frame(&w, &frames[w.frame]);
  if (w.operands.count > UINT32_MAX)
    fail(&w, CAIRN_E_BOUNDS, "the frames have too many values");
  if (!w.status)
    *bundle = LLVMCreateOperandBundle("deopt", 5, w.operands.at, (unsigned)w.operands.count);
  cn_free(&w.operands);
  return w.status;
}
