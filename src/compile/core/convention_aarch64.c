/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines AArch64 for the compile side: the registers of the C convention's arguments and results, LLVM's other
 * conventions, the target feature that hinders safepoints, the text of thunks, and the machine code of entries
 * (AAPCS64, "Parameter passing"; llvm/IR/CallingConv.h). Needs: nothing. Provides: cn_convention_port_aarch64. Breaks:
 * nothing.
 *
 * Thunks pass the target of a stub in x14, and jump by x16, which a landing pad `bti c` accepts; a linker's veneers and
 * the procedure linkage table change x16 and x17. `hint 34` is `bti c` for assemblers without this extension.
 */
#include "compile/core/convention.h"

#include <string.h>
#include <llvm-c/Target.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"

/* llvm/IR/CallingConv.h */
enum { SWIFT_CONVENTION = 16, TAIL_CONVENTION = 18, SWIFT_TAIL_CONVENTION = 20, VECTOR_CONVENTION = 97 };

/* A tail call of the native convention of vectors saves more registers than the C convention. */
static enum cn_convention convention_support(unsigned convention)
{
  switch (convention) {
  case LLVMCCallConv:
  case LLVMFastCallConv:
    return CN_CONVENTION_PLAIN;
  case SWIFT_CONVENTION:
  case TAIL_CONVENTION:
  case SWIFT_TAIL_CONVENTION:
    return CN_CONVENTION_BRIDGED;
  case LLVMColdCallConv:
  case LLVMPreserveMostCallConv:
  case LLVMPreserveAllCallConv:
  case VECTOR_CONVENTION:
    return CN_CONVENTION_NATIVE;
  default:
    return CN_CONVENTION_UNKNOWN;
  }
}

/* ---- the target ---- */

static const char *const thunk_features[] = {"harden-sls-blr", NULL};

/* The copies of a block that begins a frame have wrong unwind information (findings/llvm-aarch64-copied-prologues.sh);
 * both passes make such copies. */
static const char *const llvm_options[] = {"cairn", "-tail-dup-placement=false", "-disable-tail-duplicate", NULL};

static bool has_triple(const char *triple)
{
  return (strncmp(triple, "aarch64-", 8) == 0 || strncmp(triple, "arm64-", 6) == 0) && strstr(triple, "linux") &&
         !strstr(triple, "ilp32");
}

static void initialise_llvm(void)
{
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmParser();
  LLVMInitializeAArch64AsmPrinter();
}

/* ---- assembly ---- */

static char *format_jump(const char *symbol)
{
  return cn_format("  hint #34\n  adrp x16, :got:%1$s\n  ldr x16, [x16, :got_lo12:%1$s]\n  br x16\n", symbol);
}

static char *format_stub_thunk(const char *target, const char *stub, bool variadic)
{
  (void)variadic; /* the caller of a variadic callee tells it nothing */
  return cn_format("  hint #34\n  adrp x14, :got:%1$s\n  ldr x14, [x14, :got_lo12:%1$s]\n"
                   "  adrp x16, :got:%2$s\n  ldr x16, [x16, :got_lo12:%2$s]\n  br x16\n",
                   target, stub);
}

static char *format_jump_thunk(const char *target, bool variadic)
{
  (void)variadic;
  return format_jump(target);
}

/* ---- entries ---- */

/* A function with a mark, and its body, have addresses 8 bytes after a multiple of 16. The prefix consists of code and
 * the word of the mark. */
enum {
  ENTRY_BYTES = 32,
  PREFIX_CODE_BYTES = 16,
  PREFIX_MARK_BYTES = 8,
  PREFIX_BYTES = PREFIX_CODE_BYTES + PREFIX_MARK_BYTES,
  PREFIX_JUMP = 4 /* the distance of the jump from the start of the prefix */
};

static const unsigned char prefix_code[] = {0xce, 0x01, 0x00, 0x10,  /* adr x14, body */
                                            0x00, 0x00, 0x00, 0x14,  /* b cairn_enter */
                                            0x1f, 0x20, 0x03, 0xd5,  /* nop */
                                            0x1f, 0x20, 0x03, 0xd5}; /* nop */
/* The load has no relocation of its own: mold 1.10 does not know these. */
static const unsigned char entry_code[] = {
    0x5f, 0x24, 0x03, 0xd5,  /* bti c */
    0x51, 0xd0, 0x3b, 0xd5,  /* mrs x17, tpidr_el0 */
    0x31, 0x02, 0x40, 0x91,  /* add x17, x17, #:tprel_hi12:cairn_mutator, lsl #12 */
    0x31, 0x02, 0x00, 0x91,  /* add x17, x17, #:tprel_lo12_nc:cairn_mutator */
    0x31, 0xa2, 0x40, 0x39,  /* ldrb w17, [x17, #STATE] */
    0xb1, 0xfe, 0xff, 0x35,  /* cbnz w17, prefix */
    0x1f, 0x20, 0x03, 0xd5,  /* nop */
    0x1f, 0x20, 0x03, 0xd5}; /* nop */
