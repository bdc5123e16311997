/* SPDX-License-Identifier: Apache-2.0
 *
 * What random modules have for random_barriers alone: words that are immediates, in the place of
 * references that are stored; a function whose loop stores to places in turn; and one that stores
 * and loads lanes of vectors.
 */
#include "random/modules/module.h"

#include <string.h>
#include "base/vector.h"
#include "compile/core/each.h"

struct sketch {
  uint64_t random;
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef ref, pair, i1, i64, both; /* `both`: two bits */
  LLVMValueRef function, safepoint;
};

static unsigned below(struct sketch *s, unsigned n)
{
  s->random = s->random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(s->random >> 33) % n;
}

static LLVMValueRef number(struct sketch *s, int64_t value)
{
  return LLVMConstInt(s->i64, (uint64_t)value, true);
}

/* ---- words ---- */

static LLVMValueRef immediate(struct sketch *s)
{
  LLVMTypeRef type = LLVMFunctionType(s->ref, &s->i64, 1, false);
  LLVMValueRef function = LLVMGetNamedFunction(s->module, "cairn.tag.from");
  LLVMValueRef integer = number(s, below(s, 100));

  if (!function)
    function = LLVMAddFunction(s->module, "cairn.tag.from", type);
  return LLVMBuildCall2(s->b, type, function, &integer, 1, "");
}

/* An immediate; or that, if the value is null; or that, else null. */
static void replace(struct sketch *s, LLVMValueRef store)
{
  LLVMValueRef old = LLVMGetOperand(store, 0), null = LLVMConstNull(s->ref);

  LLVMPositionBuilderBefore(s->b, store);
  LLVMValueRef word = immediate(s);
  LLVMValueRef test = LLVMBuildICmp(s->b, LLVMIntEQ, old, null, "");
  switch (below(s, 3)) {
  case 0:
    word = LLVMBuildSelect(s->b, test, word, old, "");
    break;
  case 1:
    word = LLVMBuildSelect(s->b, test, word, null, "");
    break;
  default:
    break;
  }
  LLVMSetOperand(store, 0, word);
}

static void add_words(struct sketch *s)
{
  CN_VECTOR(LLVMValueRef) stores = {0};

  CN_EACH_FUNCTION(f, s->module)
    CN_EACH_BLOCK(block, f)
      CN_EACH_INSTRUCTION(i, block)
        if (LLVMIsAStoreInst(i) && LLVMTypeOf(LLVMGetOperand(i, 0)) == s->ref &&
            LLVMTypeOf(LLVMGetOperand(i, 1)) == s->ref)
          cn_push(&stores, i);
  for (size_t i = 0; i < stores.count; i++)
    if (below(s, 4) == 0)
      replace(s, stores.at[i]);
  cn_free(&stores);
  LLVMMetadataRef kind = LLVMMDStringInContext2(s->llvm, "0:1", 3);
  LLVMAddModuleFlag(s->module, LLVMModuleFlagBehaviorError, "cairn.words", 11, kind);
}

/* ---- functions ---- */

/* Parameters: an array, a reference, two of them, three numbers, two bits, two places. */
enum { ARRAY, VALUE, PAIR, FIRST, COUNT, LEAP, MASK, PLACES, PARAMETERS };

static LLVMValueRef parameter(struct sketch *s, unsigned i)
{
  return LLVMGetParam(s->function, i);
}

static LLVMBasicBlockRef block(struct sketch *s)
{
  return LLVMAppendBasicBlockInContext(s->llvm, s->function, "");
}

static void begin(struct sketch *s, const char *name)
{
  LLVMTypeRef types[PARAMETERS] = {s->ref, s->ref, s->pair, s->i64, s->i64, s->i64, s->both, s->pair};
  LLVMTypeRef none = LLVMVoidTypeInContext(s->llvm);

  s->function = LLVMAddFunction(s->module, name, LLVMFunctionType(none, types, PARAMETERS, false));
  LLVMSetGC(s->function, "statepoint-example");
  LLVMPositionBuilderAtEnd(s->b, block(s));
}

static void collect(struct sketch *s)
{
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(s->llvm), NULL, 0, false);

  if (!s->safepoint)
    s->safepoint = LLVMAddFunction(s->module, "barred_safepoint", type);
  LLVMBuildCall2(s->b, type, s->safepoint, NULL, 0, "");
}

/* End the function. Now and then it knows nothing of a parameter: not the array, for instance. */
static void end(struct sketch *s)
{
  unsigned which = below(s, 2) ? ARRAY : below(s, PARAMETERS);
  LLVMTypeRef type = LLVMTypeOf(parameter(s, which));
  LLVMValueRef nothing[] = {LLVMGetUndef(type), LLVMGetPoison(type), LLVMConstNull(type)};

  LLVMBuildRetVoid(s->b);
  if (below(s, 6) == 0)
    LLVMReplaceAllUsesWith(parameter(s, which), nothing[below(s, 3)]);
}

static LLVMValueRef place(struct sketch *s, LLVMValueRef from, LLVMValueRef offset)
{
  return LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(s->llvm), from, &offset, 1, "");
}

static void store(struct sketch *s, LLVMValueRef value, LLVMValueRef at)
{
  LLVMSetAlignment(LLVMBuildStore(s->b, value, at), 8);
}

