/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the C API as a front end calls it: a refused module stays equal to the byte, all findings arrive, and the
 * process goes on. A compiler cannot recover from a half-changed module, a missing reason or an exit.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/compile.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>

typedef enum cairn_status api_function(LLVMModuleRef, const struct cairn_compile_options *, struct cairn_diagnostics *);

static const char sound[] =
    "declare void @foo()\n"
    "define internal void @callee(ptr addrspace(1) %p) alwaysinline gc \"statepoint-example\" {\n"
    "  call void @foo()\n"
    "  store i64 1, ptr addrspace(1) %p\n"
    "  ret void\n"
    "}\n"
    "define ptr addrspace(1) @caller(ptr addrspace(1) %p) gc \"statepoint-example\" {\n"
    "  call void @callee(ptr addrspace(1) %p)\n"
    "  ret ptr addrspace(1) %p\n"
    "}\n";

/* Two functions that cannot be rewritten, after one that can. */
static const char refused[] = "declare void @foo()\n"
                              "define ptr addrspace(1) @good(ptr addrspace(1) %p) gc \"statepoint-example\" {\n"
                              "  call void @foo()\n"
                              "  ret ptr addrspace(1) %p\n"
                              "}\n"
                              "define ptr addrspace(1) @cast(ptr %q) gc \"statepoint-example\" {\n"
                              "  %p = addrspacecast ptr %q to ptr addrspace(1)\n"
                              "  call void @foo()\n"
                              "  ret ptr addrspace(1) %p\n"
                              "}\n"
                              "define ptr addrspace(1) @number(i64 %n) gc \"statepoint-example\" {\n"
                              "  %p = inttoptr i64 %n to ptr addrspace(1)\n"
                              "  call void @foo()\n"
                              "  ret ptr addrspace(1) %p\n"
                              "}\n";

/* A reference that lives into a pad whose value is used, after a function that can be rewritten. */
static const char used_pad[] =
    "declare void @foo()\n"
    "declare i32 @personality(...)\n"
    "define ptr addrspace(1) @good(ptr addrspace(1) %p) gc \"statepoint-example\" {\n"
    "  call void @foo()\n"
    "  ret ptr addrspace(1) %p\n"
    "}\n"
    "define ptr addrspace(1) @used(ptr addrspace(1) %p) gc \"statepoint-example\" personality ptr @personality {\n"
    "  invoke void @foo() to label %ok unwind label %pad\n"
    "ok:\n"
    "  ret ptr addrspace(1) null\n"
    "pad:\n"
    "  %l = landingpad { ptr, i32 } cleanup\n"
    "  %s = extractvalue { ptr, i32 } %l, 1\n"
    "  %z = icmp eq i32 %s, 0\n"
    "  %r = select i1 %z, ptr addrspace(1) %p, ptr addrspace(1) null\n"
    "  ret ptr addrspace(1) %r\n"
    "}\n";

#define STATEPOINT \
  "declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)\n" \
  "declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)\n" \
  "declare void @foo()\n"
#define WRAPPED(callee) \
  "call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, " \
  "ptr elementtype(void ()) @" callee ", i32 0, i32 0, i32 0, i32 0)"

/* The reference is used after the statepoint that may have moved its object. */
static const char stale[] =
    STATEPOINT "define ptr addrspace(1) @stale(ptr addrspace(1) %p) gc \"statepoint-example\" {\n"
               "  %t = " WRAPPED("foo") "\n"
                                        "  ret ptr addrspace(1) %p\n"
                                        "}\n";

/* One of the statepoints could be inlined, but another would get lost. */
static const char leaf[] = STATEPOINT "declare void @abort()\n"
                                      "define void @callee() alwaysinline gc \"statepoint-example\" {\n"
                                      "  ret void\n"
                                      "}\n"
                                      "define void @caller() gc \"statepoint-example\" {\n"
                                      "  %t = " WRAPPED("callee") "\n"
                                                                  "  %u = " WRAPPED("abort") "\n"
                                                                                             "  ret void\n"
                                                                                             "}\n";

static const char odd_poll[] = "declare i32 @gc.safepoint_poll()\n"
                               "define void @f() gc \"statepoint-example\" {\n"
                               "  ret void\n"
                               "}\n";

