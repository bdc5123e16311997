/* SPDX-License-Identifier: Apache-2.0
 *
 * Names on which emitted IR, the runtime and include/cairn/cairn.h agree, and small helpers to emit them. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_CORE_EMITTED_NAMES_H
#define CN_COMPILE_CORE_EMITTED_NAMES_H

#include "base/kind_symbols.h"
#include "compile/core/pass.h"

/* C's annotations of functions, annotate("..."): compile the function as native code; compile it as managed code, even
 * in a unit of native code. The latter is also an attribute of functions in IR. */
#define CN_ATTR_UNMANAGED "cairn-unmanaged"
#define CN_ATTR_MANAGED "cairn"
/* Attributes of functions: the function never reaches a safepoint; each call of it reaches one; it does at most N units
 * of work between safepoints, at its start, at its end or in all ("cairn-work"="N", also of a call); it is the slow
 * path of a module's own poll. */
#define CN_ATTR_LEAF "gc-leaf-function"
#define CN_ATTR_POLLS "cairn-polls"
#define CN_ATTR_WORK "cairn-work"
#define CN_ATTR_POLL_SLOW "cairn-poll-slow"
/* Attribute of functions: objects stay in place while the function runs, but it lets the runtime check stores, which
 * scans the frames: its calls are recorded (stationary_calls.c). */
#define CN_ATTR_STILL "cairn-still"
/* Attributes of declarations, which C has as annotations: the definition, wherever it is, is native code; or it is
 * managed code. */
#define CN_ATTR_NATIVE "cairn-native"
#define CN_ATTR_MANAGED_CODE "cairn-managed"
#define CN_ALLOC "cairn_alloc"
/* Suffix of the name: for types that ask the collector for something. */
#define CN_ALLOC_ASKED ".asked"
#define CN_ALLOC_ARRAY "cairn_alloc_array"
#define CN_ALLOC_FLEX "cairn_alloc_flex"
/* Allocations of objects free of references, which skip the clearing. */
#define CN_ALLOC_ARRAY_UNINIT "cairn_alloc_array_uninit"
#define CN_ALLOC_FLEX_UNINIT "cairn_alloc_flex_uninit"
#define CN_ALLOC_SLOW "cairn_alloc_slow"
#define CN_ALLOC_INDEXED_SLOW "cairn_alloc_indexed_slow"
#define CN_ALLOC_UNINIT_SLOW "cairn_alloc_uninit_slow"
/* An array of another length, its slow path, and the function that copies the elements after it. */
#define CN_RESIZE_ARRAY "cairn_resize_array"
#define CN_RESIZE_ARRAY_UNINIT "cairn_resize_array_uninit"
#define CN_RESIZE_SLOW "cairn_resize_slow"
#define CN_RESIZE_FINISH "cairn_resize_finish"
#define CN_POLL_SLOW "cairn_poll_slow"
/* A whole poll: the stub reads the poll word itself. */
#define CN_POLL "cairn_poll"
#define CN_GIVE_BACK "cairn_give_back"
#define CN_CHECK_STORE "cairn_check_store"
/* Metadata of a store of a reference: the name of the place in the check's message, a string. */
#define CN_SLOT_METADATA "cairn.slot"
#define CN_SLOT_UNKNOWN "memory of unknown type"
#define CN_CHECK_COPY "cairn_check_copy"
#define CN_CHECK_NATIVE_COPY "cairn_check_native_copy"
/* Stubs whose target is the `nest` argument: a native function; any, variadic. */
#define CN_CALL_NATIVE "cairn_call_native"
#define CN_VCALL_ANY "cairn_vcall_any"
/* Stub for a target that must be managed, since it is given a reference; and the function that is called in place of a
 * native target. */
#define CN_CALL_MANAGED "cairn_call_managed"
#define CN_REFUSE_NATIVE "cairn_refuse_native"
/* Stub for native functions that are called with their arguments in registers (short_calls.c). */
#define CN_CALL_SHORT "cairn_call_short"

