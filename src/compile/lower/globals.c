/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `globals`: registers a module's roots, sections and flags with the runtime.
 *
 * Needs: all other passes. Provides: a struct cairn_global_root in section cairn_roots for each global that holds
 * references and for each shared layout, the constructor that registers the image; the guard that prevents links of
 * managed code without frame maps; symbols that prevent links of units with different barriers or words; the limit of
 * in-line allocation; an accessor for each thread-local root. Breaks: nothing.
 *
 * The linker drops a root only together with its global, because !associated makes the section of the root
 * SHF_LINK_ORDER. The root of another unit's global is always kept (llvm.used), because the global's section is in
 * another object file. The constructor is a hidden COMDAT, so an executable or shared object has one constructor for
 * all its units. The constructor passes the sections' bounds, which are the linker's start and stop symbols.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Comdat.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/invalid_attributes.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"
#include "compile/effects/points.h"
#include "compile/allocation/layout_constants.h"

/* The constructor's priority makes it run before all constructors of the program, which may allocate and collect.
 * Priorities below 101 are reserved for the implementation. */
#define CONSTRUCTOR_PRIORITY 100

typedef CN_VECTOR(LLVMValueRef) value_vector;

static LLVMTypeRef pointer_type(struct cn_ctx *ctx)
{
  return LLVMPointerTypeInContext(ctx->llvm, 0);
}

/* Append the function to the list; the linker keeps the entry if it keeps the group of `key`, which may be null. */
static void append_structor(struct cn_ctx *ctx, const char *list, LLVMValueRef function, LLVMValueRef key)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMTypeRef types[] = {i32, pointer_type(ctx), pointer_type(ctx)};
  LLVMTypeRef type = LLVMStructTypeInContext(ctx->llvm, types, 3, false);
  LLVMValueRef fields[] = {LLVMConstInt(i32, CONSTRUCTOR_PRIORITY, false), function,
                           key ? key : LLVMConstNull(pointer_type(ctx))};

  LLVMValueRef entry = LLVMConstStructInContext(ctx->llvm, fields, 3, false);

  cn_emit_append_to_list(ctx, list, type, &entry, 1);
}

/* ---- roots ---- */

static bool is_root_global(struct cn_ctx *ctx, LLVMValueRef global)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  size_t length;

  if (strncmp(LLVMGetValueName2(global, &length), "llvm.", 5) == 0 || !LLVMTypeIsSized(type) || !cn_holds_ref(type))
    return false;
  if (LLVMIsThreadLocal(global) &&
      (LLVMGetLinkage(global) == LLVMExternalWeakLinkage || LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != 0)) {
    cn_error(ctx, global, "thread-local-reference",
             "thread-local '%s' holds references and is %s: its address cannot be told from none",
             LLVMGetValueName2(global, &length),
             LLVMGetLinkage(global) == LLVMExternalWeakLinkage ? "weak and not defined here" : "managed itself");
    return false;
  }
  LLVMValueRef initial = LLVMIsDeclaration(global) ? NULL : LLVMGetInitializer(global);
  /* A constant without references that may move needs no root. */
  return !(initial && LLVMIsGlobalConstant(global) && cn_constant_holds_no_movable_reference(initial));
}

static bool is_defined_here(LLVMValueRef global)
{
  return !LLVMIsDeclaration(global) && LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage;
}

static void associate_root(struct cn_ctx *ctx, LLVMValueRef root, LLVMValueRef global)
{
  CN_CHECK(is_defined_here(global));
  LLVMMetadataRef target = LLVMValueAsMetadata(global);

  LLVMGlobalSetMetadata(root, LLVMGetMDKindIDInContext(ctx->llvm, "associated", 10),
                        LLVMMDNodeInContext2(ctx->llvm, &target, 1));
  if (LLVMGetComdat(global))
    LLVMSetComdat(root, LLVMGetComdat(global));
}

/* A layout lists every single reference of an object. A global with more than MAX_SINGLE_ROOT_REFERENCES references
 * gets several roots: one for each field of a struct, and one for each part of an array, with up to
 * MAX_PIECE_REFERENCES references or one element. */
enum { MAX_SINGLE_ROOT_REFERENCES = 65536, MAX_PIECE_REFERENCES = 4096 };

