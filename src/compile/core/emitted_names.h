/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that emitted IR, the runtime and include/cairn/cairn.h share, and small helpers to emit them. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_CORE_EMITTED_NAMES_H
#define CN_COMPILE_CORE_EMITTED_NAMES_H

#include "base/kind_symbols.h"
#include "compile/core/pass.h"

/* Annotations of C functions, annotate("..."). "cairn-unmanaged" requests native code, "cairn" managed code, even in a
 * unit of native code. "cairn" is also an attribute of functions in IR. */
#define CN_ATTR_UNMANAGED "cairn-unmanaged"
#define CN_ATTR_MANAGED "cairn"
/* Attributes of functions. "gc-leaf-function": the function never reaches a safepoint. "cairn-polls": each call reaches
 * a safepoint. "cairn-work"="N", also on a call: the work between safepoints, at the start, at the end and in all is at
 * most N units. "cairn-poll-slow": the function is the slow path of a module's own poll. */
#define CN_ATTR_LEAF "gc-leaf-function"
#define CN_ATTR_POLLS "cairn-polls"
#define CN_ATTR_WORK "cairn-work"
#define CN_ATTR_POLL_SLOW "cairn-poll-slow"
/* Attribute of functions that leave all objects in place. A statepoint still records each call, because the runtime
 * scans the frames to check stores (stationary_calls.c). */
#define CN_ATTR_STILL "cairn-still"
/* Attributes of declarations, and annotations in C. The attributes say that the definition, in any unit, is native or
 * managed code. */
#define CN_ATTR_NATIVE "cairn-native"
#define CN_ANNOTATION_LEAF "cairn-leaf" /* of a C declaration by cairn_leaf */
#define CN_ATTR_MANAGED_CODE "cairn-managed"
#define CN_ALLOC "cairn_alloc"
/* Suffix of the name for weak and finalisable types, so that the optimiser assumes nothing about their objects. */
#define CN_ALLOC_ASKED ".asked"
#define CN_ALLOC_ARRAY "cairn_alloc_array"
#define CN_ALLOC_FLEX "cairn_alloc_flex"
/* Allocations of objects free of references, which skip the clearing. */
#define CN_ALLOC_ARRAY_UNINIT "cairn_alloc_array_uninit"
#define CN_ALLOC_FLEX_UNINIT "cairn_alloc_flex_uninit"
#define CN_ALLOC_SLOW "cairn_alloc_slow"
#define CN_ALLOC_INDEXED_SLOW "cairn_alloc_indexed_slow"
#define CN_ALLOC_UNINIT_SLOW "cairn_alloc_uninit_slow"
/* Functions that give an array another length, their slow path, and the function that then copies the elements. */
#define CN_RESIZE_ARRAY "cairn_resize_array"
#define CN_RESIZE_ARRAY_UNINIT "cairn_resize_array_uninit"
#define CN_RESIZE_SLOW "cairn_resize_slow"
#define CN_RESIZE_FINISH "cairn_resize_finish"
#define CN_POLL_SLOW "cairn_poll_slow"
/* A stub that is a complete poll, with the read of the poll word. */
#define CN_POLL "cairn_poll"
#define CN_GIVE_BACK "cairn_give_back"
#define CN_CHECK_STORE "cairn_check_store"
/* Metadata of a store of a reference: a string with the name of the place, for the check's message. */
#define CN_SLOT_METADATA "cairn.slot"
#define CN_MEMBERS_METADATA "cairn.members" /* of functions, between rules and prepare (store_names.c) */
#define CN_SLOT_UNKNOWN "memory of unknown type"
#define CN_CHECK_COPY "cairn_check_copy"
#define CN_CHECK_NATIVE_COPY "cairn_check_native_copy"
/* The same, for a store or copy that has the variables of a site (CAIRN_ABI_SITE_x). */
#define CN_CHECK_STORE_AT "cairn_check_store_at"
#define CN_CHECK_COPY_AT "cairn_check_copy_at"
#define CN_SITE "cairn.site"
#define CN_NO_PLACES "cairn.site.no.places"
/* Ends the name of a copy of a function, for callers that pass described places. */
#define CN_STORE_COPY_SUFFIX ".proved"
/* Stubs whose target is the `nest` argument: for native functions, and for any function with variadic arguments. */
#define CN_CALL_NATIVE "cairn_call_native"
#define CN_VCALL_ANY "cairn_vcall_any"
/* Stub for a target that must be managed, because a reference is passed to it, and the function that refuses a native
 * target. */