/* Like CN_CALL_NATIVE, for Cairn's native code that passes references on: the thread stays managed. */
#define CN_CALL_PASSING "cairn_call_passing"
/* Stub that makes the thread managed and calls a body. */
#define CN_ENTER "cairn_enter"
/* Attribute of a call: its callee is managed. C's marker for it: `ptr (ptr)`. */
#define CN_ATTR_MANAGED_CALLEE "cairn-managed-callee"
#define CN_MANAGED_CALLEE_MARKER "cairn.managed.callee"
/* The registrations of an image: its sections, and one for each of its flags. */
#define CN_IMAGE "cairn.image"
#define CN_IMAGE_UNSAFE "cairn.image.unsafe"
#define CN_IMAGE_STACK "cairn.image.stack"
#define CN_IMAGE_INLINE "cairn.image.inline." /* followed by a number of bytes */
#define CN_IMAGE_SUFFIX ".data"
/* Barriers (docs/barriers.md): the functions that insert-barriers calls and lower-barriers puts in line, from the
 * module if it defines them; and the slow paths of the runtime. */
#define CN_BARRIER_STORE "cairn.barrier.store"
#define CN_BARRIER_RANGE "cairn.barrier.range"
#define CN_BARRIER_LOAD "cairn.barrier.load"
#define CN_BARRIER_SNAPSHOT_SLOW "cairn_barrier_snapshot"
#define CN_BARRIER_LOAD_SLOW "cairn_barrier_load"
#define CN_BARRIER_RANGE_SLOW "cairn_barrier_range"
/* Attribute of functions: insert-barriers made its barriers, of the kind that is the value (cn_mark_of_barrier_kind()).
 */
#define CN_ATTR_BARRIERS "cairn-barriers"
/* Symbols that an executable or shared object defines once if its code is of one kind, of words and of barriers, and
 * allocates blocks of up to one size in line; the group of a kind of barriers, whose name follows it. */
#define CN_WORDS_SYMBOL "cairn.words.kind"
#define CN_BARRIERS_GROUP "cairn.barriers."
#define CN_INLINE_SYMBOL "cairn.inline.kind"
/* The functions that note-stores calls. */
#define CN_NOTE_STORE "cairn_note_store"
#define CN_NOTE_COPY "cairn_note_copy"
/* Attributes of a call, or of a function: it returns a new object, and, with that value, one of at most
 * CAIRN_ABI_INLINE_ALLOC_MAX bytes. Attribute of a parameter or a result: it is the start of an object, or null. */
#define CN_ATTR_FRESH "cairn-fresh"
#define CN_FRESH_SMALL "small"
#define CN_ATTR_OBJECT "cairn-object"
/* The functions that a front end defines to have its calls with a bundle "gc-transition" lowered. */
#define CN_TRANSITION_ENTER "cairn.transition.enter"
#define CN_TRANSITION_LEAVE "cairn.transition.leave"
/* Hidden thunks: to a function that may be native, to one that must be managed, each also for variadic calls; to a stub
 * of the runtime. */
#define CN_CALL_PREFIX "cairn.call."
#define CN_VCALL_PREFIX "cairn.vcall."
#define CN_BODY_PREFIX "cairn.body."
#define CN_VBODY_PREFIX "cairn.vbody."
#define CN_SLOW_PREFIX "cairn.slow."
/* The body of a managed function, as visible as the function: only managed code provides the name. */
#define CN_CODE_PREFIX "cairn.managed_code."
/* The body under a local name, which the object side replaces by the function's own (object/build/body_names.c). */
#define CN_LOCAL_PREFIX "cairn.local."
/* The module's own copy of a function, while a loader keeps one for all modules (in_memory.c). */
#define CN_COPY_PREFIX "cairn.copy."
/* Bridges to native functions of other conventions than C's (bridges.c). */
#define CN_NATIVE_PREFIX "cairn.native."
#define CN_BRIDGE_PREFIX "cairn.bridge."
/* Functions that split a long call into pieces. */
#define CN_LONG_PREFIX "cairn.long."
/* A difference of references, and the metadata of one whose other part is null (differences.c). */
#define CN_PTRDIFF "cairn.ptrdiff"
#define CN_DIFFERENCE_METADATA "cairn.difference"
/* Immediates in words (lower/tags.c), and the module flag that says how words are told apart. */
#define CN_TAG_FROM "cairn.tag.from"
#define CN_TAG_IS "cairn.tag.is"
#define CN_TAG_VALUE "cairn.tag.value"
#define CN_WORDS_FLAG "cairn.words"
/* Named metadata that lower-tags leaves behind: integers of words look like addresses. */
#define CN_WORDS_LOWERED "cairn.words.lowered"
#define CN_MUTATOR "cairn_mutator"
#define CN_LAYOUT_PREFIX "cairn.layout."
#define CN_LAYOUT_SECTION "cairn_layouts"
#define CN_ROOT_SECTION "cairn_roots"
/* The names of layouts' types and fields, and the metadata of layout statics that they are made of (layout_names.h). */
#define CN_NAME_PREFIX "cairn.names"
#define CN_NAME_SECTION "cairn_names"
#define CN_TYPE_METADATA "cairn.type"
#define CN_FRAME_SECTION "cairn_frames"
#define CN_DETAILS_SECTION "cairn_details"
/* Objects that never move: an attribute of parameters and results, metadata of loads. */
#define CN_ATTR_IMMOVABLE "cairn-immovable"
#define CN_ATTR_LIVE_OPERANDS "cairn-live-operands"
#define CN_IMMOVABLE_METADATA "cairn.immovable"
/* Markers: the code between calls of these two is free of safepoints, and so is a function with the attribute, which C
 * has as an annotation (nopoll.c). */
