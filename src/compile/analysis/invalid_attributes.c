/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the attributes and metadata that a moving collector makes false, with their places, and the harmless ones.
 * Tells whether an access touches references or has such metadata, and whether a constant global holds a reference.
 * Needs, breaks: nothing. Provides: cn_invalid_attributes[] and the queries of invalid_attributes.h. A thread caches
 * the kinds of metadata and of attributes.
 */
#include "compile/analysis/invalid_attributes.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/tbaa.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"

/* Attributes and metadata of LLVM 22; a row may name an attribute, a kind of metadata, or both. A leaf keeps its
 * attributes about memory, because all objects stay in place during the call. */
const struct cn_invalid_attribute cn_invalid_attributes[] = {
    /* A safepoint reads and writes the whole heap and the frames. */
    {"memory", CN_AT_MANAGED_FUNCTION | CN_AT_COLLECTING_CALL},
    {"nosync", CN_AT_MANAGED_FUNCTION | CN_AT_COLLECTING_CALL},
    {"nofree", CN_AT_MANAGED_FUNCTION | CN_AT_COLLECTING_CALL | CN_AT_REFERENCE | CN_AT_ACCESS_METADATA},
    /* The optimiser must not move code with a safepoint or references to other places. */
    {"speculatable", CN_AT_MANAGED_FUNCTION | CN_AT_COLLECTING_CALL | CN_AT_LEAF_DECLARATION},
    /* With optnone the code generator would not spill references (docs/llvm-22.md). */
    {"optnone", CN_AT_MANAGED_FUNCTION},
    /* An object leaves its memory when it moves. */
    {"dereferenceable", CN_AT_REFERENCE | CN_AT_ACCESS_METADATA},
    {"dereferenceable_or_null", CN_AT_REFERENCE | CN_AT_ACCESS_METADATA},
    {"writable", CN_AT_REFERENCE},
    {"dead_on_return", CN_AT_REFERENCE},
    /* The collector also accesses the memory behind a reference, and the locals that a pointer points to. */
    {"noalias", CN_AT_REFERENCE | CN_AT_UNMANAGED_POINTER | CN_AT_ACCESS_METADATA},
    {"alias.scope", CN_AT_ACCESS_METADATA},
    {"readonly", CN_AT_REFERENCE | CN_AT_UNMANAGED_POINTER},
    {"readnone", CN_AT_REFERENCE | CN_AT_UNMANAGED_POINTER},
    {"writeonly", CN_AT_REFERENCE | CN_AT_UNMANAGED_POINTER},
    {"initializes", CN_AT_REFERENCE | CN_AT_UNMANAGED_POINTER},
    {"dead_on_unwind", CN_AT_REFERENCE | CN_AT_UNMANAGED_POINTER},
    /* After the call the object may have another address than the argument. */
    {"returned", CN_AT_REFERENCE},
    /* The memory changes when an object moves, and references in locals and globals change. TBAA is invalid only if a
     * tag says that memory never changes. */
    {"invariant.load", CN_AT_ACCESS_METADATA | CN_LETS_ACCESS_MOVE},
    {"invariant.group", CN_AT_ACCESS_METADATA | CN_LETS_ACCESS_MOVE},
    {"tbaa", CN_AT_ACCESS_METADATA | CN_LETS_ACCESS_MOVE},
    {"tbaa.struct", CN_AT_ACCESS_METADATA | CN_LETS_ACCESS_MOVE},
    /* llvm.invariant.start asserts for memory what invariant.load asserts for an access. */
    {"llvm.invariant.start", CN_AT_MEMORY_MARKER},
    /* The collector writes to a constant that may hold a reference. */
    {"constant", CN_AT_GLOBAL_WITH_REFERENCES | CN_LETS_ACCESS_MOVE},
};
const unsigned cn_invalid_attribute_count = sizeof cn_invalid_attributes / sizeof *cn_invalid_attributes;

/* ---- harmless attributes ---- */

