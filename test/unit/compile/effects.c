/* SPDX-License-Identifier: Apache-2.0
 *
 * Every intrinsic of LLVM, every opcode, kind of type, constant expression, kind of metadata and
 * attribute: what may touch a reference is handled or refused. What would go wrong: a later LLVM,
 * or one that is known badly, has something that stores, moves or hides a reference, and no pass
 * looks at it.
 *
 * The intrinsics are walked by number in child processes, since LLVM ends the process over types
 * that some are not made for. Each is declared with references wherever LLVM's verifier takes them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include "compile/analysis/data_layout.h"
#include "compile/analysis/invalid_attributes.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/effects/intrinsics.h"
#include "deciders.h"

/* ---- what the passes make of it ---- */

/* May it write memory that a program sees? By LLVM's word, not by the table. */
static bool may_write(struct walk *w, LLVMValueRef intrinsic)
{
  LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(intrinsic, CN_FUNCTION_INDEX, w->kinds_memory);
  uint64_t effects = memory ? LLVMGetEnumAttributeValue(memory) : UINT64_MAX;

  return effects & UINT64_C(0xaaaaaaaaaaaaaaaa) & ~(uint64_t)CN_MEMORY_INACCESSIBLE;
}

/* Is it given at least two references, of which one may be a place and another be stored there? */
static bool may_store(LLVMValueRef call)
{
  unsigned given = 0;

  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
    given += cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, a)));
  return given > 1;
}

/* Writes that are no stores of references, though LLVM says that memory may change. */
static bool is_exempt(const char *name)
{
  static const char *const names[] = {
      "llvm.lifetime.start",
      "llvm.lifetime.end", /* it becomes undefined */
      "llvm.invariant.start",
      "llvm.invariant.end", /* nothing is written */
      "llvm.prefetch",
      "llvm.var.annotation",
      "llvm.ptr.annotation",        /* nor here */
      "llvm.experimental.stackmap", /* a record */
      "llvm.experimental.patchpoint",
      "llvm.experimental.patchpoint.void", /* the patched code has its barriers */
  };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return strncmp(name, "llvm.experimental.vector.histogram.", 35) == 0; /* integers */
}

/* Is it handled or refused? Null, or what is wrong. `call` is in `module`, which changes. */
static const char *judge(struct walk *w, LLVMModuleRef module, LLVMValueRef call, const char *name)
{
  struct cairn_diagnostics said = {0};
  bool known = cn_intrinsic_row_of_call(call) != NULL, touches = cn_call_touches_references(call);
  bool leaf = cn_classify_call(call).kind == CN_CALL_LEAF;
  bool writes = may_store(call) && may_write(w, cn_direct_callee(call)) && !is_exempt(name);
  const char *wrong = NULL;

  bool barred = run(module, "expand-intrinsics", CAIRN_BARRIERS_CARDS, &said) &&
                run(module, "insert-barriers", CAIRN_BARRIERS_CARDS, &said);
  if (barred && leaf && writes && !calls(module, "cairn.barrier."))
    wrong = "may write a reference, has no barrier, and insert-barriers says nothing";
  if (barred && !run(module, "verify-barriers", CAIRN_BARRIERS_CARDS, &said))
    wrong = "has what insert-barriers takes for enough, and verify-barriers does not";
  cairn_diagnostics_free(&said);
  bool rewritten = run(module, "rewrite-statepoints", CAIRN_BARRIERS_NONE, &said);
  if (touches && !known && rewritten)
    wrong = "is given a reference, has no row, and is rewritten";
  if (touches && !known && leaf && !has_rule(&said, "unknown-intrinsic") && !has_rule(&said, "scalable-vector"))
    wrong = "is given a reference, has no row, and is refused by another rule";
  cairn_diagnostics_free(&said);
  return wrong;
}

/* Leaves though LLVM does not say nocallback: instructions, traps, counters, and marks that lead to
 * no function of the program. */
