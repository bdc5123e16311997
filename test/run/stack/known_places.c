// Code that stores through a pointer knows the places of the last slot: in the frame of the function's caller, or in
// globals. Each store to such a place is right, also under stress. A store beside it ends the program: to plain data of
// the same struct, to a frame that has gone, to another caller's bytes, to memory of the C library.
// DEFINE: %{each} = for how in beside between gone bytes heap copied; do not --crash %t $how >%t.log 2>&1 \
// DEFINE:   && FileCheck %s --check-prefix=LOST <%t.log || exit 1; done
// RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s && %{each}
// RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && %{each}
// RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t && %t | FileCheck %s && %{each}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

typedef struct node managed *node_ref;
struct node {
  long value;
};
struct item {
  node_ref node;
  long key;
};
struct bytes {
  _Alignas(8) char at[4 * sizeof(struct item)];
};
#define SEPARATE __attribute__((noinline))

static struct {
  long steps;
  node_ref stack[16];
  node_ref *top;
} machine;
static struct item items[16];
static _Thread_local struct item own[4];
static node_ref *volatile gone;
static struct item *volatile taken;

void store(node_ref *to, node_ref node);
void store_above(node_ref *to, node_ref node, int depth);
void copy(struct item *to, const struct item *from);
void push(node_ref node);

SEPARATE static node_ref make(long value)
{
  node_ref node = cairn_new(struct node);

  node->value = value;
  return node;
}

SEPARATE void store(node_ref *to, node_ref node)
{
  *to = node;
}

SEPARATE void store_above(node_ref *to, node_ref node, int depth)
{
  volatile int left = depth;

  if (left > 0)
    store_above(to, node, left - 1);
  *to = node;
}

SEPARATE void copy(struct item *to, const struct item *from)
{
  *to = *from;
}

SEPARATE void push(node_ref node)
{
  *machine.top++ = node;
}

/* The calls of store() alternate between callers, globals and thread-locals. */
SEPARATE static long right(void)
{
  node_ref one = NULL, more[5] = {NULL};
  struct item local[3] = {{NULL, 1}, {NULL, 2}, {NULL, 3}};
  long sum = 0;

  machine.top = machine.stack;
  for (int i = 0; i < 64; i++) {
    store(&one, make(i));
    store(&more[i % 5], make(i));
    store(&items[i % 16].node, make(i));
    store(&local[i % 3].node, make(i));
    store(&own[i % 4].node, make(i));
    store_above(&one, make(i), i % 5);
    copy(&items[i % 16], &local[i % 3]);
    copy(&local[(i + 1) % 3], &items[i % 16]);
    push(make(i));
    machine.top = &machine.stack[i % 16];
    sum += one->value + more[i % 5]->value + items[i % 16].node->value + local[(i + 1) % 3].node->value +
           own[i % 4].node->value + items[i % 16].key;
  }
  cairn_collect();
  for (int i = 0; i < 16; i++)
    sum += machine.stack[i]->value + items[i].node->value;
  return sum + own[3].node->value + more[4]->value + local[0].node->value;
}

SEPARATE static void leave(void)
{
  node_ref local[4] = {NULL};

  for (int i = 0; i < 4; i++)
    store(&local[i], make(i));
  gone = &local[2];
}

SEPARATE static void store_in_bytes(struct bytes *bytes)
{
  __asm__ volatile("" : : "r"(bytes) : "memory");
  for (size_t i = 0; i < 4; i++)
    store((node_ref *)(bytes->at + i * sizeof(node_ref)), make(1));
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  struct bytes bytes = {{0}};

  printf("sum %ld\n", right());
  if (strcmp(how, "beside") == 0)
    for (machine.top = machine.stack; machine.top < machine.stack + 20;)
      push(make(2));
  if (strcmp(how, "between") == 0)
    store((node_ref *)&items[3].key, make(3));
  if (strcmp(how, "gone") == 0) {
    leave();
    store(gone, make(4));
  }
  if (strcmp(how, "bytes") == 0)
    store_in_bytes(&bytes);
  if (strcmp(how, "heap") == 0)
    store(malloc(sizeof(node_ref)), make(5));
  if (strcmp(how, "copied") == 0)
    copy(taken = malloc(sizeof(struct item)), &items[2]);
  return bytes.at[0];
}
// CHECK: sum [[#]]
// LOST: fatal: a reference is stored at 0x{{.*}}, which is neither a local nor a global that holds references:
