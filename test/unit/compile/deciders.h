/* SPDX-License-Identifier: Apache-2.0
 *
 * Each pass that decides by the opcode or the intrinsic that is given a reference or an address:
 * its answer for every intrinsic and opcode is one that the table of effects, and LLVM's word,
 * allow. Part of effects.c.
 */
#ifndef CN_TEST_DECIDERS_H
#define CN_TEST_DECIDERS_H

#include <llvm-c/IRReader.h>
#include "compile/cost/cost.h"
#include "compile/effects/intrinsics.h"
#include "walk.h"

/* ---- intrinsics ---- */

/* Run passes on a module of its own with a call of the intrinsic. Null: LLVM does not take the
 * call, or a pass refuses it. */
static LLVMModuleRef decide(struct walk *w, unsigned id, LLVMTypeRef *types, unsigned count, enum given given,
                            const char *const *passes)
{
  struct cairn_diagnostics said = {0};
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("d", w->llvm);
  LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module, id, types, count);
  bool good = make_call(w, module, intrinsic, given) != NULL;

  for (; good && *passes; passes++)
    good = run(module, *passes, CAIRN_BARRIERS_NONE, &said);
  cairn_diagnostics_free(&said);
  if (good)
    return module;
  LLVMDisposeModule(module);
  return NULL;
}

/* A reference that it is given goes nowhere: by the table. */
static bool keeps_none(const struct cn_intrinsic *row, LLVMValueRef call)
{
  switch (row ? row->effect : CN_EFFECT_CALL) {
  case CN_EFFECT_NONE:
  case CN_EFFECT_LOAD:
  case CN_EFFECT_COPY:
  case CN_EFFECT_BYTES:
    return true;
  case CN_EFFECT_STORE:
  case CN_EFFECT_PATTERN:
    return !cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, (unsigned)row->value)));
  default:
    return false;
  }
}

static const char *judge_object(struct walk *w, unsigned id, LLVMTypeRef *types, unsigned count, LLVMValueRef call,
                                struct counts *c)
{
  static const char *const escape[] = {"escape", NULL}, *const free_dead_arrays[] = {"free-dead-arrays", NULL};
  bool kept = !keeps_none(cn_intrinsic_row_of_id(id), call);
  LLVMModuleRef module = decide(w, id, types, count, OBJECT, escape);
  const char *wrong = NULL;

  bool local = module && !calls(module, "cairn_alloc");
  c->locals += local;
  if (local && kept)
    wrong = "may keep the object, which escape makes a local";
  if (module)
    LLVMDisposeModule(module);
  module = decide(w, id, types, count, ARRAY, free_dead_arrays);
  bool back = module && calls(module, "cairn_give_back");
  c->freed += back;
  if (back && kept)
    wrong = "may keep the array, which free-dead-arrays frees";
  if (module)
    LLVMDisposeModule(module);
  return wrong;
}

static unsigned count_allocas(LLVMModuleRef module)
{
  unsigned count = 0;

  CN_EACH_FUNCTION(f, module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        count += LLVMIsAAllocaInst(i) != NULL;
  return count;
}

static LLVMValueRef find_call(LLVMModuleRef module, unsigned id)
{
  CN_EACH_FUNCTION(f, module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_is_call(i) && cn_direct_callee(i) && LLVMGetIntrinsicID(cn_direct_callee(i)) == id)
          return i;
  return NULL;
}

/* Only marks of lifetimes and blocks of bytes may get an address in a larger local. */
static const char *judge_locals(struct walk *w, unsigned id, LLVMTypeRef *types, unsigned count, const char *name,
                                struct counts *c)
{
  static const char *const rewrite[] = {"rewrite-statepoints", NULL};
  const struct cn_intrinsic *row = cn_intrinsic_row_of_id(id);
  bool may = (row && (row->effect == CN_EFFECT_COPY || row->effect == CN_EFFECT_BYTES)) ||
             strcmp(name, "llvm.lifetime.start") == 0 || strcmp(name, "llvm.lifetime.end") == 0;
  LLVMModuleRef module = decide(w, id, types, count, LOCALS, rewrite);
  bool merged = module && find_call(module, id) && count_allocas(module) < LOCALS_OF_ONE;
  c->merged += merged;

  if (module)
    LLVMDisposeModule(module);
  return merged && !may ? "is given a local that merge-locals makes part of another" : NULL;
}

/* May it work for as long as an operand says: memory by one address, and a number that varies? */
static bool is_long(struct walk *w, LLVMValueRef call, const struct cn_intrinsic *row)
{
  LLVMValueRef callee = cn_direct_callee(call);
  LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, w->kinds_memory);
  enum { INACCESSIBLE = 3 << 2 };
  bool address = false, number = false;

  if ((row && (row->effect == CN_EFFECT_LOAD || row->effect == CN_EFFECT_STORE)) ||
      (memory && (LLVMGetEnumAttributeValue(memory) & ~(uint64_t)INACCESSIBLE) == 0))
    return false; /* lanes, as many as the type says; or no memory of the program */
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, a)));
    address |= kind == LLVMPointerTypeKind;
    number |= kind == LLVMIntegerTypeKind && !LLVMIsConstant(LLVMGetArgOperand(call, a));
  }
  return address && number;
}

