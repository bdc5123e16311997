/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows ordinary pointers back to the locals and globals that they point into: through GEPs, casts, phis and selects,
 * and from a parameter to the arguments of all calls of its function, if the module shows all calls. Part of pass
 * `check-stores`. Needs: all calls of local functions. Provides: struct cn_pointer_places for each pointer. Breaks:
 * nothing.
 *
 * The places of a pointer in an origin are an offset and a stride. Two pointers into one origin join to the first
 * offset and the greatest stride that reaches both. So the places of a pointer only grow, each stride to one of its
 * divisors, and the iteration ends. As in C, a pointer stays within its origin at a variable distance.
 */
#include "compile/lower/pointer_flow.h"

#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"

enum { MAX_NEW_VALUES = 1 << 14 /* of one look-up */ };

/* ---- sources of a pointer in its function ---- */

static bool is_gep(LLVMValueRef pointer)
{
  return LLVMIsAGetElementPtrInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

/* True if the result is the first operand, or the calling thread's copy of a thread-local, which is described like a
 * global. */
static bool yields_first_operand(LLVMValueRef pointer)
{
  return LLVMIsABitCastInst(pointer) || LLVMIsAFreezeInst(pointer) ||
         cn_calls_intrinsic(pointer, "llvm.threadlocal.address");
}

/* Set [first, last) to the operands of `pointer` (a GEP, cast, phi, select or address of a thread-local) that give its
 * address. The range is empty for an origin. */
static void find_source_operands(LLVMValueRef pointer, unsigned *first, unsigned *last)
{
  *first = *last = 0;
  if (is_gep(pointer) || yields_first_operand(pointer)) {
    *last = 1;
  } else if (LLVMIsASelectInst(pointer)) {
    *first = 1;
    *last = 3;
  } else if (LLVMIsAPHINode(pointer)) {
    *last = LLVMCountIncoming(pointer);
  }
  CN_ASSERT(*first == *last || *last <= (unsigned)LLVMGetNumOperands(pointer));
}

bool cn_pointer_is_origin(LLVMValueRef pointer)
{
  unsigned first, last;

  find_source_operands(pointer, &first, &last);
  return first == last;
}

static void add_value_once(cn_pointer_sources *list, LLVMValueRef value)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i] == value)
      return;
  cn_push(list, value);
}

cn_pointer_sources cn_pointer_sources_find(LLVMValueRef pointer)
{
  cn_pointer_sources seen = {0};

  add_value_once(&seen, pointer);
  for (size_t i = 0; i < seen.count; i++) {
    unsigned first, last;
    find_source_operands(seen.at[i], &first, &last);
    for (; first < last; first++)
      add_value_once(&seen, LLVMGetOperand(seen.at[i], first));
  }
  return seen;
}

/* ---- arguments of a parameter ---- */

bool cn_pointer_flow_is_plain_call(LLVMValueRef user, LLVMValueRef function)
{
  unsigned uses = 0;

  if (!LLVMIsAInstruction(user) || !cn_is_call(user) || cn_direct_callee(user) != function ||
      LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(function))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(user); i++)
    uses += LLVMGetOperand(user, (unsigned)i) == function;
  return uses == 1 && cn_is_managed(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
}

static bool are_all_callers_known(LLVMValueRef function)
{
  LLVMLinkage linkage = LLVMGetLinkage(function);

  CN_ASSERT(LLVMIsAFunction(function));
  if ((linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage) || LLVMIsDeclaration(function) ||
      LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) || !LLVMGetFirstUse(function))
    return false;
  CN_EACH_USE(use, function)
    if (!cn_pointer_flow_is_plain_call(LLVMGetUser(use), function))
      return false;
  return true;
}

static bool has_known_callers(struct cn_pointer_flow *flow, LLVMValueRef function)
{
  uint64_t *known = cn_ptrmap_add(&flow->callers, function, NULL);

  if (!*known)
    *known = are_all_callers_known(function) ? 1 : 2;
  return *known == 1;
}

static unsigned parameter_index(LLVMValueRef argument)
{
  LLVMValueRef function = LLVMGetParamParent(argument);
  unsigned index = 0;

  while (LLVMGetParam(function, index) != argument)
    index++;
  return index;
}

/* True if the callee gets another pointer than the caller's: the address of a copy, or a value in a register. With a
 * null call, the answer of the function's own attributes. */
static bool has_changing_attribute(LLVMValueRef function, LLVMValueRef call, unsigned index)
{
  static const char *const changing[] = {"byval", "inalloca", "preallocated", "swifterror"};

  for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
    unsigned kind = cn_attribute_kind(changing[i]);
    if (call ? LLVMGetCallSiteEnumAttribute(call, index + 1, kind)
             : LLVMGetEnumAttributeAtIndex(function, index + 1, kind))
      return true;
  }
  return false;
}

