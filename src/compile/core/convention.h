/* SPDX-License-Identifier: Apache-2.0
 *
 * The port's answers to the compile side: calling conventions, the target, and the pieces that have to be assembly.
 * convention_ARCH.c answers. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_CONVENTION_H
#define CN_COMPILE_CORE_CONVENTION_H

#include "compile/core/pass.h"

/* The knowledge that stubs may have of a calling convention. */
enum cn_convention {
  CN_CONVENTION_PLAIN,   /* arguments, results and saved registers are those of C */
  CN_CONVENTION_BRIDGED, /* managed callees may have it, native ones need a bridge */
  CN_CONVENTION_NATIVE,  /* only native callees have it */
  CN_CONVENTION_UNKNOWN
};
/* LLVM's number of the convention whose callees save only the frame pointer. Its first arguments,
 * CN_CONVENTION_NON_C_ARGUMENTS of them, are in registers outside C's argument registers. */
enum { CN_CONVENTION_PRESERVES_NONE = 21, CN_CONVENTION_NON_C_ARGUMENTS = 4 };
enum cn_convention cn_convention_of(LLVMValueRef call);
/* True if the convention guarantees tail calls, whatever the signatures. */
bool cn_convention_has_tail_calls(unsigned convention);
/* True if the code generator changes the names of the convention's functions. */
bool cn_convention_mangles_names(unsigned convention);

/* The kind of register that the C convention uses for a parameter. */
enum cn_register_class {
  CN_REGISTER_CLASS_INTEGER,
  CN_REGISTER_CLASS_VECTOR,
  CN_REGISTER_CLASS_COUNT,
  CN_REGISTER_CLASS_OTHER
};
enum cn_register_class cn_register_class_of(LLVMTypeRef type);
/* The number of registers of a class. */
unsigned cn_argument_register_count(enum cn_register_class which);

/* True if a result of this type, in whole or in part, comes back where LLVM 22 loses it at statepoints (rule
 * "x87-result"). */
bool cn_is_returned_on_x87_stack(LLVMTypeRef type);

/* True if a statepoint can return this type: surely in registers, all of which LLVM keeps. */
bool cn_is_returned_in_registers(LLVMTypeRef type);

/* The alignment of the stack at calls, in bytes. */
enum { CN_CONVENTION_STACK_ALIGNMENT = 16 };

/* True if the function's indirect calls go through thunks. */
bool cn_has_indirect_call_thunks(LLVMValueRef function);

/* ---- the target ---- */

/* True if the runtime has a port for the triple. */
bool cn_convention_has_port(const char *triple);
/* Initialise LLVM's code generator for the target. */
void cn_convention_init(void);
extern const char cn_convention_target_name[]; /* for messages */
/* The prefix of the names of LLVM's intrinsics for the target's instructions. These intrinsics run no other code. */
extern const char cn_target_intrinsic_prefix[];

/* The number of bits in a vector register that every processor of the target has. */
enum { CN_CONVENTION_VECTOR_BITS = 128 };

/* The first number of the target's own address spaces. */
enum { CN_FIRST_TARGET_ADDRESS_SPACE = 256 };
extern const char cn_target_own_spaces_reason[]; /* the reason for a refusal of those as managed */

/* ---- assembly ---- */

/* Inline assembly, with its constraints, that tests whether the stack pointer is at or below a word in memory. The
 * result is a flag, as an i32. */
extern const char cn_stack_check_assembly[], cn_stack_check_constraints[];

/* Inline assembly, with its constraints, that makes an i64 of 0, hidden from the optimiser. */
extern const char cn_zero_register_assembly[], cn_zero_register_constraints[];

/* The instruction that jumps to the function whose address stands in the word of `symbol` in the global offset table,
 * as the assembler reads it. Free it. */
char *cn_convention_format_jump(const char *symbol);

/* The instructions of a thunk: hand the stub `stub` the address of `target`; `variadic`: say that vector registers may
 * hold arguments. Names as the assembler reads them. Free it. */
char *cn_convention_format_stub_thunk(const char *target, const char *stub, bool variadic);

/* The instructions of a thunk that jumps straight to managed code, `target`; otherwise like
 * cn_convention_format_stub_thunk().
 */
char *cn_convention_format_jump_thunk(const char *target, bool variadic);

/* ---- entries (transitions/entries.c) ---- */

/* The code before a function's address, and the code at it. `code` ends with a word that the assembler has to fill in:
 * at `relocation_at`, with `relocation`. */
struct cn_index_entry {
  LLVMValueRef prefix, code;
  unsigned relocation_at;
  const char *relocation; /* its kind and its value, as the assembler reads them */
};

/* The entry of `function`: `enter` is the runtime's stub. `alignment` is 0, or the multiple that the function asks to
 * lie at; then the mark is left out. `shared`: the code is for a shared object. */
struct cn_index_entry cn_convention_make_entry_code(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef enter,
                                                    unsigned alignment, bool shared);
/* True if the constant is the code of an entry. */
bool cn_convention_is_entry_code(LLVMValueRef code);

#endif
