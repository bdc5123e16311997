/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about the target: calling conventions, properties of the target, and pieces of assembly. convention_ARCH.c
 * implements this interface for each port. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_CONVENTION_H
#define CN_COMPILE_CORE_CONVENTION_H

#include "compile/core/pass.h"

/* The stubs' support for a calling convention. */
enum cn_convention {
  CN_CONVENTION_PLAIN,   /* the same arguments, results and saved registers as C */
  CN_CONVENTION_BRIDGED, /* for managed callees; native callees need a bridge */
  CN_CONVENTION_NATIVE,  /* for native callees alone */
  CN_CONVENTION_UNKNOWN
};
/* LLVM's number of the convention whose callees save only the frame pointer. The first CN_CONVENTION_NON_C_ARGUMENTS
 * arguments are in registers outside C's argument registers. */
enum { CN_CONVENTION_PRESERVES_NONE = 21, CN_CONVENTION_NON_C_ARGUMENTS = 4 };
enum cn_convention cn_convention_of(LLVMValueRef call);
/* True if the convention guarantees tail calls for all signatures. */
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
unsigned cn_argument_register_count(enum cn_register_class which);

/* True if a result of this type is returned at least partly on the x87 stack, where LLVM 22 loses it at statepoints
 * (rule "x87-result"). */
bool cn_is_returned_on_x87_stack(LLVMTypeRef type);

/* True if a statepoint can return this type, because the result always lies in registers that LLVM preserves. */
bool cn_is_returned_in_registers(LLVMTypeRef type);

/* The alignment of the stack at calls, in bytes. */
enum { CN_CONVENTION_STACK_ALIGNMENT = 16 };

bool cn_has_indirect_call_thunks(LLVMValueRef function);

/* ---- the target ---- */

bool cn_convention_has_port(const char *triple);
void cn_convention_init(void);
extern const char cn_convention_target_name[]; /* for messages */
/* The oldest processor that LLVM generates code for. */
extern const char cn_convention_oldest_processor[];
/* The prefix of the names of LLVM's intrinsics for the target's instructions, which run no other code. */
extern const char cn_target_intrinsic_prefix[];

/* The number of bits in a vector register that every processor of the target has. */
enum { CN_CONVENTION_VECTOR_BITS = 128 };

/* The lowest number of the address spaces that the target itself defines. */
enum { CN_FIRST_TARGET_ADDRESS_SPACE = 256 };
extern const char cn_target_own_spaces_reason[]; /* the reason why such spaces cannot be managed */

/* LLVM's number of anyregcc, the convention of patchpoints whose arguments and result may be in any registers. */
enum { CN_CONVENTION_ANY_REGISTER = 13 };

/* The bytes of the longest code by which a patchpoint calls its target; instruction selection never ends if fewer are
 * reserved. The most arguments of convention anyregcc; instruction selection has no registers for more. */
extern const unsigned cn_point_target_bytes, cn_any_register_arguments;

/* ---- assembly ---- */

/* Inline assembly, with its constraints, that tests whether the stack pointer is at or below a word in memory. The
 * result is a flag, as an i32. */
extern const char cn_stack_check_assembly[], cn_stack_check_constraints[];

/* Inline assembly, with its constraints, for an i64 of 0 that the optimiser treats as unknown. */
extern const char cn_zero_register_assembly[], cn_zero_register_constraints[];

/* The text of a jump to `symbol` through the global offset table. The caller frees it. */
char *cn_convention_format_jump(const char *symbol);

/* The text of a thunk that passes the address of `target` to the stub `stub`. If `variadic` is set, the thunk also says
 * that vector registers may hold arguments. The names are in the assembler's syntax. The caller frees the text. */
char *cn_convention_format_stub_thunk(const char *target, const char *stub, bool variadic);

/* The text of a thunk that jumps to the managed code `target`, otherwise like cn_convention_format_stub_thunk().
 */
char *cn_convention_format_jump_thunk(const char *target, bool variadic);

/* ---- entries (transitions/entries.c) ---- */

/* The code before and at a function's address. `code` has a word at `relocation_at` that the assembler fills in with
 * `relocation`. */
struct cn_index_entry {
  LLVMValueRef prefix, code;
  unsigned relocation_at;
  const char *relocation; /* the relocation's kind and value, in the assembler's syntax */
};

/* The entry of `function`, with a jump to the runtime's stub `enter`. `alignment` is 0, or an alignment that the
 * function requires; the entry then lacks the mark. `shared` is set for a shared object. */
struct cn_index_entry cn_convention_make_entry_code(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef enter,
                                                    unsigned alignment, bool shared);
bool cn_convention_is_entry_code(LLVMValueRef code);

#endif