static const unsigned char shared_entry_code[] = {
    0x5f, 0x24, 0x03, 0xd5,  /* bti c */
    0x10, 0x00, 0x00, 0x90,  /* adrp x16, :gottprel:cairn_mutator */
    0x10, 0x02, 0x40, 0xf9,  /* ldr x16, [x16, #:gottprel_lo12:cairn_mutator] */
    0x51, 0xd0, 0x3b, 0xd5,  /* mrs x17, tpidr_el0 */
    0x31, 0x02, 0x10, 0x8b,  /* add x17, x17, x16 */
    0x31, 0xa2, 0x40, 0x39,  /* ldrb w17, [x17, #STATE] */
    0x91, 0xfe, 0xff, 0x35,  /* cbnz w17, prefix */
    0x1f, 0x20, 0x03, 0xd5}; /* nop */
_Static_assert(sizeof prefix_code == PREFIX_CODE_BYTES, "the prefix is code and the mark");
_Static_assert(sizeof entry_code == ENTRY_BYTES && sizeof shared_entry_code == ENTRY_BYTES, "abi_aarch64.def");
_Static_assert(CAIRN_ABI_MANAGED == 0, "what entries compare the state with");
_Static_assert(CAIRN_ABI_MUTATOR_STATE == 40, "the loads of entries");

static LLVMValueRef bytes_constant(struct cn_ctx *ctx, const unsigned char *at, size_t count)
{
  return LLVMConstStringInContext2(ctx->llvm, (const char *)at, count, true);
}

static LLVMValueRef make_prefix(struct cn_ctx *ctx, unsigned alignment)
{
  unsigned padding = alignment ? alignment - PREFIX_BYTES % alignment : 0;
  uint64_t mark = alignment ? 0 : CAIRN_ABI_MANAGED_MARK;
  LLVMValueRef parts[] = {LLVMConstNull(LLVMArrayType2(LLVMInt8TypeInContext(ctx->llvm), padding)),
                          bytes_constant(ctx, prefix_code, sizeof prefix_code),
                          LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), mark, false)};

  return LLVMConstStructInContext(ctx->llvm, parts, sizeof parts / sizeof *parts, true);
}

static struct cn_entry_code make_entry(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef enter,
                                       unsigned alignment, bool shared)
{
  static const struct cn_entry_relocation jump = {PREFIX_JUMP - PREFIX_BYTES,
                                                  "R_AARCH64_JUMP26, " CN_SLOW_PREFIX CN_ENTER};

  CN_ASSERT(LLVMIsAFunction(function) && !enter);
  if (shared)
    return (struct cn_entry_code){.prefix = make_prefix(ctx, alignment),
                                  .code = bytes_constant(ctx, shared_entry_code, sizeof shared_entry_code),
                                  .relocations = {jump,
                                                  {4, "R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, " CN_MUTATOR},
                                                  {8, "R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC, " CN_MUTATOR}},
                                  .relocation_count = 3};
  return (struct cn_entry_code){.prefix = make_prefix(ctx, alignment),
                                .code = bytes_constant(ctx, entry_code, sizeof entry_code),
                                .relocations = {jump,
                                                {8, "R_AARCH64_TLSLE_ADD_TPREL_HI12, " CN_MUTATOR},
                                                {12, "R_AARCH64_TLSLE_ADD_TPREL_LO12_NC, " CN_MUTATOR}},
                                .relocation_count = 3};
}

static bool is_entry(const char *code, size_t length)
{
  return length == ENTRY_BYTES &&
         (memcmp(code, entry_code, length) == 0 || memcmp(code, shared_entry_code, length) == 0);
}

/* ---- the port ---- */

const struct cn_convention_port cn_convention_port_aarch64 = {
    .name = "AArch64 Linux",
    .has_triple = has_triple,
    .initialise_llvm = initialise_llvm,
    .llvm_options = llvm_options,
    .triple_start = "aarch64-unknown-",
    .library_folder = "aarch64-linux-gnu",
    .oldest_processor = "generic",
    .processor_option = "-mcpu=",
    .intrinsic_prefix = "llvm.aarch64.",
    .own_spaces_reason = "AArch64 gives some of those from 256 on a meaning of its own",
    .thunk_features = thunk_features,
    .convention = convention_support,
    .argument_registers = {[CN_REGISTER_CLASS_INTEGER] = 8, [CN_REGISTER_CLASS_VECTOR] = 8},
    .result_integers = 8,
    .result_floats = 8,
    .result_vectors = 8,
    .needs_frame_pointers = true,
    .loses_popped_arguments = true,
    .lacks_odd_vectors = true,
    .needs_seen_jumps = true,
    .has_scalable_frames = true,
    .state_attribute_start = "aarch64_",
    .point_unit = 4,
    .miscounts_shadows = true,
    .frame_end_intrinsic = "llvm.sponentry",
    .any_register_arguments = 27,
    .store_fence_intrinsic = "llvm.aarch64.dmb",
    .store_fence_operand = 10, /* ISHST */
    .stack_check_assembly = "ldr x16, $1\n\tcmp sp, x16",
    .stack_check_constraints = "={@cclo},*m,~{x16}",
    .zero_register_assembly = "mov $0, xzr",
    .zero_register_constraints = "=r",
    .format_jump = format_jump,
    .format_stub_thunk = format_stub_thunk,
    .format_jump_thunk = format_jump_thunk,
    .entry_size = ENTRY_BYTES,
    .entry_names_thunk = true,
    .make_entry = make_entry,
    .is_entry = is_entry,
};