static uint64_t reference_count(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  uint64_t count = 0;

  if (!cn_holds_ref(type))
    return 0;
  if (kind == LLVMArrayTypeKind)
    return LLVMGetArrayLength2(type) * reference_count(LLVMGetElementType(type));
  if (kind != LLVMStructTypeKind)
    return 1;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    count += reference_count(LLVMStructGetTypeAtIndex(type, i));
  return count;
}

/* The layouts and roots of a module. `here` has the roots of globals that the module defines; the linker drops such
 * roots together with their globals. */
struct module_roots {
  struct cn_layout_table layouts;
  value_vector here, elsewhere;
};

/* Give a thread-local the initial-exec model, so that its distance from the thread pointer is equal in all threads,
 * even in shared objects (docs/threads.md). */
static void set_initial_exec_model(LLVMValueRef global)
{
  LLVMThreadLocalMode mode = LLVMGetThreadLocalMode(global);

  if (mode == LLVMGeneralDynamicTLSModel || mode == LLVMLocalDynamicTLSModel)
    LLVMSetThreadLocalMode(global, LLVMInitialExecTLSModel);
}

/* Add a native function that returns the calling thread's address of the thread-local, plus `offset`. The linker keeps
 * or drops the function together with the thread-local. */
static LLVMValueRef add_thread_local_accessor(struct cn_ctx *ctx, LLVMValueRef global, uint64_t offset)
{
  LLVMTypeRef pointer = pointer_type(ctx);
  unsigned id = LLVMLookupIntrinsicID("llvm.threadlocal.address", 24);
  LLVMValueRef function = LLVMAddFunction(ctx->module, "cairn.thread_root", LLVMFunctionType(pointer, NULL, 0, false));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  set_initial_exec_model(global);
  LLVMSetLinkage(function, LLVMPrivateLinkage);
  LLVMSetAlignment(function, 16); /* CAIRN_ABI_ROOT_THREAD_LOCAL is added to its address */
  if (is_defined_here(global) && LLVMGetComdat(global))
    LLVMSetComdat(function, LLVMGetComdat(global));
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, function, ""));
  LLVMValueRef address = LLVMBuildCall2(builder, LLVMIntrinsicGetType(ctx->llvm, id, &pointer, 1),
                                        LLVMGetIntrinsicDeclaration(ctx->module, id, &pointer, 1), &global, 1, "");
  LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false);
  if (offset)
    address = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(ctx->llvm), address, &at, 1, "");
  LLVMBuildRet(builder, address);
  LLVMDisposeBuilder(builder);
  return function;
}

static LLVMValueRef build_root_address(struct cn_ctx *ctx, LLVMValueRef global, uint64_t offset)
{
  LLVMValueRef address = global;

  if (LLVMIsThreadLocal(global)) {
    address = add_thread_local_accessor(ctx, global, offset);
    offset = CAIRN_ABI_ROOT_THREAD_LOCAL;
  } else if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != 0)
    address = LLVMConstAddrSpaceCast(global, pointer_type(ctx));
  return offset ? cn_constant_address_in_bounds(ctx, address, offset) : address;
}

static void add_record(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef address, LLVMValueRef layout,
                       struct module_roots *roots)
{
  LLVMValueRef fields[] = {address, layout};
  LLVMValueRef value = LLVMConstStructInContext(ctx->llvm, fields, 2, false);
  LLVMValueRef root = LLVMAddGlobal(ctx->module, LLVMTypeOf(value), "cairn.root");

  LLVMSetInitializer(root, value);
  LLVMSetGlobalConstant(root, true);
  LLVMSetLinkage(root, LLVMPrivateLinkage);
  LLVMSetSection(root, CN_ROOT_SECTION);
  LLVMSetAlignment(root, 8);
  if (is_defined_here(global))
    associate_root(ctx, root, global);
  cn_push(is_defined_here(global) ? &roots->here : &roots->elsewhere, root);
}