/* Up to three stores at distances from what the variable is a multiple of. */
static void store_in_turn(struct sketch *s, LLVMValueRef index, int64_t scale)
{
  LLVMValueRef at = LLVMBuildMul(s->b, index, number(s, scale), "");
  unsigned stores = 1 + below(s, 3);

  if (below(s, 4) == 0)
    at = LLVMBuildSub(s->b, at, parameter(s, LEAP), "");
  if (below(s, 4) == 0)
    at = LLVMBuildXor(s->b, at, number(s, -1), "");
  LLVMValueRef there = place(s, parameter(s, ARRAY), at);
  for (unsigned i = 0; i < stores; i++)
    store(s, parameter(s, below(s, 3) ? VALUE : PAIR), place(s, there, number(s, 8 * (int64_t)below(s, 8))));
}

/* From `start` until the variable is `end`; leads to the block that comes after. */
static void loop(struct sketch *s, LLVMValueRef start, LLVMValueRef end, int64_t scale)
{
  static const int64_t steps[] = {1, 2, 4, -1};
  LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), body = block(s), after = block(s);
  LLVMValueRef step = number(s, steps[below(s, 4)]);

  LLVMBuildBr(s->b, body);
  LLVMPositionBuilderAtEnd(s->b, body);
  LLVMValueRef index = LLVMBuildPhi(s->b, s->i64, "");
  if (below(s, 8) == 0)
    collect(s);
  store_in_turn(s, index, scale);
  LLVMValueRef next = LLVMBuildAdd(s->b, index, step, "");
  LLVMIntPredicate test = below(s, 6) ? LLVMIntEQ : LLVMIntUGE;
  LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, test, next, end, ""), after, body);
  LLVMAddIncoming(index, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){before, body}, 2);
  LLVMPositionBuilderAtEnd(s->b, after);
}

/* A loop alone; or chunks of it, with a safepoint after each. */
static void add_sweep(struct sketch *s)
{
  static const int64_t scales[] = {8, 16, 24, 120, -8, -16};
  int64_t scale = scales[below(s, 6)];

  begin(s, "barred_sweep");
  if (below(s, 2)) {
    loop(s, below(s, 2) ? number(s, 0) : parameter(s, FIRST), parameter(s, COUNT), scale);
  } else {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), chunk = block(s), done = block(s);
    LLVMBuildBr(s->b, chunk);
    LLVMPositionBuilderAtEnd(s->b, chunk);
    LLVMValueRef from = LLVMBuildPhi(s->b, s->i64, "");
    LLVMValueRef to = LLVMBuildAdd(s->b, from, number(s, 256), "");
    loop(s, from, to, scale);
    if (below(s, 3))
      collect(s);
    LLVMValueRef ends = LLVMBuildICmp(s->b, LLVMIntEQ, to, parameter(s, COUNT), "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(s->b);
    LLVMBuildCondBr(s->b, ends, done, chunk);
    LLVMAddIncoming(from, (LLVMValueRef[]){parameter(s, FIRST), to}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMPositionBuilderAtEnd(s->b, done);
  }
  end(s);
}

/* ---- lanes ---- */

static LLVMValueRef call_masked(struct sketch *s, const char *name, LLVMTypeRef *types, LLVMValueRef *arguments)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

  return LLVMBuildCall2(s->b, LLVMIntrinsicGetType(s->llvm, id, types, 2),
                        LLVMGetIntrinsicDeclaration(s->module, id, types, 2), arguments, 3, "");
}

static LLVMValueRef a_mask(struct sketch *s)
{
  LLVMValueRef bits[2];

  if (below(s, 2))
    return parameter(s, MASK);
  for (unsigned i = 0; i < 2; i++)
    bits[i] = LLVMConstInt(s->i1, below(s, 2), false);
  return LLVMConstVector(bits, 2);
}

static void add_lanes(struct sketch *s)
{
  LLVMValueRef mask, array, places;

  begin(s, "barred_lanes");
  array = place(s, parameter(s, ARRAY), number(s, 8 * (int64_t)below(s, 4)));
  places = parameter(s, PLACES);
  mask = a_mask(s);
  LLVMTypeRef apart[] = {s->pair, s->pair}, beside[] = {s->pair, s->ref};
  LLVMValueRef poison = LLVMGetPoison(s->pair);
  LLVMValueRef loaded = below(s, 2)
                            ? call_masked(s, "llvm.masked.gather", apart, (LLVMValueRef[]){places, mask, poison})
                            : call_masked(s, "llvm.masked.load", beside, (LLVMValueRef[]){array, mask, poison});
  if (below(s, 2))
    collect(s);
  if (below(s, 2))
    call_masked(s, "llvm.masked.scatter", apart, (LLVMValueRef[]){loaded, places, a_mask(s)});
  call_masked(s, "llvm.masked.store", beside, (LLVMValueRef[]){loaded, array, a_mask(s)});
  end(s);
}

void cn_random_barred(LLVMModuleRef module, uint64_t seed)
{
  LLVMContextRef llvm = LLVMGetModuleContext(module);
  struct sketch s = {.random = seed,
                     .llvm = llvm,
                     .module = module,
                     .b = LLVMCreateBuilderInContext(llvm),
                     .ref = LLVMPointerTypeInContext(llvm, 1),
                     .i1 = LLVMInt1TypeInContext(llvm),
                     .i64 = LLVMInt64TypeInContext(llvm)};

  s.pair = LLVMVectorType(s.ref, 2);
  s.both = LLVMVectorType(s.i1, 2);
  below(&s, 2);
  add_words(&s);
  add_sweep(&s);
  add_lanes(&s);
  LLVMDisposeBuilder(s.b);
}
