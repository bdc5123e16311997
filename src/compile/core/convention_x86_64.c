/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements x86-64 for the compile side: the registers of the C convention's arguments and results, LLVM's other
 * conventions, the target features that hinder safepoints, the text of thunks, and the machine code of entries (System
 * V AMD64 psABI, "Parameter Passing"; llvm/IR/CallingConv.h). Needs: nothing. Provides: convention.h. Breaks: nothing.
 * Every port has a file of this kind.
 */
#include "compile/core/convention.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Target.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/scalars.h"

enum { SWIFT_CONVENTION = 16, TAIL_CONVENTION = 18, SWIFT_TAIL_CONVENTION = 20 }; /* llvm/IR/CallingConv.h */

/* ---- conventions ---- */

bool cn_convention_has_tail_calls(unsigned convention)
{
  return convention == TAIL_CONVENTION || convention == SWIFT_TAIL_CONVENTION;
}

/* For such conventions LLVM appends the parameters' size to the name: `f` becomes `f@@8` (llvm/lib/IR/Mangler.cpp). */
bool cn_convention_mangles_names(unsigned convention)
{
  return convention == LLVMX86VectorCallCallConv;
}

enum cn_convention cn_convention_of(LLVMValueRef call)
{
  CN_ASSERT(LLVMIsAInstruction(call));
  switch (LLVMGetInstructionCallConv(call)) {
  case LLVMCCallConv:
  case LLVMFastCallConv:
  case LLVMX8664SysVCallConv:
    return CN_CONVENTION_PLAIN;
  case SWIFT_CONVENTION:
  case TAIL_CONVENTION:
  case SWIFT_TAIL_CONVENTION:
    return CN_CONVENTION_BRIDGED;
  case LLVMColdCallConv:
  case LLVMPreserveMostCallConv:
  case LLVMPreserveAllCallConv:
  case LLVMWin64CallConv:
    return CN_CONVENTION_NATIVE;
  default:
    return CN_CONVENTION_UNKNOWN;
  }
}

/* ---- arguments ---- */

enum cn_register_class cn_register_class_of(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) <= 64 ? CN_REGISTER_CLASS_INTEGER : CN_REGISTER_CLASS_OTHER;
  case LLVMPointerTypeKind:
    return CN_REGISTER_CLASS_INTEGER;
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
    return CN_REGISTER_CLASS_VECTOR;
  default:
    return CN_REGISTER_CLASS_OTHER;
  }
}

unsigned cn_argument_register_count(enum cn_register_class which)
{
  return which == CN_REGISTER_CLASS_INTEGER ? 6 : 8;
}

/* ---- results: registers, for vectors of at most 128 bits ---- */

enum { RESULT_INTEGER_REGISTERS = 3, RESULT_FLOAT_REGISTERS = 2, RESULT_VECTOR_REGISTERS = 4 };

struct used_registers {
  uint64_t integers, vectors;
};

static bool assign_result_registers(LLVMTypeRef type, struct used_registers *used);

/* Take registers for `count` elements. If the first element takes no register, then all other elements take no
 * register. */
static bool assign_element_registers(LLVMTypeRef type, uint64_t count, struct used_registers *used)
{
  for (uint64_t i = 0; i < count; i++) {
    struct used_registers before = *used;
    if (!assign_result_registers(type, used))
      return false;
    if (used->integers == before.integers && used->vectors == before.vectors)
      return true;
  }
  return true;
}

/* The size of an element in bits if vector registers have such lanes, else 0. */
static unsigned vector_lane_bits(LLVMTypeRef element)
{
  unsigned width = cn_scalar_bits(element);

  return width == 8 || width == 16 || width == 32 || width == 64 ? width : 0;
}

/* Vectors of other element types or lengths may be split into elements. Three 32-bit elements take one register, like
 * four elements. */
static bool assign_vector_registers(LLVMTypeRef type, struct used_registers *used)
{
  LLVMTypeRef element = LLVMGetElementType(type);
  uint64_t count = LLVMGetVectorSize(type);
  unsigned bits = vector_lane_bits(element);

  if (count == 3 && bits == 32)
    count = 4;
  if (!bits || count < 2 || (count & (count - 1)))
    return assign_element_registers(element, count, used);
  used->vectors += (count * bits + 127) / 128;
  return used->vectors <= RESULT_VECTOR_REGISTERS;
}