static bool is_leaf(const char *name)
{
  static const char *const starts[] = {"llvm.asan.",
                                       "llvm.hwasan.",
                                       "llvm.clear_cache",
                                       "llvm.debugtrap",
                                       "llvm.trap",
                                       "llvm.ubsantrap",
                                       "llvm.eh.",
                                       "llvm.gcread",
                                       "llvm.gcroot",
                                       "llvm.gcwrite",
                                       "llvm.instrprof.",
                                       "llvm.ptrauth.",
                                       "llvm.experimental.patchpoint",
                                       "llvm.seh.",
                                       "llvm.xray.",
                                       "llvm.read_register",
                                       "llvm.read_volatile_register",
                                       "llvm.write_register"};

  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* Runs code of the program or of a runtime, also where LLVM says nocallback. */
static bool must_call(const char *name)
{
  static const char *const names[] = {"llvm.coro.resume",
                                      "llvm.coro.destroy",
                                      "llvm.coro.suspend",
                                      "llvm.coro.end",
                                      "llvm.coro.await.suspend.void",
                                      "llvm.objc.release",
                                      "llvm.objc.storeStrong",
                                      "llvm.icall.branch.funnel",
                                      "llvm.eh.sjlj.longjmp",
                                      "llvm.experimental.guard",
                                      "llvm.experimental.deoptimize",
                                      "llvm.swift.async.context.addr"};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

/* May a generic intrinsic call back, for all that LLVM says, and calls.c takes it for a leaf? */
static bool calls_back(LLVMValueRef call, const char *name)
{
  unsigned kind = LLVMGetEnumAttributeKindForName("nocallback", 10);

  return !LLVMGetEnumAttributeAtIndex(cn_direct_callee(call), CN_FUNCTION_INDEX, kind) &&
         cn_classify_call(call).kind == CN_CALL_LEAF && !is_leaf(name);
}

static bool yields_none(const struct cn_intrinsic *row)
{
  return row->effect == CN_EFFECT_NONE || row->effect == CN_EFFECT_STORE || row->effect == CN_EFFECT_COPY ||
         row->effect == CN_EFFECT_BYTES || row->effect == CN_EFFECT_PATTERN;
}

/* ---- every intrinsic ---- */

/* Try the intrinsic with these types. */
static void try(struct walk *w, unsigned id, LLVMTypeRef *types, unsigned count, struct counts *c)
{
  size_t length;
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", w->llvm);
  LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module, id, types, count);
  LLVMValueRef call = make_call(w, module, intrinsic, PARAMETERS);
  bool given = call && cn_call_touches_references(call);
  bool known = given && cn_intrinsic_row_of_call(call);
  const char *name = LLVMIntrinsicGetName(id, &length);
  char *text = given ? LLVMPrintValueToString(call) : NULL;
  const char *wrong = NULL;

  if (call && id <= last_generic() && calls_back(call, name))
    wrong = "is no nocallback to LLVM, and a leaf to calls.c";
  else if (call && must_call(name) && cn_classify_call(call).kind == CN_CALL_LEAF)
    wrong = "runs other code, and is a leaf to calls.c";
  else if (known && cn_holds_ref(LLVMTypeOf(call)) && yields_none(cn_intrinsic_row_of_call(call)))
    wrong = "yields a reference, and has a row that says otherwise";
  else if (given)
    wrong = judge(w, module, call, name);
  if (call && !wrong)
    wrong = judge_deciders(w, id, types, count, c);

  if (wrong)
    fprintf(stderr, "%s: %s:%s\n", name, wrong, text ? text : "");
  LLVMDisposeMessage(text);
  LLVMDisposeModule(module);
  c->given += given;
  c->known += known;
  c->wrong += wrong != NULL;
}

/* How many types the intrinsic is overloaded with, up to one more than are tried: each is one of its function's own. */
static unsigned count_types(struct walk *w, unsigned id)
{
  LLVMTypeRef types[2 * TYPES];

  for (unsigned t = 0; t < 2 * TYPES; t++)
    types[t] = w->choices[0];
  LLVMTypeRef same = LLVMIntrinsicGetType(w->llvm, id, types, 2 * TYPES);
  for (unsigned count = 0; count <= TYPES; count++) {
    types[count] = w->choices[5];
    if (LLVMIntrinsicGetType(w->llvm, id, types, 2 * TYPES) == same)
      return count;
    types[count] = w->choices[0];
  }
  return TYPES + 1;
}

/* All combinations of types for generic intrinsics, references alone for those of targets. LLVM's verifier takes
 * none with more types than the intrinsic has, or fewer. */
static void try_all(struct walk *w, unsigned id, struct counts *c)
{
  unsigned choices = id <= last_generic() ? CHOICES : 2, total = 1;

  c->walked++;
  if (!LLVMIntrinsicIsOverloaded(id)) {
    try(w, id, NULL, 0, c);
    return;
  }
  unsigned count = count_types(w, id);
  if (count > TYPES)
    return;
  for (unsigned t = 0; t < count; t++)
    total *= choices;
  for (unsigned n = 0; n < total; n++) {
    LLVMTypeRef types[TYPES];
    unsigned rest = n;
    for (unsigned t = 0; t < count; t++, rest /= choices)
      types[t] = w->choices[rest % choices];
    try(w, id, types, count, c);
  }
}

/* Walk on from `from` in a child process. The next to walk: the end, or the one after an intrinsic
 * over which LLVM ended the process. */
static unsigned walk_on(unsigned from, unsigned end, struct counts *total)
{
  struct {
    unsigned id;
    struct counts counts;
  } now = {from, *total};
  int ends[2], status;
  size_t length;

  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    struct walk w;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
      signal(signals[i], SIG_DFL); /* cmocka's handlers would run the other tests here */
    start(&w);
    for (; now.id < end; now.id++) {
      if (write(ends[1], &now, sizeof now) != sizeof now)
        _exit(2);
      try_all(&w, now.id, &now.counts);
    }
    _exit(write(ends[1], &now, sizeof now) != sizeof now);
  }
  close(ends[1]);
  while (read(ends[0], &now, sizeof now) == sizeof now)
    *total = now.counts;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (now.id == end)
    return end;
  if (cn_intrinsic_row_of_id(now.id)) {
    fprintf(stderr, "%s: ends the process\n", LLVMIntrinsicGetName(now.id, &length));
    total->wrong++;
  }
  return now.id + 1;
}