/* The work is no less than what the intrinsic may do. */
static const char *judge_work(struct walk *w, LLVMValueRef call, const struct cn_intrinsic *row)
{
  bool lanes = row && (row->effect == CN_EFFECT_LOAD || row->effect == CN_EFFECT_STORE);
  bool nothing = (row && row->effect <= CN_EFFECT_BASE) ||
                 cn_calls_intrinsic(call, "llvm.annotation"); /* its text is a reference */
  uint64_t work = cn_work_of_instruction(call);

  if (cn_classify_call(call).kind != CN_CALL_LEAF && cn_classify_call(call).kind != CN_CALL_STATEPOINT &&
      work < CN_CALL_WORK)
    return "runs other code, and has less work than a call";
  if (is_long(w, call, row) && work < CN_CALL_WORK)
    return "may fill memory of any length, and has less work than a call";
  if (lanes && work < 4)
    return "accesses lanes, and has less work than these";
  if (work == 0 && !nothing && cn_call_touches_references(call))
    return "is given a reference, and has no work";
  return NULL;
}

/* A long one polls in between, or is made of something that does. */
static const char *judge_pieces(struct walk *w, unsigned id, LLVMTypeRef *types, unsigned count, struct counts *c)
{
  static const char *const passes[] = {"expand-intrinsics", "place-safepoints", NULL};
  LLVMModuleRef module = decide(w, id, types, count, PARAMETERS, passes);
  LLVMValueRef call = module ? find_call(module, id) : NULL;
  bool whole = call && cn_classify_call(call).kind == CN_CALL_LEAF && cn_work_of_instruction(call) > CN_CALL_WORK * 20;

  c->cut += module && !whole;
  if (module)
    LLVMDisposeModule(module);
  return whole ? "may fill memory of any length, and polls nowhere" : NULL;
}

/* Null, or what a pass that decides by the intrinsic has wrong. */
static const char *judge_deciders(struct walk *w, unsigned id, LLVMTypeRef *types, unsigned count, struct counts *c)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_id(id);
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", w->llvm);
  LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module, id, types, count);
  LLVMValueRef call = make_call(w, module, intrinsic, PARAMETERS);
  const char *wrong = call ? judge_work(w, call, row) : NULL, *name;
  bool references = false, addresses = false, fills = false;
  size_t length;

  for (unsigned a = 0; call && a < LLVMGetNumArgOperands(call); a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, a));
    references |= cn_is_ref(type) || (cn_is_ref_vector(type) && LLVMGetVectorSize(type) > 0);
    addresses |= type == w->choices[5];
  }
  name = LLVMIntrinsicGetName(id, &length);
  fills = call && row && row->length >= 0 && is_long(w, call, row) &&
          LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, (unsigned)row->length))) == LLVMIntegerTypeKind;
  if (!wrong && references)
    wrong = judge_object(w, id, types, count, call, c);
  if (!wrong && addresses && id <= last_generic())
    wrong = judge_locals(w, id, types, count, name, c);
  if (!wrong && fills)
    wrong = judge_pieces(w, id, types, count, c);
  LLVMDisposeModule(module);
  return wrong;
}

/* ---- opcodes ---- */