static bool assign_result_registers(LLVMTypeRef type, struct used_registers *used)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
    return true;
  case LLVMIntegerTypeKind:
    used->integers += (LLVMGetIntTypeWidth(type) + 63) / 64;
    return used->integers <= RESULT_INTEGER_REGISTERS;
  case LLVMPointerTypeKind:
    return ++used->integers <= RESULT_INTEGER_REGISTERS;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
    return ++used->vectors <= RESULT_FLOAT_REGISTERS;
  case LLVMArrayTypeKind:
    return assign_element_registers(LLVMGetElementType(type), LLVMGetArrayLength2(type), used);
  case LLVMVectorTypeKind:
    return assign_vector_registers(type, used);
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!assign_result_registers(LLVMStructGetTypeAtIndex(type, i), used))
        return false;
    return true;
  default:
    return false;
  }
}

bool cn_is_returned_in_registers(LLVMTypeRef type)
{
  struct used_registers used = {0};

  return assign_result_registers(type, &used);
}

/* True if any part of a result is returned on the x87 stack. */
bool cn_is_returned_on_x87_stack(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMX86_FP80TypeKind:
    return true;
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
    return cn_is_returned_on_x87_stack(LLVMGetElementType(type));
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (cn_is_returned_on_x87_stack(LLVMStructGetTypeAtIndex(type, i)))
        return true;
    return false;
  default:
    return false;
  }
}

/* ---- target features ---- */

/* True if the last mention of a feature in "target-features" turns the feature on. */
static bool has_target_feature(LLVMValueRef function, const char *name)
{
  LLVMAttributeRef attribute = cn_string_attribute(function, "target-features");
  unsigned length = 0;
  size_t size = strlen(name);
  bool on = false;

  const char *at = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
  const char *end = at + length;
  while (at < end) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
    if ((size_t)(stop - at) == size + 1 && memcmp(at + 1, name, size) == 0)
      on = *at == '+';
    at = stop + 1;
  }
  return on;
}

bool cn_has_indirect_call_thunks(LLVMValueRef function)
{
  static const char *const names[] = {"retpoline", "retpoline-indirect-calls", "retpoline-external-thunk", "lvi-cfi",
                                      "seses"};

  CN_ASSERT(LLVMIsAFunction(function));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (has_target_feature(function, names[i]))
      return true;
  return false;
}

/* ---- the target ---- */

const char cn_convention_target_name[] = "x86-64 Linux";
const char cn_convention_oldest_processor[] = "x86-64";
const char cn_target_intrinsic_prefix[] = "llvm.x86.";
const unsigned cn_point_target_bytes = 13; /* movabsq, and a call through r11 */
const unsigned cn_any_register_arguments = 13;
const char cn_target_own_spaces_reason[] = "x86-64 gives those from 256 on a meaning of its own";

bool cn_convention_has_port(const char *triple)
{
  return strncmp(triple, "x86_64-", 7) == 0 && strstr(triple, "linux");
}

void cn_convention_init(void)
{
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmParser();
  LLVMInitializeX86AsmPrinter();
}

/* ---- assembly ---- */

/* The comparison is assembly, because LLVM never folds a load into a comparison with the stack pointer. The result is
 * in the carry flag. */
const char cn_stack_check_assembly[] = "cmpq $1, %rsp";
const char cn_stack_check_constraints[] = "={@ccb},*m,~{dirflag},~{fpsr},~{flags}";

const char cn_zero_register_assembly[] = "xorl ${0:k}, ${0:k}";
const char cn_zero_register_constraints[] = "=r,~{flags}";

char *cn_convention_format_jump(const char *symbol)
{
  return cn_format("  jmpq *%s@GOTPCREL(%%rip)\n", symbol);
}

char *cn_convention_format_stub_thunk(const char *target, const char *stub, bool variadic)
{
  char *jump = cn_convention_format_jump(stub);
  char *text = cn_format("%s  movq %s@GOTPCREL(%%rip), %%r11\n%s", variadic ? "  movl $8, %eax\n" : "", target, jump);

  free(jump);
  return text;
}

char *cn_convention_format_jump_thunk(const char *target, bool variadic)
{
  char *jump = cn_convention_format_jump(target);
  char *text = cn_format("%s%s", variadic ? "  movl $8, %eax\n" : "", jump);

  free(jump);
  return text;
}

/* ---- entries ---- */

/* A function with a mark, and its body, have addresses 8 bytes after a multiple of 16. The prefix consists of code and
 * the word of the mark. */
enum {
  PREFIX_CODE_BYTES = 16,
  PREFIX_MARK_BYTES = 8,
  PREFIX_BYTES = PREFIX_CODE_BYTES + PREFIX_MARK_BYTES,
  PREFIX_JUMP_END = 12
};

