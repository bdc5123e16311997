/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer of frame records: its operands, word by word, and each refusal. Records of random nesting, with objects
 * that are shared and cyclic, pass the checker, which shares no code with the writer; each record with a changed word
 * does not crash the checker.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/compile.h>
#include <cairn/deopt_ir.h>

static LLVMContextRef context;
static LLVMModuleRef module;
static LLVMBuilderRef builder;
static LLVMValueRef function, callee;
static uint64_t seed;

/* xorshift64 */
static uint32_t any(uint32_t below)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11) % below;
}

static LLVMTypeRef reference(void)
{
  return LLVMPointerTypeInContext(context, CAIRN_ABI_ADDRESS_SPACE);
}

/* A function with an integer, a reference, a double and an i24 as parameters. */
static int begin(void **state)
{
  (void)state;
  seed = 88172645463325252;
  context = LLVMContextCreate();
  module = LLVMModuleCreateWithNameInContext("m", context);
  builder = LLVMCreateBuilderInContext(context);
  LLVMTypeRef types[] = {LLVMInt64TypeInContext(context), reference(), LLVMDoubleTypeInContext(context),
                         LLVMIntTypeInContext(context, 24)};
  LLVMTypeRef nothing = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  function = LLVMAddFunction(module, "f", LLVMFunctionType(LLVMVoidTypeInContext(context), types, 4, false));
  callee = LLVMAddFunction(module, "g", nothing);
  LLVMSetGC(function, "statepoint-example");
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMPositionBuilderBefore(builder, LLVMBuildRetVoid(builder));
  return 0;
}

static int end(void **state)
{
  (void)state;
  LLVMDisposeBuilder(builder);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return 0;
}

static LLVMValueRef call_with(LLVMOperandBundleRef bundle)
{
  LLVMValueRef call =
      LLVMBuildCallWithOperandBundles(builder, LLVMGlobalGetValueType(callee), callee, NULL, 0, &bundle, 1, "");

  LLVMDisposeOperandBundle(bundle);
  return call;
}

static size_t count_errors(void)
{
  struct cairn_diagnostics found = {0};
  struct cairn_compile_options options = {.diagnose = cairn_diagnostics_keep, .env = &found};

  cairn_compile_pass(module, NULL, "verify-deopt", &options);
  size_t count = found.count;
  cairn_diagnostics_free(&found);
  return count;
}

static void assert_word(LLVMOperandBundleRef bundle, unsigned at, uint64_t word)
{
  LLVMValueRef value = LLVMGetOperandBundleArgAtIndex(bundle, at);

  assert_non_null(LLVMIsAConstantInt(value));
  assert_int_equal(LLVMGetIntTypeWidth(LLVMTypeOf(value)), 64);
  assert_true(LLVMConstIntGetZExtValue(value) == word);
}

/* Two frames; the second has an object whose field names the object itself. */
static void operands_follow_the_encoding(void **state)
{
  LLVMValueRef self = cairn_deopt_ir_object(context, 0), local[] = {LLVMGetParam(function, 1), self};
  LLVMValueRef stack[] = {LLVMGetUndef(LLVMInt64TypeInContext(context))};
  const struct cairn_deopt_ir_field fields[] = {{8, LLVMGetParam(function, 2)}, {16, self}};
  const struct cairn_deopt_ir_object object = {.layout = 5, .fields = 2, .elements = 3, .field = fields};
  const struct cairn_deopt_ir_frame frames[] = {
      {.language = 9, .result = CAIRN_ABI_DEOPT_RESULT_INTEGER, .function = 1, .index = 2},
      {.language = 9,
       .function = 3,
       .index = 4,
       .locals = 2,
       .stack_values = 1,
       .objects = 1,
       .local = local,
       .stack = stack,
       .object = &object}};
  LLVMOperandBundleRef bundle;

  (void)state;
  assert_int_equal(cairn_deopt_ir_bundle(context, frames, 2, &bundle, NULL), CAIRN_OK);
  assert_int_equal(LLVMGetNumOperandBundleArgs(bundle), 6 + 6 + 3 + 6);
  const uint64_t head[] = {(uint64_t)CAIRN_ABI_DEOPT_FRAME << 32 | 6,
                           9 | 1 << 16,
                           1,
                           2,
                           0,
                           0,
                           (uint64_t)CAIRN_ABI_DEOPT_FRAME << 32 | 15,
                           9,
                           3,
                           4,
                           2 | UINT64_C(1) << 32,
                           1};
  for (unsigned i = 0; i < 12; i++)
    assert_word(bundle, i, head[i]);
  assert_ptr_equal(LLVMGetOperandBundleArgAtIndex(bundle, 12), local[0]);
  assert_ptr_equal(LLVMGetOperandBundleArgAtIndex(bundle, 13), self);
  assert_ptr_equal(LLVMGetOperandBundleArgAtIndex(bundle, 14), stack[0]);
  assert_word(bundle, 15, 5 | UINT64_C(2) << 32);
  assert_word(bundle, 16, 3);
  assert_word(bundle, 17, 8);
  assert_word(bundle, 19, 16);
  assert_ptr_equal(LLVMGetOperandBundleArgAtIndex(bundle, 20), self);
  call_with(bundle);
  assert_int_equal(count_errors(), 0);
}

