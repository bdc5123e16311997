/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines x86-64 for the compile side: the registers of the C convention's arguments and results, LLVM's other
 * conventions, the target features that hinder safepoints, the text of thunks, and the machine code of entries (System
 * V AMD64 psABI, "Parameter Passing"; llvm/IR/CallingConv.h). Needs: nothing. Provides: cn_convention_port_x86_64, and
 * the test for results on the x87 stack, which no other target has. Breaks: nothing. Every port has a file of this
 * kind.
 */
#include "compile/core/convention.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Target.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

enum { SWIFT_CONVENTION = 16, TAIL_CONVENTION = 18, SWIFT_TAIL_CONVENTION = 20 }; /* llvm/IR/CallingConv.h */

/* ---- conventions ---- */

static enum cn_convention convention_support(unsigned convention)
{
  switch (convention) {
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

/* ---- results ---- */

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

/* ---- the target ---- */

static const char *const thunk_features[] = {
    "retpoline", "retpoline-indirect-calls", "retpoline-external-thunk", "lvi-cfi", "seses", NULL};

static bool has_triple(const char *triple)
{
  return strncmp(triple, "x86_64-", 7) == 0 && strstr(triple, "linux");
}

static void initialise_llvm(void)
{
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmParser();
  LLVMInitializeX86AsmPrinter();
}

/* ---- assembly ---- */

static char *format_jump(const char *symbol)
{
  return cn_format("  jmpq *%s@GOTPCREL(%%rip)\n", symbol);
}

static char *format_stub_thunk(const char *target, const char *stub, bool variadic)
{
  char *jump = format_jump(stub);
  char *text = cn_format("%s  movq %s@GOTPCREL(%%rip), %%r11\n%s", variadic ? "  movl $8, %eax\n" : "", target, jump);

  free(jump);
  return text;
}

static char *format_jump_thunk(const char *target, bool variadic)
{
  char *jump = format_jump(target);
  char *text = cn_format("%s%s", variadic ? "  movl $8, %eax\n" : "", jump);

  free(jump);
  return text;
}

/* ---- entries ---- */

/* A function with a mark, and its body, have addresses 8 bytes after a multiple of 16. The prefix consists of code and
 * the word of the mark. */
enum {
  ENTRY_BYTES = CAIRN_ABI_ENTRY_SIZE,
  PREFIX_CODE_BYTES = 16,
  PREFIX_MARK_BYTES = 8,
  PREFIX_BYTES = PREFIX_CODE_BYTES + PREFIX_MARK_BYTES,
  PREFIX_JUMP_END = 12
};

static const unsigned char prefix_code[] = {0x4c, 0x8d, 0x1d, PREFIX_BYTES - 7 + ENTRY_BYTES,
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
_Static_assert(sizeof entry_code == ENTRY_BYTES && sizeof shared_entry_code == ENTRY_BYTES, "abi.def");
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

static struct cn_entry_code make_entry(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef enter,
                                       unsigned alignment, bool shared)
{
  unsigned padding = alignment ? alignment - PREFIX_BYTES % alignment : 0;
  uint64_t mark = alignment ? 0 : CAIRN_ABI_MANAGED_MARK;
  LLVMValueRef parts[] = {zeros_constant(ctx, padding), bytes_constant(ctx, prefix_code, sizeof prefix_code),
                          build_jump_distance(ctx, enter, function),
                          zeros_constant(ctx, PREFIX_CODE_BYTES - PREFIX_JUMP_END),
                          LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), mark, false)};

  return (struct cn_entry_code){
      .prefix = LLVMConstStructInContext(ctx->llvm, parts, sizeof parts / sizeof *parts, true),
      .code = shared ? bytes_constant(ctx, shared_entry_code, sizeof shared_entry_code)
                     : bytes_constant(ctx, entry_code, sizeof entry_code),
      .relocations = {shared ? (struct cn_entry_relocation){7, "R_X86_64_GOTTPOFF, " CN_MUTATOR "-4"}
                             : (struct cn_entry_relocation){8, "R_X86_64_TPOFF32, " CN_MUTATOR "+40"}},
      .relocation_count = 1};
}

static bool is_entry(const char *code, size_t length)
{
  return length == ENTRY_BYTES &&
         (memcmp(code, entry_code, length) == 0 || memcmp(code, shared_entry_code, length) == 0);
}

/* ---- the port ---- */

const struct cn_convention_port cn_convention_port_x86_64 = {
    .name = "x86-64 Linux",
    .has_triple = has_triple,
    .initialise_llvm = initialise_llvm,
    .triple_start = "x86_64-unknown-",
    .clang_triple_start = "x86_64-pc-",
    .library_folder = "x86_64-linux-gnu",
    .oldest_processor = "x86-64",
    .processor_option = "-march=",
    .intrinsic_prefix = "llvm.x86.",
    .own_spaces_reason = "x86-64 gives those from 256 on a meaning of its own",
    .thunk_features = thunk_features,
    .convention = convention_support,
    .renaming_convention = LLVMX86VectorCallCallConv, /* appends the parameters' size, as in f@@8 */
    .argument_registers = {[CN_REGISTER_CLASS_INTEGER] = 6, [CN_REGISTER_CLASS_VECTOR] = 8},
    .first_integer_struct = 3, /* the integer registers are taken; a parameter before takes two of them at most */
    .result_integers = 3,
    .result_floats = 2,
    .result_vectors = 4,
    .splits_vectors = true,
    .has_short_calls = true,
    .point_target_bytes = 13, /* movabsq, and a call through r11 */
    .point_unit = 1,
    .any_register_arguments = 13,
    /* The comparison is assembly, because LLVM never folds a load into a comparison with the stack pointer. The result
     * is in the carry flag. */
    .stack_check_assembly = "cmpq $1, %rsp",
    .stack_check_constraints = "={@ccb},*m,~{dirflag},~{fpsr},~{flags}",
    .zero_register_assembly = "xorl ${0:k}, ${0:k}",
    .zero_register_constraints = "=r,~{flags}",
    .format_jump = format_jump,
    .format_stub_thunk = format_stub_thunk,
    .format_jump_thunk = format_jump_thunk,
    .entry_size = ENTRY_BYTES,
    .make_entry = make_entry,
    .is_entry = is_entry,
};