static void add_root_record(struct cn_ctx *ctx, LLVMValueRef global, LLVMTypeRef type, uint64_t offset,
                            struct module_roots *roots)
{
  CN_CHECK(cn_holds_ref(type) && offset % sizeof(uint64_t) == 0);
  LLVMValueRef layout = cn_layouts_find_or_make(ctx, &roots->layouts, type, CN_LAYOUT_FORM_OBJECT,
                                                LLVMABISizeOfType(ctx->layout, type), NULL, global);

  if (layout)
    add_record(ctx, global, build_root_address(ctx, global, offset), layout, roots);
}

static void add_roots_of_type(struct cn_ctx *ctx, LLVMValueRef global, LLVMTypeRef type, uint64_t offset,
                              struct module_roots *roots)
{
  /* A weak global of another unit has a null address if it is undefined, so it gets one root, at offset 0. A global
   * with a misaligned reference also gets one root, because the error shows only in the complete type. */
  if (reference_count(type) <= MAX_SINGLE_ROOT_REFERENCES || LLVMGetLinkage(global) == LLVMExternalWeakLinkage ||
      cn_types_has_misaligned_ref(ctx, type)) {
    if (cn_holds_ref(type))
      add_root_record(ctx, global, type, offset, roots);
    return;
  }
  if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      add_roots_of_type(ctx, global, LLVMStructGetTypeAtIndex(type, i),
                        offset + LLVMOffsetOfElement(ctx->layout, type, i), roots);
    return;
  }
  CN_CHECK(LLVMGetTypeKind(type) == LLVMArrayTypeKind);
  LLVMTypeRef element = LLVMGetElementType(type);
  uint64_t each = reference_count(element), size = LLVMABISizeOfType(ctx->layout, element);
  CN_CHECK(each > 0); /* the array has more than MAX_SINGLE_ROOT_REFERENCES references */
  uint64_t count = LLVMGetArrayLength2(type), step = each < MAX_PIECE_REFERENCES ? MAX_PIECE_REFERENCES / each : 1;
  for (uint64_t i = 0; i < count; i += step) {
    uint64_t part = count - i < step ? count - i : step;
    add_roots_of_type(ctx, global, part == 1 ? element : LLVMArrayType2(element, part), offset + i * size, roots);
  }
}

/* Add the entry of a shared layout to the section of roots, with the layout constant that the entry has in its first
 * field until now. */
static void add_shared_layout_record(struct cn_ctx *ctx, LLVMValueRef entry, struct module_roots *roots)
{
  LLVMValueRef value = LLVMGetInitializer(entry), layout = cn_shared_layouts_constant_of(entry);
  LLVMValueRef fields[] = {LLVMConstNull(pointer_type(ctx)), LLVMGetAggregateElement(value, 1),
                           LLVMGetAggregateElement(value, 2)};

  LLVMSetInitializer(entry, LLVMConstStructInContext(ctx->llvm, fields, 3, false));
  add_record(ctx, entry, cn_constant_address_in_bounds(ctx, entry, CAIRN_ABI_ROOT_SHARED_LAYOUT),
             layout ? layout : LLVMConstNull(pointer_type(ctx)), roots);
}

static size_t add_shared_layouts(struct cn_ctx *ctx, struct module_roots *roots)
{
  value_vector entries = {0};

  CN_EACH_GLOBAL(g, ctx->module)
    if (cn_shared_layouts_is_entry(g))
      cn_push(&entries, g);
  for (size_t i = 0; i < entries.count; i++)
    add_shared_layout_record(ctx, entries.at[i], roots);
  size_t count = entries.count;
  cn_free(&entries);
  return count;
}

static size_t add_roots(struct cn_ctx *ctx)
{
  struct module_roots roots = {0};
  value_vector globals = {0};

  CN_EACH_GLOBAL(g, ctx->module)
    if (is_root_global(ctx, g))
      cn_push(&globals, g);
  size_t count = globals.count;
  cn_layouts_table_build(ctx, &roots.layouts);
  for (size_t i = 0; i < count; i++)
    add_roots_of_type(ctx, globals.at[i], LLVMGlobalGetValueType(globals.at[i]), 0, &roots);
  cn_layouts_table_free(&roots.layouts);
  count += add_shared_layouts(ctx, &roots);
  cn_emit_append_to_list(ctx, "llvm.compiler.used", pointer_type(ctx), roots.here.at, roots.here.count);
  cn_emit_append_to_list(ctx, "llvm.used", pointer_type(ctx), roots.elsewhere.at, roots.elsewhere.count);
  cn_free(&globals);
  cn_free(&roots.here);
  cn_free(&roots.elsewhere);
  return count;
}