static void refuse(const struct cairn_deopt_ir_frame *frame, enum cairn_status status, const char *text)
{
  const struct cairn_deopt_ir_frame frames[] = {{0}, *frame};
  struct cairn_deopt_ir_failure failure;
  LLVMOperandBundleRef bundle;

  assert_int_equal(cairn_deopt_ir_bundle(context, frames, 2, &bundle, &failure), status);
  assert_null(bundle);
  assert_int_equal(failure.status, status);
  assert_int_equal(failure.frame, 1);
  assert_string_equal(failure.text, text);
  assert_int_equal(cairn_deopt_ir_bundle(context, frames, 2, &bundle, NULL), status);
}

static void refuse_local(LLVMValueRef value, const char *text)
{
  refuse(&(struct cairn_deopt_ir_frame){.locals = 1, .local = &value}, CAIRN_E_RECORD, text);
}

static void wrong_frames_are_refused(void **state)
{
  static const char range[] = "the language, the kind of the result, or the number of objects is out of range";
  LLVMTypeRef pair[] = {LLVMInt64TypeInContext(context), LLVMInt64TypeInContext(context)};
  const struct cairn_deopt_ir_field fields[] = {{8, LLVMGetParam(function, 0)}, {8, LLVMGetParam(function, 0)}};
  const struct cairn_deopt_ir_object object = {.fields = 2, .field = fields};
  struct cairn_deopt_ir_failure failure;
  LLVMOperandBundleRef bundle;

  (void)state;
  assert_int_equal(cairn_deopt_ir_bundle(context, NULL, 0, &bundle, &failure), CAIRN_E_BOUNDS);
  assert_string_equal(failure.text, "there is no frame");
  refuse(&(struct cairn_deopt_ir_frame){.language = 256}, CAIRN_E_BOUNDS, range);
  refuse(&(struct cairn_deopt_ir_frame){.result = 4}, CAIRN_E_BOUNDS, range);
  refuse(&(struct cairn_deopt_ir_frame){.objects = CAIRN_ABI_DEOPT_OBJECT_SHARED}, CAIRN_E_BOUNDS, range);
  refuse(&(struct cairn_deopt_ir_frame){.objects = 1, .object = &object}, CAIRN_E_RECORD,
         "the offset of field 1 is before the end of the one before");
  refuse_local(NULL, "local 0 is null");
  refuse_local(cairn_deopt_ir_object(context, 0), "local 0 stands for object 0 of 0");
  refuse_local(LLVMGetParam(function, 3), "local 0 is an integer of 24 bits, which would stand for an object");
  refuse_local(LLVMBuildAlloca(builder, pair[0], ""), "local 0 is the address of a local, which goes with its frame");
  refuse_local(LLVMGetUndef(LLVMStructTypeInContext(context, pair, 2, false)),
               "local 0 is of a type that LLVM 22 cannot record");
  refuse_local(LLVMGetUndef(LLVMIntTypeInContext(context, 129)), "local 0 is of a type that LLVM 22 cannot record");
  refuse_local(LLVMGetUndef(LLVMVectorType(pair[0], 3)), "local 0 is a vector that LLVM 22 cannot record");
  refuse_local(LLVMGetUndef(LLVMVectorType(reference(), 2)), "local 0 is a vector that LLVM 22 cannot record");
  LLVMValueRef stack = LLVMGetUndef(LLVMFP128TypeInContext(context));
  refuse(&(struct cairn_deopt_ir_frame){.stack_values = 1, .stack = &stack}, CAIRN_E_RECORD,
         "stack value 0 is of a type that LLVM 22 cannot record");
}

