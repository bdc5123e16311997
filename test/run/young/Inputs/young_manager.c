/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/young/young_manager.c: a frame of another code info manager, whose roots lie in
 * a table that anybody may write to, and whose return address is its own affair: nobody may replace it.
 */
#include <cairn/collector.h>
#include <cairn/entry.h>
#include <cairn/stack.h>
#include <stdint.h>

long table_call(long (*function)(long), long n); /* below */
void table_install(void);
void put(long index, uintptr_t reference);
uintptr_t get(long index);

extern const char table_start[], table_end[];
static uintptr_t table[8];

#ifdef LATE /* native code to its callers, which leave an anchor */
#define ENTRY "table_call:\n"
#else
#define ENTRY CAIRN_ENTRY_STRING(table_call)
#endif
#ifdef __aarch64__
__asm__("  .text\n"
        "  .globl table_call\n  .type table_call, %function\n"
        "table_start:\n" ENTRY "  .cfi_startproc\n"
        "  sub sp, sp, 32\n  .cfi_def_cfa_offset 32\n"
        "  str x30, [sp, 24]\n  .cfi_offset 30, -8\n  str x30, [sp, 8]\n"
        "  mov x16, x0\n  mov x0, x1\n  blr x16\n"
        "  ldr x9, [sp, 8]\n  ldr x30, [sp, 24]\n  cmp x9, x30\n  b.eq 1f\n  brk 1\n"
        "1:\n  add sp, sp, 32\n  .cfi_def_cfa_offset 0\n  ret\n"
        "  .cfi_endproc\ntable_end:\n  .size table_call, . - table_call\n");
#else
__asm__("  .text\n"
        "  .globl table_call\n  .type table_call, @function\n"
        "table_start:\n" ENTRY "  .cfi_startproc\n"
        "  subq $24, %rsp\n  .cfi_adjust_cfa_offset 24\n"
        "  movq 24(%rsp), %rax\n  movq %rax, 8(%rsp)\n"
        "  movq %rdi, %rax\n  movq %rsi, %rdi\n  call *%rax\n"
        "  movq 8(%rsp), %rcx\n  cmpq %rcx, 24(%rsp)\n  je 1f\n  ud2\n"
        "1:\n  addq $24, %rsp\n  .cfi_adjust_cfa_offset -24\n  ret\n"
        "  .cfi_endproc\ntable_end:\n  .size table_call, . - table_call\n");
#endif

void put(long index, uintptr_t reference)
{
  table[index] = reference;
}

uintptr_t get(long index)
{
  return table[index];
}

static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  struct cairn_stack_state state;

  (void)data;
  cairn_stack_get(iterator, &state);
  state.pc = (uintptr_t *)(state.sp + 24);
  state.sp += 32;
  cairn_stack_set(iterator, &state);
}

static void enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                      void *env, void *data)
{
  (void)iterator;
  (void)data;
  for (int i = 0; i < 8; i++)
    callback(env, &table[i], CAIRN_ROOT_DEFAULT, NULL);
}

void table_install(void)
{
  static const struct cairn_code_manager manager = {
      .name = "table", .previous = previous, .enumerate = enumerate};

  if (cairn_code_region_add(&manager, (uintptr_t)table_start, (uintptr_t)table_end, NULL))
    cairn_fatal("the region cannot be added");
}
