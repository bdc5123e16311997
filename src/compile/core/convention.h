/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about targets: calling conventions, properties of the target, and pieces of assembly. Each port has a constant
 * struct of its facts, which convention_ARCH.c defines; a module's triple chooses the port. convention.c has the
 * functions, which are the same for all ports. Private to src.
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

/* The kind of register that the C convention uses for a parameter. */
enum cn_register_class {
  CN_REGISTER_CLASS_INTEGER,
  CN_REGISTER_CLASS_VECTOR,
  CN_REGISTER_CLASS_COUNT,
  CN_REGISTER_CLASS_OTHER
};

/* A relocation of an entry's code, `at` bytes after the function's address: the relocation's kind and value, in the
 * assembler's syntax. */
struct cn_entry_relocation {
  int at;
  const char *kind_and_value;
};
enum { CN_ENTRY_RELOCATIONS_MAX = 3 };

/* The code before and at a function's address, which the assembler completes by the relocations. */
struct cn_entry_code {
  LLVMValueRef prefix, code;
  struct cn_entry_relocation relocations[CN_ENTRY_RELOCATIONS_MAX];
  unsigned relocation_count;
};

/* The facts of a target. Texts of assembly are from malloc(), and names in assembly are in the assembler's syntax. */
struct cn_convention_port {
  const char *name; /* for messages */
  bool (*has_triple)(const char *triple);
  void (*initialise_llvm)(void);
  /* The command line of options that LLVM's code generator needs for this target; ends with null; null for none. */
  const char *const *llvm_options;
  /* The start of triples in most front ends, and in clang's if it differs; else null. */
  const char *triple_start, *clang_triple_start;
  const char *library_folder; /* the target's folder of libraries, relative to those of the host */

  /* The oldest processor that LLVM generates code for. */
  const char *oldest_processor;
  /* The option that names the processor, with the form that LLVM knows. */
  const char *processor_option;
  /* The prefix of the names of LLVM's intrinsics for the target's instructions, which run no other code. */
  const char *intrinsic_prefix;
  /* The reason why address spaces from CN_FIRST_TARGET_ADDRESS_SPACE on cannot be managed. */
  const char *own_spaces_reason;
  /* Target features that replace indirect calls by calls of thunks; ends with null. */
  const char *const *thunk_features;

  /* The answer for LLVM's number of a convention. */
  enum cn_convention (*convention)(unsigned convention);
  /* A convention whose functions' names the code generator changes; 0 if there is none. */
  unsigned renaming_convention;
  /* The C convention's registers for arguments, and the most registers for a result. */
  unsigned argument_registers[CN_REGISTER_CLASS_COUNT];
  unsigned result_integers, result_floats, result_vectors;
  /* True if vectors of other lengths than powers of two, or with unusual elements, are returned as their elements;
   * their registers are unknown otherwise. */
  bool splits_vectors;
  /* The first parameter that clang may pass as an integer although it is a small struct (source/struct_words.c). */
  unsigned first_integer_struct;
  /* True if managed code makes short calls of native functions (transitions/short_calls.c). */
  bool has_short_calls;
  /* True if managed functions with calls get frame pointers: the object side knows frame records best. */
  bool needs_frame_pointers;
  /* True if LLVM 22 may read the frame before it restores the stack pointer, after a call of tailcc or swifttailcc with
   * arguments in memory. */
  bool loses_popped_arguments;
  /* True if LLVM 22 fails over a deopt value that is a vector, if its number of elements is no power of two. */
  bool lacks_odd_vectors;
  /* True if the runtime cannot tell calls that a jump has left, which it did not see, from those that run. */
  bool needs_seen_jumps;
  /* True if frames may have a part whose size only the processor knows, which stack maps do not describe. */
  bool has_scalable_frames;
  /* The start of names of attributes of functions that change the processor's state for calls, which statepoints leave
   * out; null if there are none. */
  const char *state_attribute_start;

  /* The bytes of the longest code by which a patchpoint calls its target; instruction selection never ends if fewer
   * are reserved. 0: patchpoints have no target. */
  unsigned point_target_bytes;
  /* The lengths of regions of points are multiples of this number. */
  unsigned point_unit;
  /* True if LLVM 22 counts directives of the assembler as instructions of a shadow, so that the shadow may reach into
   * the next block (docs/llvm-22.md, "patchpoints"). */
  bool miscounts_shadows;
  /* The most arguments of convention anyregcc; instruction selection has no registers for more. */
  unsigned any_register_arguments;