/* Uses of the object %o. */
static const struct use {
  LLVMOpcode opcode;
  bool keeps;
  const char *text;
} uses[] = {
    {LLVMLoad, false, "%x = load i64, ptr addrspace(1) %o store i64 %x, ptr %place"},
    {LLVMStore, false, "store i64 1, ptr addrspace(1) %o"},
    {LLVMStore, true, "store ptr addrspace(1) %o, ptr %place"},
    {LLVMStore, true, "store ptr addrspace(1) %o, ptr addrspace(1) %o"},
    {LLVMAtomicRMW, false, "%x = atomicrmw add ptr addrspace(1) %o, i64 1 seq_cst, align 8"},
    {LLVMAtomicRMW, true, "%x = atomicrmw xchg ptr %place, ptr addrspace(1) %o seq_cst, align 8"},
    {LLVMAtomicCmpXchg, false, "%x = cmpxchg ptr addrspace(1) %o, i64 1, i64 2 seq_cst seq_cst, align 8"},
    {LLVMAtomicCmpXchg, true,
     "%x = cmpxchg ptr %place, ptr addrspace(1) null, ptr addrspace(1) %o seq_cst seq_cst, align 8"},
    {LLVMAtomicCmpXchg, true,
     "%x = cmpxchg ptr addrspace(1) %o, ptr addrspace(1) null, ptr addrspace(1) %o "
     "seq_cst seq_cst, align 8"},
    {LLVMGetElementPtr, true,
     "%x = getelementptr i8, ptr addrspace(1) %o, i64 1 store ptr addrspace(1) %x, ptr %place"},
    {LLVMGetElementPtr, true,
     "%x = getelementptr i8, ptr addrspace(1) %o, <2 x i64> <i64 0, i64 1> "
     "store <2 x ptr addrspace(1)> %x, ptr %place"},
    {LLVMPtrToInt, true, "%x = ptrtoint ptr addrspace(1) %o to i64 store i64 %x, ptr %place"},
    {LLVMPtrToAddr, true, "%x = ptrtoaddr ptr addrspace(1) %o to i64 store i64 %x, ptr %place"},
    {LLVMAddrSpaceCast, true, "%x = addrspacecast ptr addrspace(1) %o to ptr store ptr %x, ptr %place"},
    {LLVMBitCast, true, "%x = bitcast ptr addrspace(1) %o to ptr addrspace(1) store ptr addrspace(1) %x, ptr %place"},
    {LLVMFreeze, true, "%x = freeze ptr addrspace(1) %o store ptr addrspace(1) %x, ptr %place"},
    {LLVMICmp, false, "%x = icmp eq ptr addrspace(1) %o, null store i1 %x, ptr %place"},
    {LLVMSelect, true,
     "%x = select i1 %c, ptr addrspace(1) %o, ptr addrspace(1) null "
     "store ptr addrspace(1) %x, ptr %place"},
    {LLVMPHI, true,
     "br i1 %c, label %a, label %b a: br label %b "
     "b: %x = phi ptr addrspace(1) [ %o, %entry ], [ null, %a ] "
     "store ptr addrspace(1) %x, ptr %place"},
    {LLVMInsertElement, true,
     "%x = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %o, i64 0 "
     "store <2 x ptr addrspace(1)> %x, ptr %place"},
    {LLVMExtractElement, true,
     "%v = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %o, i64 0 "
     "%x = extractelement <2 x ptr addrspace(1)> %v, i64 %n "
     "store ptr addrspace(1) %x, ptr %place"},
    {LLVMShuffleVector, true,
     "%v = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %o, i64 0 "
     "%x = shufflevector <2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %v, "
     "<2 x i32> <i32 1, i32 0> store <2 x ptr addrspace(1)> %x, ptr %place"},
    {LLVMInsertValue, true,
     "%x = insertvalue { ptr addrspace(1), i64 } zeroinitializer, ptr addrspace(1) %o, 0 "
     "store { ptr addrspace(1), i64 } %x, ptr %place"},
    {LLVMExtractValue, true,
     "%v = insertvalue { ptr addrspace(1), i64 } zeroinitializer, ptr addrspace(1) %o, 0 "
     "%x = extractvalue { ptr addrspace(1), i64 } %v, 0 store ptr addrspace(1) %x, ptr %place"},
    {LLVMRet, true, "ret ptr addrspace(1) %o"},
    {LLVMCall, true, "call void @keep(ptr addrspace(1) %o)"},
    {LLVMCall, true, "call void @native() [ \"deopt\"(ptr addrspace(1) %o) ]"},
    {LLVMCall, true, "call void asm sideeffect \"\", \"r\"(ptr addrspace(1) %o)"},
    {LLVMInvoke, true,
     "invoke void @keep(ptr addrspace(1) %o) to label %a unwind label %b "
     "b: %l = landingpad { ptr, i32 } cleanup br label %a a:"},
    {LLVMCallBr, true,
     "callbr void asm sideeffect \"\", \"r,!i\"(ptr addrspace(1) %o) to label %a [label %b] "
     "b: br label %a a:"},
    {LLVMVAArg, true, "%x = va_arg ptr addrspace(1) %o, i64 store i64 %x, ptr %place"},
    {LLVMResume, true,
     "%x = insertvalue { ptr addrspace(1), i32 } zeroinitializer, ptr addrspace(1) %o, 0 "
     "resume { ptr addrspace(1), i32 } %x d:"},
};