/* A poll that takes the address of one of its blocks cannot be inserted, which shows late. */
static const char stubborn_poll[] = "declare void @do_safepoint()\n"
                                    "define void @gc.safepoint_poll() {\n"
                                    "  call void @do_safepoint()\n"
                                    "  br label %next\n"
                                    "next:\n"
                                    "  indirectbr ptr blockaddress(@gc.safepoint_poll, %done), [label %done]\n"
                                    "done:\n"
                                    "  ret void\n"
                                    "}\n"
                                    "define void @f() gc \"statepoint-example\" {\n"
                                    "  call void @f()\n"
                                    "  ret void\n"
                                    "}\n";

/* A loop that is cut into chunks, leaves and regions: what is wrong shows after all of it. */
static const char region[] = "declare void @foo()\n"
                             "declare void @cairn.nopoll.begin()\n"
                             "declare void @cairn.nopoll.end()\n"
                             "define void @leaf() gc \"statepoint-example\" {\n"
                             "  ret void\n"
                             "}\n"
                             "define void @loop(ptr %p, i64 %n) gc \"statepoint-example\" {\n"
                             "entry:\n"
                             "  br label %loop\n"
                             "loop:\n"
                             "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
                             "  store i64 %i, ptr %p\n"
                             "  %next = add nuw i64 %i, 1\n"
                             "  %c = icmp ult i64 %next, %n\n"
                             "  br i1 %c, label %loop, label %out\n"
                             "out:\n"
                             "  ret void\n"
                             "}\n"
                             "define void @inside() gc \"statepoint-example\" {\n"
                             "  call void @cairn.nopoll.begin()\n"
                             "  call void @leaf()\n"
                             "  call void @foo()\n"
                             "  call void @cairn.nopoll.end()\n"
                             "  ret void\n"
                             "}\n"
                             "define void @whole() \"cairn-nopoll\" gc \"statepoint-example\" {\n"
                             "  call void @foo()\n"
                             "  ret void\n"
                             "}\n"
                             "define void @open() gc \"statepoint-example\" {\n"
                             "  call void @cairn.nopoll.begin()\n"
                             "  ret void\n"
                             "}\n";

/* What polls would call is not what they take it for, which shows when the leaf is known. */
static const char odd_slow_path[] = "declare i32 @cairn_poll_slow(i32)\n"
                                    "define void @leaf() gc \"statepoint-example\" {\n"
                                    "  ret void\n"
                                    "}\n"
                                    "define void @f() gc \"statepoint-example\" {\n"
                                    "  call void @f()\n"
                                    "  ret void\n"
                                    "}\n";

/* Two units of a program, and what no unit is. */
static const char calling[] = "declare i64 @other(i64)\n"
                              "define i64 @first(i64 %n) gc \"statepoint-example\" {\n"
                              "  %m = call i64 @other(i64 %n)\n  ret i64 %m\n}\n";
static const char called[] =
    "@kept = internal global i8 7\n@llvm.used = appending global [1 x ptr] [ptr @kept], section \"llvm.metadata\"\n"
    "define i64 @other(i64 %n) gc \"statepoint-example\" {\n"
    "  %m = add i64 %n, 1\n  ret i64 %m\n}\n";
static const char foreign[] = "define void @foreign() {\n  ret void\n}\n";

static LLVMModuleRef parse(LLVMContextRef context, const char *text)
{
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "module");
  LLVMModuleRef module = NULL;
  char *message = NULL;

  if (LLVMParseIRInContext2(context, buffer, &module, &message))
    fail_msg("%s", message);
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

/* The module as bitcode: names, order of uses and attributes that text leaves out are in it. */
static LLVMMemoryBufferRef bytes_of(LLVMModuleRef module)
{
  return LLVMWriteBitcodeToMemoryBuffer(module);
}

static void assert_same_bytes(LLVMMemoryBufferRef before, LLVMModuleRef module)
{
  LLVMMemoryBufferRef after = bytes_of(module);

  assert_int_equal(LLVMGetBufferSize(before), LLVMGetBufferSize(after));
  assert_memory_equal(LLVMGetBufferStart(before), LLVMGetBufferStart(after), LLVMGetBufferSize(before));
  LLVMDisposeMemoryBuffer(after);
}

static bool has(LLVMModuleRef module, const char *text)
{
  char *ir = LLVMPrintModuleToString(module);
  bool found = strstr(ir, text) != NULL;

  LLVMDisposeMessage(ir);
  return found;
}

static const struct cairn_diagnostic *about(const struct cairn_diagnostics *list, const char *function)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i].function && strcmp(list->at[i].function, function) == 0)
      return &list->at[i];
  return NULL;
}