static void test_intrinsics(void **state)
{
  struct counts c = {0};
  unsigned end = last_intrinsic() + 1;

  (void)state;
  assert_true(end > 1000 && last_generic() > 500);
  for (unsigned next = 1; next < end;)
    next = walk_on(next, end, &c);
  printf("%u intrinsics walked, %u forms with references, %u of them known\n", c.walked, c.given, c.known);
  assert_int_equal(c.wrong, 0);
  printf("%u locals, %u freed, %u merged, %u in pieces\n", c.locals, c.freed, c.merged, c.cut);
  assert_true(c.known > 60 && c.given > c.known);
  assert_true(c.locals >= 3 && c.freed >= 10 && c.merged >= 4 && c.cut >= 8);
}

/* ---- opcodes, types, constants, metadata, attributes ---- */

/* A later LLVM has these in its list and not in LLVM-C, or not in the table. */
static void test_opcodes(void **state)
{
  static const LLVMOpcode all[] = {
#define HANDLE_INST(number, opcode, class) LLVM##opcode,
#define HANDLE_USER_INST(number, opcode, class)
#include "llvm/IR/Instruction.def"
  };

  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    assert_true(cn_is_known_opcode(all[i]));
  assert_int_equal(sizeof all / sizeof *all, 66);
  assert_false(cn_is_known_opcode((LLVMOpcode)999));
}

static void test_types(void **state)
{
  (void)state;
  for (unsigned kind = 0; kind <= LLVMTargetExtTypeKind; kind++)
    if (kind != 15 && kind != LLVMTargetExtTypeKind) /* MMX, which is gone */
      assert_true(cn_is_known_type_kind((LLVMTypeKind)kind));
  assert_false(cn_is_known_type_kind(LLVMTargetExtTypeKind));
  assert_false(cn_is_known_type_kind((LLVMTypeKind)(LLVMTargetExtTypeKind + 1))); /* LLVM 23 */
}

/* Numbers of kinds beside LLVM's list stand for those of a later version. */
static void test_constant_kinds(void **state)
{
  (void)state;
  assert_true(cn_is_known_value_kind(LLVMConstantPointerNullValueKind, LLVMPointerTypeKind));
  assert_false(cn_is_known_value_kind(LLVMConstantPointerNullValueKind, LLVMVectorTypeKind)); /* LLVM 23 */
  assert_false(cn_is_known_value_kind(LLVMConstantPointerNullValueKind, LLVMScalableVectorTypeKind));
  assert_true(cn_is_known_value_kind(LLVMConstantExprValueKind, LLVMPointerTypeKind));
  assert_false(cn_is_known_value_kind((LLVMValueKind)999, LLVMPointerTypeKind));
  assert_false(cn_is_known_value_kind(LLVMConstantTargetNoneValueKind, LLVMTargetExtTypeKind));
}