/* ---- the image ---- */

/* Declare a bound of a section, which the linker defines. The symbol is weak because the section may be empty, and
 * hidden because the section belongs to this image. */
static LLVMValueRef declare_section_bound(struct cn_ctx *ctx, const char *which, const char *section)
{
  char *name = cn_format("__%s_%s", which, section);
  LLVMValueRef symbol = LLVMGetNamedGlobal(ctx->module, name);

  if (!symbol) {
    symbol = LLVMAddGlobal(ctx->module, LLVMInt8TypeInContext(ctx->llvm), name);
    LLVMSetLinkage(symbol, LLVMExternalWeakLinkage);
    LLVMSetVisibility(symbol, LLVMHiddenVisibility);
  }
  free(name);
  return symbol;
}

static void make_unique_per_image(struct cn_ctx *ctx, LLVMValueRef value, const char *group)
{
  LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
  LLVMSetVisibility(value, LLVMHiddenVisibility);
  LLVMSetComdat(value, LLVMGetOrInsertComdat(ctx->module, group));
}

/* Add a struct cairn_image. The linker keeps one struct per group, so the flags of a unit without safepoints are in a
 * separate struct without sections. `guard`, or null, is the symbol for the start of the frame maps until the unit has
 * frame maps. */
static LLVMValueRef add_image_record(struct cn_ctx *ctx, const char *group, LLVMValueRef guard, bool sections,
                                     uint64_t flags)
{
  static const char *const names[] = {CN_FRAME_SECTION, CN_ROOT_SECTION, CN_LAYOUT_SECTION, CN_DETAILS_SECTION,
                                      CN_POINTS_SECTION};
  enum {
    IMAGE_SECTION_COUNT = sizeof names / sizeof *names,
    FIRST_SECTION_FIELD = 2,
    IMAGE_FIELD_COUNT = FIRST_SECTION_FIELD + 2 * IMAGE_SECTION_COUNT + 1
  };
  LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx->llvm);
  LLVMValueRef fields[IMAGE_FIELD_COUNT] = {LLVMConstInt(i32, CAIRN_ABI_IMAGE_VERSION, false),
                                            LLVMConstInt(i32, CAIRN_ABI_IMAGE_SIZE, false)};

  for (unsigned i = 0; i < IMAGE_SECTION_COUNT; i++) {
    LLVMValueRef none = LLVMConstNull(pointer_type(ctx)), *at = &fields[FIRST_SECTION_FIELD + 2 * i];
    at[0] = sections && !(guard && i == 0) ? declare_section_bound(ctx, "start", names[i]) : none;
    at[1] = sections ? declare_section_bound(ctx, "stop", names[i]) : none;
  }
  if (guard)
    fields[FIRST_SECTION_FIELD] = guard;
  fields[IMAGE_FIELD_COUNT - 1] = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), flags, false);
  LLVMValueRef value = LLVMConstStructInContext(ctx->llvm, fields, IMAGE_FIELD_COUNT, false);
  char *name = cn_format("%s" CN_IMAGE_SUFFIX, group);
  LLVMValueRef image = LLVMAddGlobal(ctx->module, LLVMTypeOf(value), name);
  free(name);
  LLVMSetInitializer(image, value);
  LLVMSetGlobalConstant(image, true);
  LLVMSetAlignment(image, 8);
  make_unique_per_image(ctx, image, group);
  return image;
}

/* Define void `name`(void) { `callee`(&image); }. */
static LLVMValueRef add_structor(struct cn_ctx *ctx, const char *name, const char *group, const char *callee,
                                 LLVMValueRef image)
{
  LLVMTypeRef pointer = pointer_type(ctx), none = LLVMVoidTypeInContext(ctx->llvm);
  LLVMTypeRef type = LLVMFunctionType(none, NULL, 0, false);
  LLVMTypeRef callee_type = LLVMFunctionType(none, &pointer, 1, false);
  LLVMValueRef target = LLVMGetNamedFunction(ctx->module, callee);
  LLVMValueRef function = LLVMAddFunction(ctx->module, name, type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  if (!target)
    target = LLVMAddFunction(ctx->module, callee, callee_type);
  make_unique_per_image(ctx, function, group);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, function, ""));
  LLVMBuildCall2(builder, callee_type, target, &image, 1, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return function;
}