typedef void source_visitor(struct cn_pointer_flow *flow, LLVMValueRef source, void *env);

/* Visit the arguments that calls give the parameter. False: the module does not show all of them. */
static bool visit_arguments(struct cn_pointer_flow *flow, LLVMValueRef parameter, source_visitor *visit, void *env)
{
  LLVMValueRef function = LLVMGetParamParent(parameter);
  unsigned index = parameter_index(parameter);

  if (!has_known_callers(flow, function) || has_changing_attribute(function, NULL, index))
    return false;
  CN_EACH_USE(use, function)
    if (has_changing_attribute(function, LLVMGetUser(use), index))
      return false;
  CN_EACH_USE(use, function)
    visit(flow, LLVMGetOperand(LLVMGetUser(use), index), env);
  return true;
}

/* Visit the pointers that `pointer`, which is neither a constant nor a local, is computed from. False: they are
 * unknown. */
static bool visit_sources(struct cn_pointer_flow *flow, LLVMValueRef pointer, source_visitor *visit, void *env)
{
  unsigned first, last;

  if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind || cn_is_ref(LLVMTypeOf(pointer)))
    return false;
  if (LLVMIsAArgument(pointer))
    return visit_arguments(flow, pointer, visit, env);
  find_source_operands(pointer, &first, &last);
  bool any = first < last;
  for (; first < last; first++)
    visit(flow, LLVMGetOperand(pointer, first), env);
  return any;
}

/* ---- places ---- */

static uint64_t distance_of(uint64_t a, uint64_t b)
{
  return (int64_t)(a - b) < 0 ? b - a : a - b;
}

static void add_span(struct cn_pointer_places *places, const struct cn_place_span *span)
{
  struct cn_place_span *known = places->spans, *end = known + places->count;

  while (known != end && known->origin != span->origin)
    known++;
  if (known != end) {
    known->stride = cn_types_common_divisor(cn_types_common_divisor(known->stride, span->stride),
                                            distance_of(known->offset, span->offset));
  } else if (places->count == CN_MAX_ORIGINS) {
    places->unknown = true;
  } else {
    *known = *span;
    places->count++;
  }
}

static struct cn_flow_value *find_value(struct cn_pointer_flow *flow, LLVMValueRef pointer)
{
  const uint64_t *index = cn_ptrmap_find(&flow->index, pointer);

  return index ? &flow->values.at[*index - 1] : NULL;
}

static void add_value(struct cn_pointer_flow *flow, LLVMValueRef pointer, void *env)
{
  bool fresh;
  uint64_t *index = cn_ptrmap_add(&flow->index, pointer, &fresh);

  (void)env;
  if (!fresh)
    return;
  cn_push(&flow->values, ((struct cn_flow_value){.value = pointer}));
  *index = flow->values.count;
}

static void join_places(struct cn_pointer_flow *flow, LLVMValueRef source, void *env)
{
  struct cn_pointer_places *places = env;
  const struct cn_flow_value *from = find_value(flow, source);

  CN_CHECK(from);
  places->unknown |= from->places.unknown;
  for (unsigned i = 0; i < from->places.count; i++)
    add_span(places, &from->places.spans[i]);
}

/* An integer while its low zero bits are counted, and the integers that it is an operand of. */
struct counted_integer {
  LLVMValueRef integer;
  const struct counted_integer *user;
  unsigned depth;
};

enum { INTEGER_BITS = 64, MAX_INTEGER_DEPTH = 8 };

static unsigned count_low_zeros(const struct counted_integer *counted);

static unsigned count_low_zeros_of_operand(const struct counted_integer *counted, unsigned operand)
{
  struct counted_integer next = {LLVMGetOperand(counted->integer, operand), counted, counted->depth + 1};

  for (const struct counted_integer *user = counted; user; user = user->user)
    if (user->integer == next.integer)
      return INTEGER_BITS; /* the other operands of the cycle decide */
  return next.depth > MAX_INTEGER_DEPTH ? 0 : count_low_zeros(&next);
}