static void test_layout_flags(void **state)
{
  (void)state;
  assert_false(cn_layout_has_unknown_flags(""));
  assert_false(cn_layout_has_unknown_flags("e-m:e-p270:32:32-pu1:64:64-pue2:64:64-i64:64-ni:1"));
  assert_true(cn_layout_has_unknown_flags("e-m:e-pz1:64:64")); /* LLVM 23: the bits of null */
  assert_true(cn_layout_has_unknown_flags("e-puo1:64:64-i64:64"));
  assert_true(cn_layout_has_unknown_flags("e-p1z:64:64"));
}

static void test_constants(void **state)
{
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMTypeRef reference = LLVMPointerTypeInContext(llvm, 1), i64 = LLVMInt64TypeInContext(llvm);
  LLVMValueRef number = LLVMConstIntToPtr(LLVMConstInt(i64, 8, false), reference);
  LLVMValueRef both[] = {number, LLVMConstNull(reference)};
  struct cn_ptrmap met = {0};

  (void)state;
  assert_true(cn_is_known_constant(&met, number));
  assert_true(cn_is_known_constant(&met, LLVMConstStructInContext(llvm, both, 2, false)));
  assert_true(cn_is_known_constant(&met, LLVMConstVector(both, 2)));
  assert_true(cn_is_known_constant(&met, LLVMGetPoison(reference)));
  for (unsigned opcode = 1; opcode < 80; opcode++)
    if (cn_is_known_constant_expression((LLVMOpcode)opcode))
      assert_true(cn_is_known_opcode((LLVMOpcode)opcode));
  assert_false(cn_is_known_constant_expression(LLVMFreeze));
  assert_false(cn_is_known_constant_expression((LLVMOpcode)999));
  cn_ptrmap_free(&met);
  LLVMContextDispose(llvm);
}

static void test_metadata(void **state)
{
  static const struct {
    const char *name;
    unsigned kind;
  } all[] = {
#define LLVM_FIXED_MD_KIND(id, name, kind) {name, kind},
#include "llvm/IR/FixedMetadataKinds.def"
  };
  unsigned count = sizeof all / sizeof *all;
  LLVMContextRef llvm = LLVMContextCreate();

  (void)state;
  for (unsigned i = 0; i < count; i++) {
    if (!cn_is_judged_metadata(all[i].name))
      fail_msg("!%s is in no list of invalid_attributes.c", all[i].name);
    assert_int_equal(LLVMGetMDKindIDInContext(llvm, all[i].name, (unsigned)strlen(all[i].name)), all[i].kind);
  }
  assert_int_equal(LLVMGetMDKindIDInContext(llvm, "cairn.other", 11), count); /* there are no more */
  assert_int_equal(cn_fixed_metadata_kind_count(), count);
  assert_int_equal(cn_unjudged_metadata_kinds(llvm), 0);
  assert_false(cn_is_judged_metadata("cairn.other"));
  LLVMContextDispose(llvm);
}

static void test_attributes(void **state)
{
  static const char *const all[] = {
#define GET_ATTR_NAMES
#define ATTRIBUTE_ENUM(enumerator, name) #name,
#define ATTRIBUTE_STRBOOL(enumerator, name)
#define ATTRIBUTE_COMPLEXSTR(enumerator, name)
#include "llvm/IR/Attributes.inc"
  };
  unsigned count = sizeof all / sizeof *all;

  (void)state;
  for (unsigned i = 0; i < count; i++)
    if (!cn_is_judged_attribute(LLVMGetEnumAttributeKindForName(all[i], strlen(all[i]))))
      fail_msg("%s is in no list of invalid_attributes.c", all[i]);
  assert_true(count > 90);
  for (unsigned kind = 1; kind < LLVMGetLastEnumAttributeKind(); kind++)
    assert_true(cn_is_judged_attribute(kind));
  assert_false(cn_is_judged_attribute(LLVMGetLastEnumAttributeKind() + 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intrinsics), cmocka_unit_test(test_opcodes),        cmocka_unit_test(test_deciders),
      cmocka_unit_test(test_types),      cmocka_unit_test(test_constant_kinds), cmocka_unit_test(test_layout_flags),
      cmocka_unit_test(test_constants),  cmocka_unit_test(test_metadata),       cmocka_unit_test(test_attributes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