/* `run` refuses `text` with `count` errors, the first of `rule`, and leaves it alone; without a list, too. */
static void refuses_with(const struct cairn_compile_options *options, api_function *run, const char *text, size_t count,
                         const char *rule)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = parse(context, text);
  LLVMMemoryBufferRef before = bytes_of(module);
  struct cairn_diagnostics found = {0};

  assert_int_equal(run(module, options, &found), CAIRN_E_REFUSED);
  assert_same_bytes(before, module);
  assert_int_equal(found.count, count);
  assert_int_equal(found.at[0].severity, CAIRN_ERROR);
  assert_string_equal(found.at[0].rule, rule);
  cairn_diagnostics_free(&found);
  assert_int_equal(found.count, 0);
  assert_int_equal(run(module, options, NULL), CAIRN_E_REFUSED);
  assert_same_bytes(before, module);
  LLVMDisposeMemoryBuffer(before);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/* Null options, too. */
static void refuses(api_function *run, const char *text, size_t count, const char *rule)
{
  refuses_with(NULL, run, text, count, rule);
}

static void refused_modules_stay(void **state)
{
  (void)state;
  refuses(cairn_rewrite_statepoints, refused, 2, "address-space-cast");
  refuses(cairn_verify_safepoints, stale, 1, "stale-reference");
  refuses(cairn_inline_statepoints, leaf, 1, "wrapped-leaf");
  refuses(cairn_place_safepoints, odd_poll, 1, "poll-type");
  refuses(cairn_place_safepoints, stubborn_poll, 1, "poll-inline");
  refuses(cairn_place_safepoints, region, 3, "nopoll-safepoint");
}

static void refused_pads_stay(void **state)
{
  const struct cairn_compile_options options = {.opt_level = 2, .roots = CAIRN_ROOT_FORMS_PAIRS};

  (void)state;
  refuses_with(&options, cairn_rewrite_statepoints, used_pad, 1, "roots-pairs");
}

/* However much of the pass has run by then. */
static void refused_placement_stays(void **state)
{
  const struct cairn_compile_options options = {.opt_level = 2,
                                                .polls = 1u << CAIRN_POLLS_AT_BACKEDGE | 1u << CAIRN_POLLS_AT_CALL |
                                                         1u << CAIRN_POLLS_AT_RETURN | 1u << CAIRN_POLLS_AT_TAIL_CALL};

  (void)state;
  refuses_with(&options, cairn_place_safepoints, region, 3, "nopoll-safepoint");
  refuses_with(&options, cairn_place_safepoints, stubborn_poll, 1, "poll-inline");
  refuses_with(NULL, cairn_place_safepoints, odd_slow_path, 1, "reserved-name");
}

static void count_one(void *env, const struct cairn_diagnostic *diagnostic)
{
  (void)diagnostic;
  ++*(size_t *)env;
}

/* Both who may listen hear of every error, with its function. */
static void every_finding_comes(void **state)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = parse(context, refused);
  size_t heard = 0;
  struct cairn_compile_options options = {.diagnose = count_one, .env = &heard};
  struct cairn_diagnostics found = {0};

  (void)state;
  assert_int_equal(cairn_rewrite_statepoints(module, &options, &found), CAIRN_E_REFUSED);
  assert_int_equal(heard, found.count);
  assert_string_equal(about(&found, "cast")->rule, "address-space-cast");
  assert_string_equal(about(&found, "number")->rule, "integer-to-reference");
  assert_null(about(&found, "good"));
  cairn_diagnostics_free(&found);

  /* The way out: without these functions the module is rewritten. */
  LLVMDeleteFunction(LLVMGetNamedFunction(module, "cast"));
  LLVMDeleteFunction(LLVMGetNamedFunction(module, "number"));
  assert_int_equal(cairn_rewrite_statepoints(module, &options, &found), CAIRN_OK);
  assert_int_equal(found.count, 0);
  assert_true(has(module, "gc.relocate"));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