/* The name of the group of the module's image. Each kind of words has a separate group. Caller frees. */
static char *image_group_name(struct cn_ctx *ctx)
{
  struct cairn_word_kind kind = cn_words(ctx);
  char buffer[CN_WORDS_TEXT_BYTES];

  return kind.reference_bits ? cn_format(CN_IMAGE ".words.%s", cn_words_format_kind(kind, buffer))
                             : cn_strdup(CN_IMAGE);
}

/* Add the constructor of an image. An image in a shared object also gets a destructor, because the program can unload
 * the object. An executable gets only the constructor, because stack walks may need its frame maps until the end. */
static void register_image(struct cn_ctx *ctx, const char *group, LLVMValueRef guard, bool sections, uint64_t flags)
{
  CN_CHECK(sections || !guard);
  flags |= cn_words_encode_kind(cn_words(ctx)) << CAIRN_ABI_IMAGE_WORDS;
  LLVMValueRef image = add_image_record(ctx, group, guard, sections, flags);
  LLVMValueRef enter = add_structor(ctx, group, group, "cairn_image_register", image);

  append_structor(ctx, "llvm.global_ctors", enter, enter);
  if (!ctx->options->shared)
    return;
  char *name = cn_format("%s.leave", group);
  LLVMValueRef leave = add_structor(ctx, name, group, "cairn_image_unregister", image);
  append_structor(ctx, "llvm.global_dtors", leave, leave);
  free(name);
}

/* List the constructor that only libcairn.a has. The entry is in no group: of two units with one group, the linker
 * could keep the group of the unit whose code suits libcairn.so. */
static void tie_to_static_runtime(struct cn_ctx *ctx)
{
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_STATIC_RUNTIME);

  append_structor(ctx, "llvm.global_ctors", function ? function : LLVMAddFunction(ctx->module, CN_STATIC_RUNTIME, type),
                  NULL);
}

static bool has_layouts(struct cn_ctx *ctx)
{
  CN_EACH_GLOBAL(g, ctx->module)
    if (cn_layouts_is_layout_constant(g))
      return true;
  return false;
}

static bool has_managed_functions(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_is_managed(f) && !LLVMIsDeclaration(f))
      return true;
  return false;
}

/* True if the module allocates objects, because it calls slow paths of allocation, perhaps through thunks. */
static bool has_allocations(struct cn_ctx *ctx)
{
  static const char thunk[] = CN_SLOW_PREFIX;
  size_t length;

  CN_EACH_FUNCTION(f, ctx->module) {
    const char *name = LLVMGetValueName2(f, &length);
    if (strncmp(name, thunk, sizeof thunk - 1) == 0)
      name += sizeof thunk - 1;
    if (LLVMGetFirstUse(f) && cn_is_slow_allocation(name))
      return true;
  }
  return false;
}

/* The kind of barriers in the options if the attributes of all managed functions agree with it, else
 * CAIRN_BARRIERS_NONE. Without safepoints any kind is right, because the collector never runs. */
static enum cairn_barriers barrier_kind_of_module(struct cn_ctx *ctx)
{
  const char *kind = cn_mark_of_barrier_kind(ctx->options->barriers);

  if (ctx->options->safepoints == CAIRN_SAFEPOINTS_NONE)
    return ctx->options->barriers;
  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    LLVMAttributeRef attribute = cn_string_attribute(f, CN_ATTR_BARRIERS);
    unsigned length = 0;
    const char *made = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
    if (length != strlen(kind) || memcmp(made, kind, length) != 0)
      return CAIRN_BARRIERS_NONE;
  }
  return ctx->options->barriers;
}

/* The bits for barriers in the image's flags. The runtime numbers the kinds differently. */
static uint64_t barrier_kind_flag_bits(enum cairn_barriers kind)
{
  static const unsigned char kinds[CAIRN_BARRIERS_KINDS] = {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) number,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
  };

  CN_CHECK((unsigned)kind < sizeof kinds);
  return (uint64_t)kinds[kind] << CAIRN_ABI_IMAGE_BARRIERS_SHIFT;
}