#define CN_CALL_MANAGED "cairn_call_managed"
#define CN_REFUSE_NATIVE "cairn_refuse_native"
/* Stub for calls of native functions with all arguments in registers (short_calls.c). */
#define CN_CALL_SHORT "cairn_call_short"

/* Like CN_CALL_NATIVE, for Cairn's native code that passes references on. The thread stays in the managed state. */
#define CN_CALL_PASSING "cairn_call_passing"
/* Stub that makes the thread managed and calls a body. */
#define CN_ENTER "cairn_enter"
/* Attribute of a local function whose address always stands for its body. The function has no entry
 * (optimise/body_addresses.c). */
#define CN_ATTR_BODY_ADDRESS "cairn-body-address"
/* Attribute of a call whose callee is managed, and the marker for it in C, `ptr (ptr)`. */
#define CN_ATTR_MANAGED_CALLEE "cairn-managed-callee"
#define CN_MANAGED_CALLEE_MARKER "cairn.managed.callee"
/* The registrations of an image, one for its sections and one for each flag. */
#define CN_IMAGE "cairn.image"
#define CN_IMAGE_UNSAFE "cairn.image.unsafe"
#define CN_IMAGE_STACK "cairn.image.stack"
#define CN_IMAGE_INLINE "cairn.image.inline." /* followed by a number of bytes */
#define CN_IMAGE_SUFFIX ".data"
/* Barriers (docs/barriers.md): functions that insert-barriers calls and lower-barriers puts in line, perhaps with the
 * module's own definitions, and the slow paths of the runtime. */
#define CN_BARRIER_STORE "cairn.barrier.store"
#define CN_BARRIER_RANGE "cairn.barrier.range"
#define CN_BARRIER_LOAD "cairn.barrier.load"
#define CN_BARRIER_SNAPSHOT_SLOW "cairn_barrier_snapshot"
#define CN_BARRIER_LOAD_SLOW "cairn_barrier_load"
#define CN_BARRIER_RANGE_SLOW "cairn_barrier_range"
/* Functions of <cairn/exceptions.h>. */
#define CN_THROW "cairn_throw"
#define CN_THROWN "cairn_thrown"
/* Attribute of functions with barriers from insert-barriers. The value is the kind's mark (cn_mark_of_barrier_kind()).
 */
#define CN_ATTR_BARRIERS "cairn-barriers"
/* Symbols that make units agree. An executable or shared object defines each symbol once, so its code has one kind of
 * words, one kind of barriers and one limit of in-line allocation. The name of a kind of barriers follows the prefix of
 * the barrier group. */
#define CN_WORDS_SYMBOL "cairn.words.kind"
#define CN_BARRIERS_GROUP "cairn.barriers."
#define CN_INLINE_SYMBOL "cairn.inline.kind"
#define CN_NOTE_STORE "cairn_note_store"
#define CN_NOTE_COPY "cairn_note_copy"
/* Attribute of a call or function that returns a new object; with the value "small", the object takes at most
 * CAIRN_ABI_INLINE_ALLOC_MAX bytes. Attribute of a parameter or result that is null or the start of an object. */
#define CN_ATTR_FRESH "cairn-fresh"
#define CN_FRESH_SMALL "small"
#define CN_ATTR_OBJECT "cairn-object"
/* Functions that a front end defines for its calls with a bundle "gc-transition". */
#define CN_TRANSITION_ENTER "cairn.transition.enter"
#define CN_TRANSITION_LEAVE "cairn.transition.leave"
/* Prefixes of hidden thunks: to functions that may be native, to functions that must be managed, each also for variadic
 * calls, and to stubs of the runtime. */