static void all_functions_in_turn(void **state)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = parse(context, sound);
  struct cairn_diagnostics found = {0};

  (void)state;
  assert_int_equal(cairn_place_safepoints(module, NULL, &found), CAIRN_OK);
  assert_true(has(module, "cairn_poll_slow"));
  assert_int_equal(cairn_rewrite_statepoints(module, NULL, &found), CAIRN_OK);
  assert_int_equal(cairn_verify_safepoints(module, NULL, &found), CAIRN_OK);
  assert_true(has(module, "@callee"));
  assert_int_equal(cairn_inline_statepoints(module, NULL, &found), CAIRN_OK);
  assert_false(has(module, "@callee"));
  assert_int_equal(cairn_verify_safepoints(module, NULL, &found), CAIRN_OK);
  assert_int_equal(cairn_strip_statepoints(module, NULL, &found), CAIRN_OK);
  assert_false(has(module, "llvm.experimental.gc"));
  assert_int_equal(found.count, 0);
  assert_false(LLVMVerifyModule(module, LLVMReturnStatusAction, NULL));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/* What the pass `globals` marks the module's image with, after `first`, or null. */
static void assert_marked(const char *first, const char *group)
{
  static const struct cairn_compile_options options;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = parse(context, sound);

  if (first)
    assert_int_equal(cairn_compile_pass(module, NULL, first, &options), CAIRN_OK);
  assert_int_equal(cairn_compile_pass(module, NULL, "globals", &options), CAIRN_OK);
  assert_true(has(module, group));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/* Options of zeros ask for barriers. An image of code that got none says so. */
static void images_say_what_was_made(void **state)
{
  (void)state;
  assert_marked(NULL, "@cairn.barriers.none = ");
  assert_marked("insert-barriers", "@cairn.barriers.cards.2 = ");
}

/* One thread's module with references in address space 1, again and again; and with 2, where those
 * in 1 are ordinary pointers. */
static void *rewrite_often(void *space)
{
  const struct cairn_compile_options options = {.address_spaces = space, .address_space_count = 1};
  bool expected = *(const unsigned *)space == 1, same = true;

  for (int round = 0; round < 20; round++) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, sound);
    same &= cairn_rewrite_statepoints(module, &options, NULL) == CAIRN_OK;
    same &= cairn_verify_safepoints(module, &options, NULL) == CAIRN_OK;
    same &= has(module, "gc.relocate") == expected;
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
  }
  return same ? space : NULL;
}

/* Threads with a context each must not meet, not even in what they take for a reference. */
static void threads_do_not_meet(void **state)
{
  static unsigned spaces[] = {1, 2};
  pthread_t threads[2];
  void *result;

  (void)state;
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, rewrite_often, &spaces[i]), 0);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], &result), 0);
    assert_ptr_equal(result, &spaces[i]);
  }
}

/* Options as text: what is wrong changes nothing. */
static void options_by_name(void **state)
{
  struct cairn_compile_options options = {0}, before;
  char *wrong;

  (void)state;
  assert_int_equal(cairn_compile_set(&options, "slots", "always", &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "without", "sink,nests,recompute", &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "slot-budget", "4294967295", &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "address-spaces", "1,255", &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "check-polls", NULL, &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "strategy", "a,b", &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "strategy", "c", &wrong), CAIRN_OK);
  assert_int_equal(cairn_compile_set(&options, "tolerate", "stack-references", &wrong), CAIRN_OK);
  assert_int_equal(options.slots, CAIRN_SLOTS_ALWAYS);
  assert_int_equal(options.relocations_off, 1u << CAIRN_RELOCATION_SINK | 1u << CAIRN_RELOCATION_RECOMPUTE);
  assert_int_equal(options.placements_off, 1u << CAIRN_PLACEMENT_NESTS);
  assert_int_equal(options.slot_budget, UINT32_MAX);
  assert_int_equal(options.address_space_count, 2);
  assert_int_equal(options.address_spaces[1], 255);
  assert_true(options.check_polls);
  assert_string_equal(options.strategies, "a,b,c");
  assert_int_equal(options.tolerated, 1u << CAIRN_TOLERATE_STACK_REFERENCES);
  before = options;
  static const char *const bad[][2] = {
      {"slots", "perhaps"},    {"slots", NULL},           {"without", "sink,"},
      {"check-polls", "yes"},  {"no-such", NULL},         {"slot-budget", "4294967296"},
      {"address-spaces", "0"}, {"address-spaces", "1,1"}, {"address-spaces", ""},
      {"slot-budget", "1e3"},  {"without", ""},           {"safepoints", "LATE"},
      {"strategy", ""},        {"strategy", "a,,b"},      {"tolerate", "stack"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    bool known = strcmp(bad[i][0], "no-such") != 0;
    assert_int_equal(cairn_compile_set(&options, bad[i][0], bad[i][1], &wrong),
                     known ? CAIRN_E_REFUSED : CAIRN_E_UNKNOWN);
    assert_non_null(strstr(wrong, bad[i][0]));
    free(wrong);
    assert_memory_equal(&options, &before, sizeof options);
  }
  free((void *)options.address_spaces);
  free((void *)options.strategies);
}

/* A collector of Cairn's stands for its barriers, one of the program's own for none of them. */
static void collectors_by_name(void **state)
{
  struct cairn_compile_options options = {0};
  char *wrong;
  static const struct {
    const char *name;
    enum cairn_barriers before, after;
  } cases[] = {{"generational", CAIRN_BARRIERS_NONE, CAIRN_BARRIERS_CARDS},
               {"semispace", CAIRN_BARRIERS_CARDS, CAIRN_BARRIERS_NONE},
               {"mine_2", CAIRN_BARRIERS_SNAPSHOT, CAIRN_BARRIERS_SNAPSHOT},
               {"Generational", CAIRN_BARRIERS_LOADS, CAIRN_BARRIERS_LOADS}};
  static const char *const bad[] = {"", "a-b", "gener ational", "generational;x", NULL};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    options.barriers = cases[i].before;
    assert_int_equal(cairn_compile_set(&options, "collector", cases[i].name, &wrong), CAIRN_OK);
    assert_int_equal(options.barriers, cases[i].after);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(cairn_compile_set(&options, "collector", bad[i], &wrong), CAIRN_E_REFUSED);
    assert_non_null(strstr(wrong, "collector"));
    assert_non_null(strstr(wrong, bad[i] ? "is not the name of a collector" : "needs a value"));
    free(wrong);
    assert_int_equal(options.barriers, CAIRN_BARRIERS_LOADS);
  }
}