/* Opcodes that take no reference, or whose references are in no value: blocks, numbers, tokens. */
static const LLVMOpcode without[] = {
    LLVMBr,
    LLVMSwitch,
    LLVMIndirectBr,
    LLVMUnreachable,
    LLVMCleanupRet,
    LLVMCatchRet,
    LLVMCatchSwitch,
    LLVMFNeg,
    LLVMAdd,
    LLVMFAdd,
    LLVMSub,
    LLVMFSub,
    LLVMMul,
    LLVMFMul,
    LLVMUDiv,
    LLVMSDiv,
    LLVMFDiv,
    LLVMURem,
    LLVMSRem,
    LLVMFRem,
    LLVMShl,
    LLVMLShr,
    LLVMAShr,
    LLVMAnd,
    LLVMOr,
    LLVMXor,
    LLVMAlloca,
    LLVMFence,
    LLVMTrunc,
    LLVMZExt,
    LLVMSExt,
    LLVMFPToUI,
    LLVMFPToSI,
    LLVMUIToFP,
    LLVMSIToFP,
    LLVMFPTrunc,
    LLVMFPExt,
    LLVMIntToPtr,
    LLVMFCmp,
    LLVMLandingPad,
    /* Funclets are refused where there are references ("funclet"). */
    LLVMCleanupPad,
    LLVMCatchPad,
};

static LLVMModuleRef parse_use(LLVMContextRef llvm, const struct use *use, const char *make, const char *element)
{
  char text[2048], *message = NULL;
  LLVMModuleRef module;

  bool returns = use->opcode == LLVMRet;
  snprintf(text, sizeof text,
           "@layout = internal constant %s zeroinitializer\n"
           "declare ptr addrspace(1) @%s(ptr, i64)\n"
           "declare void @keep(ptr addrspace(1)) declare void @native()\n"
           "declare i32 @personality(...)\n"
           "define %s @f(ptr %%place, i64 %%n, i1 %%c) gc \"statepoint-example\" "
           "personality ptr @personality { entry: "
           "%%o = call ptr addrspace(1) @%s(ptr @layout, i64 %s)\n%s\n%s }\n",
           element, make, returns ? "ptr addrspace(1)" : "void", make, strcmp(element, "i8") == 0 ? "%n" : "8",
           use->text, returns ? "" : "ret void");
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "use");
  if (LLVMParseIRInContext(llvm, buffer, &module, &message))
    fail_msg("%s\n%s", message, text);
  return module;
}

/* What is kept is no local and is not freed. */
static void judge_use(LLVMContextRef llvm, const struct use *use, struct counts *c)
{
  struct cairn_diagnostics said = {0};
  LLVMModuleRef module = parse_use(llvm, use, "cairn_alloc", "i64");

  bool done = run(module, "escape", CAIRN_BARRIERS_NONE, &said);
  bool local = done && !calls(module, "cairn_alloc");
  c->locals += local;
  if (local && use->keeps)
    fail_msg("escape makes a local of what is kept: %s", use->text);
  LLVMDisposeModule(module);
  module = parse_use(llvm, use, "cairn_alloc_array_uninit", "i8");
  done = run(module, "free-dead-arrays", CAIRN_BARRIERS_NONE, &said);
  bool back = done && calls(module, "cairn_give_back");
  c->freed += back;
  if (back && use->keeps)
    fail_msg("free-dead-arrays frees a kept array: %s", use->text);
  LLVMDisposeModule(module);
  cairn_diagnostics_free(&said);
}

static void test_deciders(void **state)
{
  LLVMContextRef llvm = LLVMContextCreate();
  enum { ALL = 66 };

  (void)state;
  bool met[128] = {false};
  unsigned count = 0;
  struct counts c = {0};
  for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
    judge_use(llvm, &uses[u], &c);
    met[uses[u].opcode] = true;
  }
  for (size_t o = 0; o < sizeof without / sizeof *without; o++) {
    assert_false(met[without[o]]);
    met[without[o]] = true;
  }
  for (size_t o = 0; o < sizeof met; o++)
    count += met[o];
  assert_int_equal(count, ALL); /* test_opcodes() has their list */
  assert_true(c.locals >= 2 && c.freed >= 4);
  LLVMContextDispose(llvm);
}

#endif
