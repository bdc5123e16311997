/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes frame records into operand bundles "deopt", over the LLVM-C API (libcairn-compile). A frame record describes a
 * frame of a language at a call: its function, its place in the bytecode, its locals, and the values on its stack
 * (docs/deopt.md; <cairn/abi.h>, DEOPT_FRAME). <cairn/deopt.h> reads the records in the running program.
 *
 *   LLVMValueRef locals[] = {self, counter};
 *   struct cairn_deopt_ir_frame frame = {
 *       .language = 1, .function = 17, .index = 204, .result = CAIRN_ABI_DEOPT_RESULT_REFERENCE,
 *       .local = locals, .locals = 2};
 *   LLVMOperandBundleRef bundle;
 *   if (cairn_deopt_ir_bundle(context, &frame, 1, &bundle, &failure))
 *     fprintf(stderr, "%s\n", failure.text);
 *   else
 *     call = LLVMBuildCallWithOperandBundles(builder, type, callee, arguments, count, &bundle, 1, "");
 *
 * The compiler passes keep the records true: inlining puts the records of the caller before those of the callee, and
 * pass `escape` removes objects that only records name, and describes them. Pass `verify-deopt` checks all records of a
 * module.
 *
 * The functions hold no state. Threads with different LLVMContextRefs are independent.
 */
#ifndef CAIRN_DEOPT_IR_H
#define CAIRN_DEOPT_IR_H

#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <cairn/abi.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of a frame, or of a field, is an integer of up to 128 bits, a floating-point number, a pointer, a reference,
 * a vector of up to 128 bits, or LLVMGetUndef() if the language has no value there. Integers of DEOPT_OBJECT_BITS bits
 * and the addresses of locals (alloca) are refused. */

/* A field of an object. */
struct cairn_deopt_ir_field {
  uint64_t offset; /* in bytes from the start of the object */
  LLVMValueRef value;
};

/* An object that does not exist, and that a take-over allocates: the language has removed its allocation. */
struct cairn_deopt_ir_object {
  uint32_t layout;                          /* the language's number of the layout */
  uint32_t fields;                          /* number of fields; a field that is not listed is 0 or null */
  uint64_t elements;                        /* length of an indexed object, else 0 */
  const struct cairn_deopt_ir_field *field; /* by offset; fields share no bytes, and refer to starts of objects */
};

/* A frame. Arrays may be null if their number is 0. */
struct cairn_deopt_ir_frame {
  unsigned language; /* the number of cairn_deopt_add_language(), below 256 */
  unsigned result;   /* the kind of the result of the call: CAIRN_ABI_DEOPT_RESULT_NONE, INTEGER, FLOAT or REFERENCE */
  uint64_t function; /* the language's number of the function */
  uint64_t index;    /* the place in the function where the interpreter goes on after the call */
  uint32_t locals, stack_values, objects; /* numbers of elements of the arrays */
  const LLVMValueRef *local;
  const LLVMValueRef *stack;
  const struct cairn_deopt_ir_object *object; /* the frame's objects; a value of the frame names them by its number */
};

enum { CAIRN_DEOPT_IR_TEXT_BYTES = 160, CAIRN_DEOPT_IR_LANGUAGES = 256 };

struct cairn_deopt_ir_failure {
  enum cairn_status status;
  size_t frame;                         /* number of the frame, from 0 */
  char text[CAIRN_DEOPT_IR_TEXT_BYTES]; /* a sentence without its full stop: the fault, and the value's place */
};

#pragma GCC visibility push(default)

/* The value that stands for object `number` of the same frame: as a local, on the stack, or in a field, also of the
 * object itself. Several values may name one object. The number is below CAIRN_ABI_DEOPT_OBJECT_SHARED. */
LLVMValueRef cairn_deopt_ir_object(LLVMContextRef context, uint32_t number);

/* Makes a bundle "deopt" with the records of `count` frames, at least one, outermost first. The caller owns *bundle,
 * and frees it by LLVMDisposeOperandBundle(). After a failure *bundle is null, and *failure, unless `failure` is null,
 * has the reason. BOUNDS: there is no frame, or a number is too large; RECORD: a value cannot be recorded, an object
 * does not exist, or fields overlap. */
enum cairn_status cairn_deopt_ir_bundle(LLVMContextRef context, const struct cairn_deopt_ir_frame *frames, size_t count,
                                        LLVMOperandBundleRef *bundle, struct cairn_deopt_ir_failure *failure);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