/* The joined module `joined` gets the unit that `text` becomes with this level; the guard that no
 * linker resolves is in it until the second half. */
static void add_unit(LLVMModuleRef joined, const char *text, unsigned level)
{
  struct cairn_compile_options options = {.opt_level = level, .poll_budget = 30};
  LLVMModuleRef module = parse(LLVMGetModuleContext(joined), text);
  LLVMModuleRef unit;

  assert_int_equal(cairn_compile_unit(module, NULL, &options, &unit), CAIRN_OK);
  assert_true(has(unit, "@cairn_lto_object_that_only_cairn_cc_can_link = external hidden"));
  assert_false(LLVMLinkModules2(joined, unit));
  LLVMDisposeModule(module);
}

/* Link-time optimisation, with a linker of the caller's own. */
static void units_are_joined(void **state)
{
  struct cairn_diagnostics found = {0};
  struct cairn_compile_options options = {.diagnose = cairn_diagnostics_keep, .env = &found};
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef joined = LLVMModuleCreateWithNameInContext("joined", context);

  (void)state;
  add_unit(joined, calling, 1);
  add_unit(joined, called, 2);
  cairn_compile_joined_options(joined, &options);
  assert_int_equal(options.opt_level, 2);
  assert_int_equal(options.poll_budget, 30);
  for (options.opt_level = 0; options.opt_level <= 2; options.opt_level += 2) {
    LLVMModuleRef code;
    assert_int_equal(cairn_compile_joined(joined, NULL, &options, &code), CAIRN_OK);
    assert_false(has(code, "cairn_lto") || has(code, "cairn.lto") || has(code, "cairn-lto"));
    assert_true(has(code, "ptr @kept"));
    assert_int_equal(has(code, "call i64 @cairn.call.other"), options.opt_level == 0);
    LLVMDisposeModule(code);
  }
  assert_int_equal(found.count, 0);
  assert_false(LLVMLinkModules2(joined, parse(context, foreign)));
  LLVMModuleRef none;
  assert_int_equal(cairn_compile_joined(joined, NULL, &options, &none), CAIRN_E_REFUSED);
  assert_null(none);
  assert_string_equal(found.at[0].rule, "foreign-unit");
  assert_string_equal(found.at[0].function, "foreign");
  cairn_diagnostics_free(&found);
  LLVMDisposeModule(joined);
  LLVMContextDispose(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refused_modules_stay),  cmocka_unit_test(refused_placement_stays),
      cmocka_unit_test(refused_pads_stay),     cmocka_unit_test(every_finding_comes),
      cmocka_unit_test(all_functions_in_turn), cmocka_unit_test(threads_do_not_meet),
      cmocka_unit_test(options_by_name),       cmocka_unit_test(collectors_by_name),
      cmocka_unit_test(units_are_joined),      cmocka_unit_test(images_say_what_was_made),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