static unsigned smaller(unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* A number of low bits of the integer that are certainly zero. A loop's integer has the zeros of its first value that
 * each iteration keeps. */
static unsigned count_low_zeros(const struct counted_integer *counted)
{
  LLVMValueRef integer = counted->integer;
  unsigned zeros = INTEGER_BITS;

  if (LLVMIsAConstantInt(integer) && LLVMGetIntTypeWidth(LLVMTypeOf(integer)) <= INTEGER_BITS) {
    uint64_t value = LLVMConstIntGetZExtValue(integer);
    return value ? (unsigned)__builtin_ctzll(value) : INTEGER_BITS;
  }
  if (!LLVMIsAInstruction(integer))
    return 0;
  switch (LLVMGetInstructionOpcode(integer)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMOr:
    return smaller(count_low_zeros_of_operand(counted, 0), count_low_zeros_of_operand(counted, 1));
  case LLVMMul:
    return smaller(count_low_zeros_of_operand(counted, 0) + count_low_zeros_of_operand(counted, 1), INTEGER_BITS);
  case LLVMShl:
    if (LLVMIsAConstantInt(LLVMGetOperand(integer, 1)))
      zeros = count_low_zeros_of_operand(counted, 0) + (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(integer, 1));
    else
      zeros = count_low_zeros_of_operand(counted, 0);
    return smaller(zeros, INTEGER_BITS);
  case LLVMZExt:
  case LLVMSExt:
    return count_low_zeros_of_operand(counted, 0);
  case LLVMPHI:
    for (unsigned i = 0; i < LLVMCountIncoming(integer) && zeros; i++)
      zeros = smaller(zeros, count_low_zeros_of_operand(counted, i));
    return zeros;
  default:
    return 0;
  }
}

/* The greatest power of two that certainly divides the last index of the GEP. */
static uint64_t index_divisor_of(LLVMValueRef gep)
{
  unsigned last = (unsigned)LLVMGetNumOperands(gep) - 1;
  struct counted_integer index = {.integer = LLVMGetOperand(gep, last)};

  return (uint64_t)1 << smaller(count_low_zeros(&index), 32);
}

static void shift_by_gep(struct cn_ctx *ctx, LLVMValueRef gep, struct cn_pointer_places *places)
{
  uint64_t offset = 0, stride = 0;

  cn_types_gep_offset_and_stride(ctx, gep, &offset, &stride);
  if (LLVMGetNumOperands(gep) == 2)
    stride *= index_divisor_of(gep);
  for (unsigned i = 0; i < places->count; i++) {
    places->spans[i].offset += offset;
    places->spans[i].stride = cn_types_common_divisor(places->spans[i].stride, stride);
  }
}

static bool is_local_or_global(LLVMValueRef pointer)
{
  return LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer);
}

static bool is_undefined_or_null(LLVMValueRef pointer)
{
  return LLVMIsUndef(pointer) || LLVMIsNull(pointer);
}

/* True for a GEP whose base has no object, so that its index may be an address. */
static bool has_no_base(LLVMValueRef pointer)
{
  return is_gep(pointer) && is_undefined_or_null(LLVMGetOperand(pointer, 0));
}

/* Compute the places of a value anew from its sources. True if its places grew. */
static bool update_value(struct cn_pointer_flow *flow, struct cn_flow_value *value)
{
  struct cn_pointer_places fresh = {0}, *old = &value->places;
  bool grew = false;

  if (old->unknown)
    return false;
  if (is_local_or_global(value->value))
    add_span(&fresh, &(struct cn_place_span){.origin = value->value});
  else if (!is_undefined_or_null(value->value))
    fresh.unknown =
        has_no_base(value->value) || !visit_sources(flow, value->value, join_places, &fresh) || fresh.unknown;
  if (is_gep(value->value))
    shift_by_gep(flow->ctx, value->value, &fresh);
  struct cn_pointer_places joined = *old;
  joined.unknown = fresh.unknown;
  for (unsigned i = 0; i < fresh.count; i++)
    add_span(&joined, &fresh.spans[i]);
  grew = joined.unknown || joined.count != old->count;
  for (unsigned i = 0; i < old->count; i++)
    grew |= joined.spans[i].stride != old->spans[i].stride;
  *old = joined;
  return grew;
}

/* Add the sources of the values from index `first` on, and their sources. False: there are too many. */
static bool add_all_sources(struct cn_pointer_flow *flow, size_t first)
{
  for (size_t i = first; i < flow->values.count; i++) {
    LLVMValueRef value = flow->values.at[i].value;
    if (flow->values.count - first > MAX_NEW_VALUES)
      return false;
    if (!is_local_or_global(value) && !is_undefined_or_null(value))
      visit_sources(flow, value, add_value, NULL);
  }
  return true;
}

static void solve_values_from(struct cn_pointer_flow *flow, size_t first)
{
  bool bounded = add_all_sources(flow, first), grew = bounded;

  for (size_t i = first; i < flow->values.count && !bounded; i++)
    flow->values.at[i].places.unknown = true;
  while (grew) {
    grew = false;
    for (size_t i = flow->values.count; i-- > first;)
      grew |= update_value(flow, &flow->values.at[i]);
  }
}

struct cn_pointer_places cn_pointer_flow_find(struct cn_pointer_flow *flow, LLVMValueRef pointer)
{
  size_t first = flow->values.count;

  add_value(flow, pointer, NULL);
  if (flow->values.count != first)
    solve_values_from(flow, first);
  return find_value(flow, pointer)->places;
}

void cn_pointer_flow_free(struct cn_pointer_flow *flow)
{
  cn_free(&flow->values);
  cn_ptrmap_free(&flow->index);
  cn_ptrmap_free(&flow->callers);
}