/* ---- random records ---- */

enum { MOST = 5 };

struct any_frame {
  struct cairn_deopt_ir_frame frame;
  LLVMValueRef local[MOST], stack[MOST];
  struct cairn_deopt_ir_object object[MOST];
  struct cairn_deopt_ir_field field[MOST][MOST];
};

static LLVMValueRef any_value(uint32_t objects)
{
  if (objects && any(3) == 0)
    return cairn_deopt_ir_object(context, any(objects));
  switch (any(3)) {
  case 0:
    return LLVMConstInt(LLVMInt64TypeInContext(context), any(1000), false);
  case 1:
    return LLVMGetUndef(reference());
  default:
    return LLVMGetParam(function, any(3));
  }
}

static void fill_frame(struct any_frame *f)
{
  uint32_t objects = any(MOST);

  f->frame = (struct cairn_deopt_ir_frame){.language = any(256),
                                           .result = any(4),
                                           .function = any(100),
                                           .index = any(100),
                                           .locals = any(MOST),
                                           .stack_values = any(MOST),
                                           .objects = objects,
                                           .local = f->local,
                                           .stack = f->stack,
                                           .object = f->object};
  for (uint32_t i = 0; i < MOST; i++) {
    uint64_t offset = 0;
    f->local[i] = any_value(objects);
    f->stack[i] = any_value(objects);
    f->object[i] = (struct cairn_deopt_ir_object){.layout = any(50), .fields = any(MOST), .field = f->field[i]};
    for (uint32_t k = 0; k < MOST; k++)
      f->field[i][k] = (struct cairn_deopt_ir_field){offset += 8 * (1 + any(3)), any_value(objects)};
  }
}

/* Replace one operand by another of the same type, or by a word. */
static void change_operand(LLVMValueRef call)
{
  unsigned at = any((uint32_t)LLVMGetNumOperands(call) - 1);
  LLVMValueRef old = LLVMGetOperand(call, at);

  if (LLVMTypeOf(old) != LLVMInt64TypeInContext(context))
    LLVMSetOperand(call, at, LLVMGetUndef(LLVMTypeOf(old)));
  else
    LLVMSetOperand(call, at,
                   LLVMConstInt(LLVMTypeOf(old), any(2) ? any(20) : (uint64_t)any(UINT32_MAX) << any(33), false));
}

static void random_records_are_right(void **state)
{
  static struct any_frame made[4];
  struct cairn_deopt_ir_frame frames[4];
  unsigned refused = 0;

  (void)state;
  for (int round = 0; round < 2000; round++) {
    size_t count = 1 + any(4);
    LLVMOperandBundleRef bundle;
    for (size_t i = 0; i < count; i++) {
      fill_frame(&made[i]);
      frames[i] = made[i].frame;
    }
    assert_int_equal(cairn_deopt_ir_bundle(context, frames, count, &bundle, NULL), CAIRN_OK);
    LLVMValueRef call = call_with(bundle);
    assert_int_equal(count_errors(), 0);
    change_operand(call);
    refused += count_errors() != 0;
    LLVMInstructionEraseFromParent(call);
  }
  assert_in_range(refused, 500, 1900);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(operands_follow_the_encoding, begin, end),
      cmocka_unit_test_setup_teardown(wrong_frames_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(random_records_are_right, begin, end),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