/* The harmless attributes describe the value (nonnull, noundef, align, range, captures, inreg ...), events that a
 * collection never causes (nounwind, willreturn, norecurse, cold), the result at the time of the call (allocsize,
 * allockind), or the function's code. An unlisted attribute may describe memory or the passing of an argument, so its
 * function is refused. Unlisted metadata is dropped. */
static const char *const harmless_attributes[] = {
    "align",
    "alignstack",
    "allocalign",
    "allockind",
    "allocptr",
    "allocsize",
    "allow_direct_access_in_hot_patch_function",
    "alwaysinline",
    "builtin",
    "byref",
    "byval",
    "captures",
    "cold",
    "convergent",
    "coro_elide_safe",
    "coro_only_destroy_when_complete",
    "disable_sanitizer_instrumentation",
    "elementtype",
    "fn_ret_thunk_extern",
    "hot",
    "hybrid_patchable",
    "immarg",
    "inalloca",
    "inlinehint",
    "inreg",
    "jumptable",
    "marked_for_windows_hot_patching",
    "minsize",
    "mustprogress",
    "naked",
    "nest",
    "nobuiltin",
    "nocallback",
    "nocf_check",
    "nocreateundeforpoison",
    "nodivergencesource",
    "noduplicate",
    "noext",
    "nofpclass",
    "noimplicitfloat",
    "noinline",
    "nomerge",
    "nonlazybind",
    "nonnull",
    "noprofile",
    "norecurse",
    "noredzone",
    "noreturn",
    "nosanitize_bounds",
    "nosanitize_coverage",
    "noundef",
    "nounwind",
    "null_pointer_is_valid",
    "optdebug",
    "optforfuzzing",
    "optsize",
    "preallocated",
    "presplitcoroutine",
    "range",
    "returns_twice",
    "safestack",
    "sanitize_address",
    "sanitize_alloc_token",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_numerical_stability",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "sanitize_thread",
    "sanitize_type",
    "shadowcallstack",
    "signext",
    "skipprofile",
    "speculative_load_hardening",
    "sret",
    "ssp",
    "sspreq",
    "sspstrong",
    "strictfp",
    "swiftasync",
    "swifterror",
    "swiftself",
    "uwtable",
    "vscale_range",
    "willreturn",
    "zeroext",
};

static const char *const harmless_metadata[] = {
    "dbg",
    "prof",
    "fpmath",
    "range",
    "nontemporal",
    "llvm.mem.parallel_loop_access",
    "nonnull",
    "make.implicit",
    "unpredictable",
    "align",
    "llvm.loop",
    "type",
    "section_prefix",
    "absolute_symbol",
    "associated",
    "callees",
    "irr_loop",
    "llvm.access.group",
    "callback",
    "llvm.preserve.access.index",
    "vcall_visibility",
    "noundef",
    "annotation",
    "nosanitize",
    "func_sanitize",
    "exclude",
    "memprof",
    "callsite",
    "kcfi_type",
    "pcsections",
    "DIAssignID",
    "coro.outside.frame",
    "mmra",
    "noalias.addrspace",
    "callee_type",
    "captures",
    "alloc_token",
    "implicit.ref",
};