#define CN_CALL_PREFIX "cairn.call."
#define CN_VCALL_PREFIX "cairn.vcall."
#define CN_BODY_PREFIX "cairn.body."
#define CN_VBODY_PREFIX "cairn.vbody."
#define CN_SLOW_PREFIX "cairn.slow."
/* The body of a managed function, with the function's visibility. Only managed code defines such names. */
#define CN_CODE_PREFIX "cairn.managed_code."
/* The body under a local name. The object side replaces this name by the function's name (object/build/body_names.c).
 */
#define CN_LOCAL_PREFIX "cairn.local."
/* The module's own copy of a function, if a loader keeps one copy for all modules (in_memory.c). */
#define CN_COPY_PREFIX "cairn.copy."
/* Bridges to native functions of other conventions than C's (bridges.c). */
#define CN_NATIVE_PREFIX "cairn.native."
#define CN_BRIDGE_PREFIX "cairn.bridge."
/* Start of the names of C library functions that are called on references (markers/library_calls.c): the prefix, a
 * digit with the bits of the arguments that are references unless all pointers are, a dot, and the function's name. */
#define CN_LIBRARY_PREFIX "cairn.libc"
/* Functions of the runtime that read texts up to a limit (texts.c of the port). */
#define CN_TEXT_LENGTH "cairn_text_length"
#define CN_TEXT_COMPARE "cairn_text_compare"
#define CN_TEXT_FIND "cairn_text_find"
/* Functions that split a long call into pieces. */
#define CN_LONG_PREFIX "cairn.long."
/* Functions that make an allocation of a `try` (throwing_allocations.c). */
#define CN_THROWING_PREFIX "cairn.throwing."
/* A difference of references, and the metadata of a difference with null (differences.c). */
#define CN_PTRDIFF "cairn.ptrdiff"
#define CN_DIFFERENCE_METADATA "cairn.difference"
/* Functions for immediates and boxes in words (lower/tags.c, boxes.c), and the module flag with the kind of words. */
#define CN_TAG_FROM "cairn.tag.from"
#define CN_TAG_IS "cairn.tag.is"
#define CN_TAG_VALUE "cairn.tag.value"
#define CN_BOX_FROM "cairn.box.from"
#define CN_BOX_IS "cairn.box.is"
#define CN_BOX_BITS "cairn.box.bits"
#define CN_WORDS_FLAG "cairn.words"
/* Queries of objects (allocation/object_queries.c). */
#define CN_QUERY_PREFIX_LAYOUT "cairn.layout.is"
#define CN_QUERY_PREFIX_OBJECT "cairn.object."
/* Named metadata from lower-tags, after which integers in words look like addresses. */
#define CN_WORDS_LOWERED "cairn.words.lowered"
#define CN_MUTATOR "cairn_mutator"
#define CN_LAYOUT_PREFIX "cairn.layout."
#define CN_LAYOUT_SECTION "cairn_layouts"
#define CN_ROOT_SECTION "cairn_roots"
/* The names of types and fields in layouts, and the metadata of layout statics that gives these names (layout_names.h).
 */
#define CN_NAME_PREFIX "cairn.names"
#define CN_NAME_SECTION "cairn_names"
#define CN_TYPE_METADATA "cairn.type"
/* Shared layouts (allocation/shared_layouts.c): the metadata of a layout static, and the prefix of a module's struct
 * cairn_shared_layout. */