static const unsigned char prefix_code[] = {0x4c, 0x8d, 0x1d, PREFIX_BYTES - 7 + CAIRN_ABI_ENTRY_SIZE,
                                            0,    0,    0, /* leaq body(%rip), %r11 */
                                            0xe9};         /* jmp cairn_enter */
static const unsigned char entry_code[] = {0xf3, 0x0f,
                                           0x1e, 0xfa, /* endbr64 */
                                           0x64, 0x80,
                                           0x3c, 0x25,
                                           0,    0,
                                           0,    0,
                                           0, /* cmpb $0, %fs:cairn_mutator@tpoff+STATE */
                                           0x75, (unsigned char)(0 - PREFIX_BYTES - 15), /* jne prefix */
                                           0x66, 0x0f,
                                           0x1f, 0x84,
                                           0,    0,
                                           0,    0,
                                           0}; /* nop */
static const unsigned char shared_entry_code[] = {0xf3,
                                                  0x0f,
                                                  0x1e,
                                                  0xfa, /* endbr64 */
                                                  0x4c,
                                                  0x8b,
                                                  0x1d,
                                                  0,
                                                  0,
                                                  0,
                                                  0, /* movq cairn_mutator@gottpoff(%rip), %r11 */
                                                  0x64,
                                                  0x41,
                                                  0x80,
                                                  0x7b,
                                                  CAIRN_ABI_MUTATOR_STATE,
                                                  0, /* cmpb $0, %fs:STATE(%r11) */
                                                  0x75,
                                                  (unsigned char)(0 - PREFIX_BYTES - 19), /* jne prefix */
                                                  0x0f,
                                                  0x1f,
                                                  0x44,
                                                  0,
                                                  0}; /* nop */
_Static_assert(sizeof entry_code == CAIRN_ABI_ENTRY_SIZE, "abi.def");
_Static_assert(sizeof shared_entry_code == CAIRN_ABI_ENTRY_SIZE, "abi.def");
_Static_assert(CAIRN_ABI_MANAGED == 0, "what entries compare the state with");
_Static_assert(CAIRN_ABI_MUTATOR_STATE == 40, "the relocation below");

static LLVMValueRef bytes_constant(struct cn_ctx *ctx, const unsigned char *at, size_t count)
{
  return LLVMConstStringInContext2(ctx->llvm, (const char *)at, count, true);
}

static LLVMValueRef zeros_constant(struct cn_ctx *ctx, unsigned count)
{
  return LLVMConstNull(LLVMArrayType2(LLVMInt8TypeInContext(ctx->llvm), count));
}

/* The distance of `enter` from the end of the jump. */
static LLVMValueRef build_jump_distance(struct cn_ctx *ctx, LLVMValueRef enter, LLVMValueRef function)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef end = cn_constant_address_at_offset(ctx, function, PREFIX_JUMP_END - PREFIX_BYTES);

  return LLVMConstTrunc(LLVMConstSub(LLVMConstPtrToInt(enter, i64), LLVMConstPtrToInt(end, i64)),
                        LLVMInt32TypeInContext(ctx->llvm));
}

struct cn_index_entry cn_convention_make_entry_code(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef enter,
                                                    unsigned alignment, bool shared)
{
  unsigned padding = alignment ? alignment - PREFIX_BYTES % alignment : 0;
  uint64_t mark = alignment ? 0 : CAIRN_ABI_MANAGED_MARK;
  LLVMValueRef parts[] = {zeros_constant(ctx, padding), bytes_constant(ctx, prefix_code, sizeof prefix_code),
                          build_jump_distance(ctx, enter, function),
                          zeros_constant(ctx, PREFIX_CODE_BYTES - PREFIX_JUMP_END),
                          LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), mark, false)};

  return (struct cn_index_entry){
      .prefix = LLVMConstStructInContext(ctx->llvm, parts, sizeof parts / sizeof *parts, true),
      .code = shared ? bytes_constant(ctx, shared_entry_code, sizeof shared_entry_code)
                     : bytes_constant(ctx, entry_code, sizeof entry_code),
      .relocation_at = shared ? 7 : 8,
      .relocation = shared ? "R_X86_64_GOTTPOFF, " CN_MUTATOR "-4" : "R_X86_64_TPOFF32, " CN_MUTATOR "+40"};
}

bool cn_convention_is_entry_code(LLVMValueRef code)
{
  size_t length = 0;
  const char *text = LLVMIsConstantString(code) ? LLVMGetAsString(code, &length) : NULL;

  return text && length == CAIRN_ABI_ENTRY_SIZE &&
         (memcmp(text, entry_code, length) == 0 || memcmp(text, shared_entry_code, length) == 0);
}
