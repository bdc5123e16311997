/* SPDX-License-Identifier: Apache-2.0
 *
 * Thunks of JIT sessions on AArch64, with functions of the test in place of the runtime's. What would go wrong: a call
 * from native code misses the runtime's entry; a thunk jumps elsewhere than to its target; a service gets another
 * thunk; an unwinder is lost in a call of dead code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unwind.h>
#include "jit/entry/branch.h"
#include "jit/entry/thunk.h"
#include "runtime/core/mutator.h"

void __register_frame(void *frames);
void __deregister_frame(void *frames);

enum { SLAB_BYTES = 64 << 10 };

static struct cn_jit_thunk_head *head;
static struct cn_jit_thunk *thunk;
static jmp_buf after_end;
static const void *ended;
static bool found_caller;

__attribute__((visibility("hidden"))) void enter(void);
__attribute__((visibility("hidden"))) void serve(void);
extern uintptr_t entered, served;
uintptr_t entered, served; /* x14 and x15 of the calls */

__asm__(".text\n"
        ".type enter, %function\n"
        "enter: bti c\n"
        "adrp x17, entered\n str x14, [x17, :lo12:entered]\n"
        "br x14\n"
        ".type serve, %function\n"
        "serve: bti c\n"
        "adrp x17, served\n str x15, [x17, :lo12:served]\n"
        "mov x0, #9\n"
        "ret\n");

static uint64_t add_one(uint64_t number)
{
  return number + 1;
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *caller)
{
  uintptr_t pc = _Unwind_GetIP(context), start = *(uintptr_t *)caller;

  found_caller |= pc > start && pc < start + 1000;
  return _URC_NO_REASON;
}

static uint64_t call(const void *code, uint64_t number)
{
  return ((uint64_t (*)(uint64_t))(uintptr_t)code)(number) + 0;
}

static void end(const struct cn_jit_thunk *dead)
{
  uintptr_t caller = (uintptr_t)call;

  ended = dead;
  _Unwind_Backtrace(visit_frame, &caller);
  longjmp(after_end, 1);
}

static int make_thunk(void **state)
{
  char *slab = mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  (void)state;
  assert_ptr_not_equal(slab, MAP_FAILED);
  head = (struct cn_jit_thunk_head *)(void *)slab;
  thunk = (struct cn_jit_thunk *)(void *)(slab + CN_JIT_THUNK_HEAD_PLACES * CN_JIT_THUNK_BYTES);
  cn_jit_thunk_write_head(head, (uintptr_t)head, SLAB_BYTES);
  head->enter = (uintptr_t)enter;
  head->gone = end;
  cn_jit_thunk_write(thunk, (uintptr_t)thunk, (uintptr_t)head);
  __builtin___clear_cache(slab, slab + SLAB_BYTES);
  return 0;
}

/* The words of the thunk change while the code is executable. */
static void set_words(uintptr_t target, uintptr_t service)
{
  assert_int_equal(mprotect(head, SLAB_BYTES, PROT_READ | PROT_WRITE), 0);
  thunk->target = target;
  thunk->service = service;
  assert_int_equal(mprotect(head, SLAB_BYTES, PROT_READ | PROT_EXEC), 0);
}

static void entries(void **state)
{
  unsigned before = cairn_mutator.state;

  (void)state;
  assert_int_equal((uintptr_t)thunk->entry % 16, 8);
  assert_true(thunk->mark == CAIRN_ABI_MANAGED_MARK);
  set_words((uintptr_t)add_one, 0);
  cairn_mutator.state = CAIRN_ABI_MANAGED;
  uint64_t managed = call(thunk->entry, 41);
  bool skipped = entered == 0;
  cairn_mutator.state = CAIRN_ABI_NATIVE;
  uint64_t native = call(thunk->entry, 42);
  cairn_mutator.state = (uint8_t)before;
  assert_int_equal(managed, 42);
  assert_true(skipped);
  assert_int_equal(native, 43);
  assert_true(entered == (uintptr_t)thunk->body);
  assert_int_equal(call(thunk->body, 43), 44);
}

static void services(void **state)
{
  (void)state;
  set_words((uintptr_t)thunk->service_code, (uintptr_t)serve);
  assert_int_equal(call(thunk->body, 1), 9);
  assert_true(served == (uintptr_t)thunk);
}

static void dead_code(void **state)
{
  (void)state;
  set_words((uintptr_t)thunk->service_code, (uintptr_t)head->gone_code);
  __register_frame(&head->frames);
  if (setjmp(after_end) == 0)
    call(thunk->body, 1);
  __deregister_frame(&head->frames);
  assert_ptr_equal(ended, thunk);
  assert_true(found_caller);
}

static void branches(void **state)
{
  enum { JUMP = 0x14000123, REACH = 128 << 20 };
  uint32_t call = 0x94ffffff, bytes;

  (void)state;
  assert_true(cn_jit_branch_to(0x10000000, JUMP, 0x10000010, &bytes));
  assert_int_equal(bytes, 0x14000004);
  assert_true(cn_jit_branch_to(0x10000000, call, 0x10000000 - 8, &bytes));
  assert_int_equal(bytes, 0x97fffffe);
  assert_true(cn_jit_branch_to(0x10000000, call, 0x10000000 - REACH, &bytes));
  assert_true(cn_jit_branch_to(0x10000000, call, 0x10000000 + REACH - 4, &bytes));
  assert_false(cn_jit_branch_to(0x10000000, call, 0x10000000 - REACH - 4, &bytes));
  assert_false(cn_jit_branch_to(0x10000000, call, 0x10000000 + (uintptr_t)REACH, &bytes));
  assert_false(cn_jit_branch_to(0x10000000, call, 0x10000002, &bytes));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries),
      cmocka_unit_test(services),
      cmocka_unit_test(dead_code),
      cmocka_unit_test(branches),
  };

  return cmocka_run_group_tests(tests, make_thunk, NULL);
}
