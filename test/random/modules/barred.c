/* SPDX-License-Identifier: Apache-2.0
 *
 * What random modules have for random_barriers alone: words that are immediates, in the place of
 * references that are stored; and a function that stores and loads lanes of vectors.
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

/* Parameters: an array, two bits, two places. */
enum { ARRAY, MASK, PLACES, PARAMETERS };

static LLVMValueRef parameter(struct sketch *s, unsigned i)
{
  return LLVMGetParam(s->function, i);
}

static void begin(struct sketch *s, const char *name)
{
  LLVMTypeRef types[PARAMETERS] = {s->ref, s->both, s->pair};
  LLVMTypeRef none = LLVMVoidTypeInContext(s->llvm);

  s->function = LLVMAddFunction(s->module, name, LLVMFunctionType(none, types, PARAMETERS, false));
  LLVMSetGC(s->function, "statepoint-example");
  LLVMPositionBuilderAtEnd(s->b, LLVMAppendBasicBlockInContext(s->llvm, s->function, ""));
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
  add_lanes(&s);
  LLVMDisposeBuilder(s.b);
}