  /* LLVM's intrinsic for the end of the function's frame; null if the return address is the last word of each frame. */
  const char *frame_end_intrinsic;

  /* LLVM's intrinsic that makes earlier stores visible before later ones, and its operand; null if the machine keeps
   * the order of stores. */
  const char *store_fence_intrinsic;
  unsigned store_fence_operand;

  /* Inline assembly, with its constraints, that tests whether the stack pointer is below a word in memory. The result
   * is a flag, as an i32. */
  const char *stack_check_assembly, *stack_check_constraints;
  /* Inline assembly, with its constraints, for an i64 of 0 that the optimiser treats as unknown. */
  const char *zero_register_assembly, *zero_register_constraints;
  /* The text of a jump to `symbol` through the global offset table. */
  char *(*format_jump)(const char *symbol);
  /* The text of a thunk that passes the address of `target` to the stub `stub`. If `variadic` is set, the thunk also
   * says that vector registers may hold arguments, on targets whose callees read this. */
  char *(*format_stub_thunk)(const char *target, const char *stub, bool variadic);
  /* The text of a thunk that jumps to the managed code `target`. */
  char *(*format_jump_thunk)(const char *target, bool variadic);

  /* The size in bytes of a managed function's entry, after which the body begins. */
  unsigned entry_size;
  /* True if entries name the thunk of the stub CN_ENTER in assembly (lower/slow_paths.c). */
  bool entry_names_thunk;
  /* The entry of `function`, with a jump to the runtime's stub `enter`, which is null if the entry names the stub's
   * thunk. `alignment` is 0, or an alignment that the function requires; the entry then lacks the mark. `shared` is set
   * for a shared object. */
  struct cn_entry_code (*make_entry)(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef enter, unsigned alignment,
                                     bool shared);
  bool (*is_entry)(const char *code, size_t length);
};

extern const struct cn_convention_port cn_convention_port_x86_64, cn_convention_port_aarch64;

/* The port for a triple; null if there is none. */
const struct cn_convention_port *cn_convention_find_port(const char *triple);
/* The port for the target of this process. */
const struct cn_convention_port *cn_convention_host_port(void);
/* The module's port: the host's for a module without a triple. Passes that make no code for the runtime also run on
 * modules of other targets, with the facts of some port. */
const struct cn_convention_port *cn_convention_port_of(LLVMModuleRef module);
const struct cn_convention_port *cn_convention_port_at(LLVMValueRef instruction);
/* The names of all ports' targets, as in "A and B". The caller frees the text. */
char *cn_convention_format_targets(void);
/* Initialise LLVM's targets of all ports. */
void cn_convention_init(void);

/* The support for the convention of `call`. */
enum cn_convention cn_convention_of(LLVMValueRef call);
/* True if the convention guarantees tail calls for all signatures. */
bool cn_convention_has_tail_calls(unsigned convention);

enum cn_register_class cn_register_class_of(LLVMTypeRef type);

/* True if a result of this type is returned at least partly on the x87 stack, where LLVM 22 loses it at statepoints
 * (rule "x87-result"). */
bool cn_is_returned_on_x87_stack(LLVMTypeRef type);

/* True if a statepoint can return this type, because the result always lies in registers that LLVM preserves. */
bool cn_is_returned_in_registers(LLVMModuleRef module, LLVMTypeRef type);

/* The alignment of the stack at calls, in bytes. */
enum { CN_CONVENTION_STACK_ALIGNMENT = 16 };

/* True if indirect calls of the function go through thunks, which statepoints leave out. */
bool cn_has_indirect_call_thunks(LLVMValueRef function);

/* The number of bits in a vector register that every processor of each target has. */
enum { CN_CONVENTION_VECTOR_BITS = 128 };

/* The lowest number of the address spaces that targets themselves define. */
enum { CN_FIRST_TARGET_ADDRESS_SPACE = 256 };

/* LLVM's number of anyregcc, the convention of patchpoints whose arguments and result may be in any registers. */
enum { CN_CONVENTION_ANY_REGISTER = 13 };

/* True if the initialiser of prologue data is the code of an entry. */
bool cn_convention_is_entry_code(LLVMModuleRef module, LLVMValueRef code);

#endif
