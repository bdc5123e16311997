/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code calls native code, which calls managed code, and so on: many chunks of anchors deep,
 * too deep, and without memory for a chunk. What would go wrong: a walk stops at the end of a chunk,
 * or a stub writes beyond one.
 */
// RUN: %cairn-cc -O2 %s -o %t
// RUN: ulimit -s 262144; %t 5000 | FileCheck --check-prefix=GOOD %s
// RUN: ulimit -s 262144; env CAIRN_STRESS=1000 CAIRN_VERIFY=frames %t 1500 | FileCheck --check-prefix=GOOD %s
// GOOD: {{^}}right
// RUN: ulimit -s 262144; not --crash %t 1000000 2>&1 | FileCheck --check-prefix=DEEP %s
// DEEP: cairn: fatal: thread {{[0-9]+}}, pc 0x{{.*}}: too many nested calls from managed to native code ({{261888|130816}} of them)
// RUN: %if !emulated %{ulimit -s 262144; not --crash %t 3000 poor 2>&1 | FileCheck --check-prefix=POOR %s%}
// POOR: cairn: fatal: thread {{[0-9]+}}, pc 0x{{.*}}: no memory for another nested call from managed to native code ({{511|1022|1023|2046}} of them)
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

static long down(struct cell managed *above, long depth);

cairn_unmanaged static __attribute__((noinline)) long call(long (*f)(long), long depth)
{
  return f(depth) + 1; /* no tail call */
}

static struct cell managed *kept;
static long wrong;

static long nested(long depth)
{
  return depth == 0 ? 0 : down(kept, depth);
}

__attribute__((noinline)) static long down(struct cell managed *above, long depth)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = depth;
  cell->next = above;
  kept = cell;
  if (depth % 1000 == 1)
    cairn_collect();
  long below = call(nested, depth - 1);
  wrong += below != depth || cell->value != depth || (cell->next && cell->next->value != depth + 1);
  return depth;
}

/* No memory from here on but what there is. */
cairn_unmanaged static __attribute__((noinline)) void be_poor(void)
{
  struct rlimit none = {0, 0};
  volatile char stack[2 << 20];

  for (size_t i = 0; i < sizeof stack; i += 4096)
    stack[i] = 0;
  setrlimit(RLIMIT_AS, &none);
}

int main(int argc, char **argv)
{
  down(NULL, 1);
  kept = NULL;
  if (argc > 2)
    be_poor();
  down(NULL, atol(argv[1]));
  printf("%s\n", wrong ? "wrong" : "right");
  return 0;
}