#define CN_NOPOLL_BEGIN "cairn.nopoll.begin"
#define CN_NOPOLL_END "cairn.nopoll.end"
#define CN_ATTR_NOPOLL "cairn-nopoll"
/* Spans (spans.c): the markers that open and close one, `void (i64 key, ptr value)` and `void (i64 key)`; the metadata
 * !{i64 key, ptr value, ...} of a call inside spans; their table and its section. */
#define CN_SPAN_BEGIN "cairn.span.begin"
#define CN_SPAN_END "cairn.span.end"
#define CN_SPAN_METADATA "cairn.span"
#define CN_SPAN_TABLE "cairn.spans"
#define CN_SPAN_SECTION "cairn_spans"
/* The marker that makes a word of a local the language's own: `void (ptr, i32 tag, i64 parameter)` (user_roots.c). */
#define CN_USER_ROOT "cairn.user.root"
/* Metadata of the branch that closes a loop which place-safepoints has bounded: !{i64 N}, at most N units of work
 * between an entry into the loop and a safepoint or its end; !{}, less than the budget. */
#define CN_BOUNDED "cairn.bounded"

/* The poll's body in a module: @gc.safepoint_poll, which a module defines, or Cairn's. */
#define CN_USER_POLL "gc.safepoint_poll"

/* LLVM's encodings of memory(inaccessiblemem: readwrite) and memory(argmem: readwrite), of LLVM 22: two bits per
 * location, argmem first. */
#define CN_MEMORY_INACCESSIBLE (3 << 2)
#define CN_MEMORY_ARGUMENTS (3 << 0)

LLVMTypeRef cn_ref_type(struct cn_ctx *ctx);
/* The number of an enum or type attribute, which LLVM must know, and of an intrinsic, or 0 (kind_ids.c). `name` is a
 * literal: it is remembered by its address. */
unsigned cn_attribute_kind(const char *name);
unsigned cn_intrinsic_id(const char *name);
/* The number of a kind of metadata that LLVM itself knows: those are equal in all contexts. */
unsigned cn_fixed_metadata_kind_count(void); /* LLVM's own kinds are numbered from 0 to this */
unsigned cn_metadata_kind(struct cn_ctx *ctx, const char *name);
void cn_add_enum_attribute(struct cn_ctx *ctx, LLVMValueRef function, LLVMAttributeIndex index, const char *name,
                           uint64_t value);
/* Name `value` after `other`, if that has a name. */
void cn_name_value_after(LLVMValueRef value, LLVMValueRef other, const char *suffix);
/* True if `name` is that of an allocation's slow path. */
bool cn_is_slow_allocation(const char *name);
/* True if `name` is that of a stub that polls: the slow path, or all of it. */
bool cn_is_poll_stub(const char *name);
/* True if `name` is that of an allocating function as front ends call it, or begins so. */
bool cn_is_allocation_name(const char *name);
/* True if the function was rewritten already: it calls gc.statepoint. */
bool cn_has_statepoints(LLVMValueRef function);

#endif
