/* Walks the frames of managed functions of AArch64 by their maps, with the runtime's readers, from each call back to
 * enter(). Fails unless the walk ends with the stack pointer, the return address and the registers of enter(), and all
 * roots refer to the object. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "framemap/framemap.h"
#include "framemap/frames_aarch64.h"

extern const unsigned char __start_cairn_frames[], __stop_cairn_frames[];

enum { FIRST = 19, LAST = 29, SAVED = LAST - FIRST + 1, MARK = 1900 };

/* x19 to x30, and the stack pointer, at the start of the last call. */
struct state {
  uintptr_t x[SAVED], x30, sp;
};
struct state call_state, enter_state;
extern const char enter_return[];
void *object;
static unsigned frames, roots;

_Static_assert(sizeof(struct state) == 8 * (SAVED + 2), "the assembly below has the offsets");
__asm__(".macro note state\n"
        "  adrp x16, \\state\n  add x16, x16, :lo12:\\state\n"
        "  stp x19, x20, [x16]\n  stp x21, x22, [x16, #16]\n  stp x23, x24, [x16, #32]\n  stp x25, x26, [x16, #48]\n"
        "  stp x27, x28, [x16, #64]\n  stp x29, x30, [x16, #80]\n  mov x17, sp\n  str x17, [x16, #96]\n"
        ".endm\n"
        "  .globl nothing, use, take, slow, tailed, enter, enter_return\n"
        "nothing: use: take:\n  note call_state\n  b check\n"
        "slow:\n  ret\n"
        /* takes 32 bytes of arguments from the stack */
        "tailed:\n  note call_state\n  stp x29, x30, [sp, #-16]!\n  bl check\n  ldp x29, x30, [sp], #16\n"
        "  add sp, sp, #32\n  ret\n"
        /* enter(function, four arguments): the registers have marks */
        "enter:\n  sub sp, sp, #96\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  mov x19, #1900\n  mov x20, #1901\n  mov x21, #1902\n  mov x22, #1903\n  mov x23, #1904\n  mov x24, #1905\n"
        "  mov x25, #1906\n  mov x26, #1907\n  mov x27, #1908\n  mov x28, #1909\n  mov x29, #1910\n"
        "  mov x8, x0\n  mov x0, x1\n  mov x1, x2\n  mov x2, x3\n  mov x3, x4\n  fmov d0, x1\n"
        "  note enter_state\n  blr x8\n"
        "enter_return:\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n  add sp, sp, #96\n  ret\n");
void enter(void *function, void *, uintptr_t, uintptr_t, uintptr_t);
void check(void);

static void expect(int good, const char *what)
{
  if (good)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

static int find_safepoint(uintptr_t pc, struct cn_safepoint *s)
{
  const unsigned char *cursor = __start_cairn_frames;
  struct cn_framemap_function f;
  uint32_t offset;

  while (!cn_framemap_next_function(CN_PORT_FRAMES, &cursor, __stop_cairn_frames, &f))
    for (uint32_t i = 0; pc - f.entry <= f.code_size && i < f.safepoints; i++)
      if (!cn_framemap_read_return_offset(&f, i, &offset) && f.entry + offset == pc)
        return !cn_framemap_read_safepoint(&f, i, s);
  return 0;
}

static uintptr_t read_register(const struct state *at, unsigned dwarf)
{
  if (dwarf == CN_DWARF_SP)
    return at->sp;
  expect(dwarf >= FIRST && dwarf <= LAST, "a root is in a register that native code changes");
  return at->x[dwarf - FIRST];
}

static void check_roots(const struct state *at, struct cn_safepoint *s)
{
  struct cn_root root;

  while (!cn_framemap_next_root(s, &root)) {
    uintptr_t value = read_register(at, root.derived.reg);
    if (!root.derived.is_register)
      value = *(uintptr_t *)(value + (uintptr_t)(intptr_t)root.derived.offset);
    expect(value == (uintptr_t)object, "a root has another value");
    roots++;
  }
}

static uintptr_t strip(uintptr_t address)
{
  register uintptr_t x30 __asm__("x30") = address;

  __asm__("hint #7" : "+r"(x30)); /* xpaclri */
  return x30;
}

void check(void)
{
  struct state at = call_state;
  struct cn_safepoint s;

  while (find_safepoint(at.x30, &s)) {
    uintptr_t cfa = read_register(&at, s.cfa_reg) + (uintptr_t)s.cfa_offset;
    check_roots(&at, &s);
    for (unsigned i = 0; i < SAVED; i++)
      if (s.saved >> i & 1)
        at.x[i] = *(uintptr_t *)(cfa + (uintptr_t)(intptr_t)s.saved_offset[i]);
    at.x30 = strip(*(uintptr_t *)(cfa + (uintptr_t)(intptr_t)s.return_address_offset));
    at.sp = cfa;
    frames++;
  }
  expect(at.x30 == (uintptr_t)enter_return, "the last return address");
  expect(at.sp == enter_state.sp, "the last stack pointer");
  for (unsigned i = 0; i < SAVED; i++)
    expect(at.x[i] == MARK + i, "a register of the caller");
}

#define FUNCTIONS(F) \
  F(none) F(odd) F(even) F(derived) F(poll) F(large) F(sized) F(aligned) F(irregular) F(vectors) F(tail) F(many)
#define DECLARE(name) void name(void);
FUNCTIONS(DECLARE)

int main(void)
{
  static char storage[64];

  object = storage;
#define RUN(name) \
  frames = roots = 0; \
  enter((void *)name, object, 0, (uintptr_t)object, (uintptr_t)object); \
  printf(#name ": %u frames, %u roots\n", frames, roots);
  FUNCTIONS(RUN)
  return 0;
}