static LLVMValueRef define_group_symbol(struct cn_ctx *ctx, const char *name, const char *group)
{
  LLVMTypeRef type = LLVMInt8TypeInContext(ctx->llvm);
  LLVMValueRef byte = LLVMAddGlobal(ctx->module, type, name);

  LLVMSetInitializer(byte, LLVMConstNull(type));
  LLVMSetGlobalConstant(byte, true);
  make_unique_per_image(ctx, byte, group);
  return byte;
}

/* Define the symbols that prevent links of units with different kinds of barriers or words. The linker keeps one group
 * of each kind, and refuses two groups with the same symbol. `image` is the image's group, which is different for each
 * kind of words. */
static void define_link_check_symbols(struct cn_ctx *ctx, const char *image, enum cairn_barriers barriers)
{
  char *group = cn_format(CN_BARRIERS_GROUP "%s", cn_mark_of_barrier_kind(barriers));

  define_group_symbol(ctx, group, group); /* gold -r keeps the name of a group only if the name is a symbol */
  LLVMSetLinkage(define_group_symbol(ctx, CN_BARRIERS_SYMBOL, group), LLVMExternalLinkage);
  LLVMSetLinkage(define_group_symbol(ctx, CN_WORDS_SYMBOL, image), LLVMExternalLinkage);
  free(group);
}

static uint64_t inline_limit_flag_bits(uint64_t most)
{
  return (most | 1) << CAIRN_ABI_IMAGE_INLINE_SHIFT;
}

/* Register the size of the largest block that the module allocates in line. Only units that allocate register this
 * size, and their sizes must agree. */
static void register_inline_limit(struct cn_ctx *ctx)
{
  uint64_t most = cn_max_inline_bytes(ctx);
  char *group = cn_format(CN_IMAGE_INLINE "%u", (unsigned)most);

  register_image(ctx, group, NULL, false, inline_limit_flag_bits(most));
  LLVMSetLinkage(define_group_symbol(ctx, CN_INLINE_SYMBOL, group), LLVMExternalLinkage);
  free(group);
}

/* True if a managed function has a stackmap or patchpoint, whose records rewriting makes visible to the runtime. */
static bool has_points(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_is_managed(f))
      CN_EACH_BLOCK(b, f)
        CN_EACH_INSTRUCTION(i, b)
          if (cn_is_point_call(i))
            return true;
  return false;
}

static void emit_image_registration(struct cn_ctx *ctx, const char *group)
{
  size_t roots = add_roots(ctx);
  bool managed = has_managed_functions(ctx), safepoints = ctx->options->safepoints != CAIRN_SAFEPOINTS_NONE;
  LLVMValueRef guard = managed && (safepoints || has_points(ctx)) ? cn_add_link_guard(ctx) : NULL;

  if (ctx->errors)
    return;
  if (managed || roots > 0 || has_layouts(ctx)) {
    enum cairn_barriers barriers = barrier_kind_of_module(ctx);
    register_image(ctx, group, guard, true, barrier_kind_flag_bits(barriers) | inline_limit_flag_bits(0));
    define_link_check_symbols(ctx, group, barriers);
    if (!ctx->options->shared)
      tie_to_static_runtime(ctx);
  }
  if (has_allocations(ctx))
    register_inline_limit(ctx);
  if (managed && !safepoints)
    register_image(ctx, CN_IMAGE_UNSAFE, NULL, false, CAIRN_ABI_IMAGE_NO_SAFEPOINTS);
  else if (managed && ctx->options->poll == CAIRN_POLL_STACK)
    register_image(ctx, CN_IMAGE_STACK, NULL, false, CAIRN_ABI_IMAGE_STACK_POLLS);
}

bool cn_register_module_image(struct cn_ctx *ctx)
{
  char *group = image_group_name(ctx);

  if (!LLVMGetNamedFunction(ctx->module, group)) /* a module with this function was already compiled by Cairn */
    emit_image_registration(ctx, group);
  free(group);
  return ctx->errors == 0;
}