#define CN_SHARED_METADATA "cairn.shared"
#define CN_SHARED_EXPORTED "exported"
#define CN_SHARED_PREFIX "cairn.shared."
enum { CN_MAX_SHARED_NAME_BYTES = 1000 };
/* Static objects (allocation/static_objects.c): the metadata of a managed variable, and the prefix of its object. */
#define CN_STATIC_METADATA "cairn.static"
#define CN_STATIC_PREFIX "cairn.static."
#define CN_FRAME_SECTION "cairn_frames"
#define CN_DETAILS_SECTION "cairn_details"
#define CN_POINTS_SECTION "cairn_points"
/* Objects that never move: an attribute of parameters and results that point to such objects, and metadata of loads. */
#define CN_ATTR_IMMOVABLE "cairn-immovable"
#define CN_ATTR_LIVE_OPERANDS "cairn-live-operands"
#define CN_IMMOVABLE_METADATA "cairn.immovable"
/* Markers of the start and end of a safepoint-free interval, and the attribute, also an annotation in C, of a
 * safepoint-free function (nopoll.c). */
#define CN_NOPOLL_BEGIN "cairn.nopoll.begin"
#define CN_NOPOLL_END "cairn.nopoll.end"
#define CN_ATTR_NOPOLL "cairn-nopoll"
/* Spans (spans.c): the markers that open and close a span, `void (i64 key, ptr value)` and `void (i64 key)`; the
 * metadata !{i64 key, ptr value, ...} of a call inside spans; the table of spans and its section. */
#define CN_SPAN_BEGIN "cairn.span.begin"
#define CN_SPAN_END "cairn.span.end"
#define CN_SPAN_METADATA "cairn.span"
#define CN_SPAN_TABLE "cairn.spans"
#define CN_SPAN_SECTION "cairn_spans"
/* A patchpoint whose arguments and result are in any registers, `i64 (i64 id, i32 bytes, ptr target, i32 arguments,
 * ...)` (any_register_points.c). */
#define CN_ANY_REGISTER_POINT "cairn.patchpoint"
/* The marker that makes a word of a local a root by tag, `void (ptr, i32 tag, i64 parameter)` (user_roots.c). */
#define CN_USER_ROOT "cairn.user.root"
/* Metadata of the latch branch of a loop that place-safepoints has bounded. !{i64 N} says that at most N units of work
 * lie between an entry into the loop and a safepoint or the loop's end; !{} says less than the budget. */
#define CN_BOUNDED "cairn.bounded"

/* The body of polls, @gc.safepoint_poll, if the module defines it. */
#define CN_USER_POLL "gc.safepoint_poll"

/* LLVM 22's encodings of memory(inaccessiblemem: readwrite) and memory(argmem: readwrite), with two bits per location,
 * argmem first. */
#define CN_MEMORY_INACCESSIBLE (3 << 2)
#define CN_MEMORY_ARGUMENTS (3 << 0)

LLVMTypeRef cn_ref_type(struct cn_ctx *ctx);
/* The number of an enum or type attribute of LLVM, and the number of an intrinsic, or 0 (kind_ids.c). `name` must be a
 * literal, because the cache's key is its address. */
unsigned cn_attribute_kind(const char *name);
unsigned cn_intrinsic_id(const char *name);
/* The number of a kind of metadata that LLVM itself defines, which is equal in all contexts. */
unsigned cn_fixed_metadata_kind_count(void); /* LLVM's own kinds have smaller numbers */
unsigned cn_metadata_kind(struct cn_ctx *ctx, const char *name);
void cn_add_enum_attribute(struct cn_ctx *ctx, LLVMValueRef function, LLVMAttributeIndex index, const char *name,
                           uint64_t value);
/* Name `value` after `other` if `other` has a name. */
void cn_name_value_after(LLVMValueRef value, LLVMValueRef other, const char *suffix);
bool cn_is_slow_allocation(const char *name);
/* True if `name` is the name of a stub that polls, which is the slow path or a complete poll. */
bool cn_is_poll_stub(const char *name);
/* True if `name` begins with the name of an allocating function that front ends call. */
bool cn_is_allocation_name(const char *name);
/* True if the function calls gc.statepoint, and thus has been rewritten. */
bool cn_has_statepoints(LLVMValueRef function);

#endif