static bool is_in_name_list(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

bool cn_is_judged_metadata(const char *name)
{
  size_t count = sizeof harmless_metadata / sizeof *harmless_metadata;

  for (unsigned p = 0; p < cn_invalid_attribute_count; p++)
    if ((cn_invalid_attributes[p].at & CN_AT_ACCESS_METADATA) && strcmp(cn_invalid_attributes[p].name, name) == 0)
      return true;
  return is_in_name_list(harmless_metadata, count, name);
}

uint64_t cn_unjudged_metadata_kinds(LLVMContextRef llvm)
{
  static _Thread_local uint64_t all, judged; /* equal in all contexts */
  size_t count = sizeof harmless_metadata / sizeof *harmless_metadata;
  unsigned kind;

  if (all)
    return all & ~judged;
  all = (UINT64_C(1) << cn_fixed_metadata_kind_count()) - 1;
  for (size_t i = 0; i < count + cn_invalid_attribute_count; i++) {
    bool harmless = i < count;
    const char *name = harmless ? harmless_metadata[i] : cn_invalid_attributes[i - count].name;
    if (!harmless && !(cn_invalid_attributes[i - count].at & CN_AT_ACCESS_METADATA))
      continue;
    kind = LLVMGetMDKindIDInContext(llvm, name, (unsigned)strlen(name));
    if (kind < 64)
      judged |= UINT64_C(1) << kind;
  }
  return all & ~judged;
}

bool cn_is_judged_attribute(unsigned kind)
{
  enum { KIND_COUNT = 256 };
  static _Thread_local bool judged[KIND_COUNT]; /* [0] is true once the array is filled; LLVM compares names slowly */
  size_t count = sizeof harmless_attributes / sizeof *harmless_attributes;

  CN_CHECK(LLVMGetLastEnumAttributeKind() < KIND_COUNT);
  for (size_t i = 0; !judged[0] && i < count + cn_invalid_attribute_count; i++) {
    const char *name = i < count ? harmless_attributes[i] : cn_invalid_attributes[i - count].name;
    unsigned named = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (named)
      judged[named] = true;
  }
  judged[0] = true;
  return kind > 0 && kind < KIND_COUNT && judged[kind];
}

/* ---- accesses ---- */

static bool is_statepoint(LLVMValueRef i)
{
  return cn_is_call(i) && cn_classify_call(i).kind == CN_CALL_STATEPOINT;
}

bool cn_access_touches_references(LLVMValueRef access)
{
  if (cn_holds_ref(LLVMTypeOf(access)) || cn_alloca_uses_is_copy(access) || is_statepoint(access))
    return true;
  for (int o = 0; o < LLVMGetNumOperands(access); o++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(access, (unsigned)o))))
      return true;
  return false;
}

bool cn_access_has_invalid_attribute(struct cn_ctx *ctx, LLVMValueRef access,
                                     const struct cn_invalid_attribute *promise)
{
  LLVMValueRef node = LLVMGetMetadata(access, cn_metadata_kind(ctx, promise->name));

  if (strcmp(promise->name, "tbaa") == 0)
    return cn_tbaa_is_immutable(node);
  if (strcmp(promise->name, "tbaa.struct") == 0)
    return cn_tbaa_has_immutable_field(node);
  return node != NULL;
}

/* ---- globals ---- */

bool cn_constant_holds_no_movable_reference(LLVMValueRef constant)
{
  LLVMTypeRef type = LLVMTypeOf(constant);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  uint64_t count = 0;

  if (!cn_holds_ref(type) || LLVMIsNull(constant) || (cn_is_ref(type) && cn_types_managed_variable_of(constant)))
    return true;
  if (kind == LLVMStructTypeKind)
    count = LLVMCountStructElementTypes(type);
  else if (kind == LLVMArrayTypeKind)
    count = LLVMGetArrayLength2(type);
  for (uint64_t i = 0; i < count; i++) {
    LLVMValueRef element = LLVMGetAggregateElement(constant, (unsigned)i);
    if (!element || !cn_constant_holds_no_movable_reference(element))
      return false;
  }
  return count > 0;
}

/* True if the linker may replace this definition by a definition with another initial value. */
static bool is_replaceable(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  return LLVMIsExternallyInitialized(global) || linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage ||
         linkage == LLVMCommonLinkage;
}

bool cn_is_constant_root(LLVMValueRef global)
{
  CN_ASSERT(LLVMIsAGlobalValue(global));
  if (!LLVMIsGlobalConstant(global) || !cn_holds_ref(LLVMGlobalGetValueType(global)))
    return false;
  LLVMValueRef initial = LLVMGetInitializer(global);
  return !initial || is_replaceable(global) || !cn_constant_holds_no_movable_reference(initial);
}
