// A reference is stored through a pointer into a local of a caller, near or far up the stack. Where the collector looks
// there the store is right, also under stress; into bytes, the rest of a local, a variable-length array, a frame of
// native code or one that has gone the program ends with a message, whoever stores and however.
// DEFINE: %{lost} = store assign assign-native copy-out copy-in-native rest array array-native depth native \
// DEFINE:   callback handler gone bytes-copied
// DEFINE: %{each} = for how in %{lost}; do not --crash %t $how >%t.log 2>&1 \
// DEFINE:   && FileCheck %s --check-prefix=LOST <%t.log || exit 1; done
// RUN: %cairn-cc -O0 %s -o %t && %t >%t.out && FileCheck %s <%t.out && env CAIRN_STRESS=1 %t | cmp - %t.out
// RUN: %{each}
// RUN: %cairn-cc -O2 %s -o %t && %t >%t.out && FileCheck %s <%t.out && env CAIRN_STRESS=1 %t | cmp - %t.out
// RUN: export CAIRN_STRESS=1; %{each}
// RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t && %t | cmp - %t.out
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
struct holder {
  long count;
  struct node managed *node;
  double weight;
};
struct bytes {
  _Alignas(8) char at[sizeof(struct holder)];
};
#define SEPARATE __attribute__((noinline)) static
static struct holder *volatile where; /* for those that cannot be given it */

SEPARATE struct node managed *make(long value)
{
  struct node managed *node = cairn_new(struct node);

  node->value = value;
  return node;
}

/* ---- who stores ---- */

SEPARATE void store(struct holder *to, struct node managed *node)
{
  to->node = node;
}

SEPARATE void assign(struct holder *to, struct holder managed *from)
{
  *to = *from;
}

SEPARATE void assign_native(struct holder *to, struct holder *from)
{
  *to = *from;
}

SEPARATE void copy_out(void *to, struct holder managed *from)
{
  cairn_copy_out(to, from, sizeof(struct holder));
}

SEPARATE void copy_native(void *to, void *from)
{
  memcpy(to, from, sizeof(struct holder));
}

SEPARATE void store_deep(struct holder *to, struct node managed *node, int depth)
{
  volatile int left = depth;

  if (left > 0)
    store_deep(to, node, left - 1);
  else
    to->node = node;
  if (left == 3)
    to->node = node;
}

SEPARATE void store_any(int count, ...)
{
  va_list list;

  va_start(list, count);
  struct holder *to = va_arg(list, struct holder *);
  to->node = make(va_arg(list, int));
  va_end(list);
}

/* Its frame's size is not constant. */
SEPARATE long through_variable(struct holder *to, struct node managed *node, int length)
{
  volatile char room[length];

  room[0] = room[length - 1] = 1;
  store(to, node);
  return room[0] + room[length - 1];
}

/* ---- those that call back ---- */

static int compare(const void *a, const void *b)
{
  where->node = make(13);
  return *(const int *)a - *(const int *)b;
}

SEPARATE void sort(void)
{
  int numbers[] = {3, 1, 2};

  qsort(numbers, 3, sizeof *numbers, compare);
}

static void handle(int signal)
{
  struct holder own = {0};

  store_deep(&own, make(signal), 5);
  where->node = own.node;
}

static void handle_own(int signal)
{
  struct holder own = {0};

  store_deep(&own, make(signal), 5);
  if (own.node->value != signal)
    abort();
}

__attribute__((noinline)) cairn_unmanaged static void native(void (*store_there)(struct holder *, long))
{
  struct bytes buffer = {0};

  store_there((struct holder *)buffer.at, 1);
  where = (struct holder *)buffer.at;
}

static void store_value(struct holder *to, long value)
{
  store(to, make(value));
}

static void store_nothing(struct holder *to, long value)
{
  (void)to;
  (void)value;
}

/* ---- where it lies ---- */

struct large {
  struct holder first;
  long rest[3];
  struct holder more[4];
};

SEPARATE struct holder result(struct node managed *node)
{
  struct holder made = {1, node, 2};

  store_deep(&made, node, 4);
  return made;
}

static void *thread(void *unused)
{
  struct holder own = {0};

  (void)unused;
  store_deep(&own, make(77), 20);
  cairn_collect();
  return (void *)own.node->value;
}

SEPARATE long right(void)
{
  struct holder one = {0}, two[3] = {{0}};
  struct large large = {0};
  struct node managed *refs[5] = {0};
  struct holder managed *object = cairn_new(struct holder);
  pthread_t other;
  void *value;

  for (int i = 0; i < 3; i++) {
    store(&one, make(i));
    store_deep(&two[i], make(10 + i), i * 3);
    store_any(2, &large.more[i + 1], 20 + i);
    store((struct holder *)((char *)&refs[i + 1] - 8), make(30 + i));
    through_variable(&large.first, make(40 + i), 16 + i);
  }
  object->node = make(50);
  assign(&large.more[0], object);
  cairn_collect();
  long sum = one.node->value + two[0].node->value * two[1].node->value * two[2].node->value +
             large.first.node->value + large.more[0].node->value + large.more[3].node->value +
             refs[1]->value + refs[2]->value + refs[3]->value;
  assign_native(&one, &large.more[1]);
  copy_out(&two[1], object);
  copy_native(&two[2], &two[1]);
  where = &large.more[2];
  sort();
  if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, &value))
    abort();
  signal(SIGUSR1, handle_own);
  raise(SIGUSR1);
  cairn_collect();
  return sum + one.node->value + two[1].node->value + two[2].node->value + large.more[2].node->value +
         result(make(60)).node->value + (long)value;
}

/* A frame that has gone, and one with bytes in its place. */
SEPARATE void leave(void)
{
  struct holder local = {0};

  store(&local, make(1));
  store(&local, make(2));
  where = &local;
}

SEPARATE void wrong(const char *how)
{
  struct bytes bytes = {0};
  struct holder *to = (struct holder *)bytes.at, local = {3, make(5), .5};
  struct holder managed *object = cairn_new(struct holder);
  struct large large = {0};
  volatile int length = 40;

  object->node = make(6);
  if (strcmp(how, "store") == 0)
    store(to, make(1));
  if (strcmp(how, "assign") == 0)
    assign(to, object);
  if (strcmp(how, "assign-native") == 0)
    assign_native(to, &local);
  if (strcmp(how, "copy-out") == 0)
    copy_out(bytes.at, object);
  if (strcmp(how, "copy-in-native") == 0)
    copy_native(bytes.at, &local);
  if (strcmp(how, "rest") == 0)
    store((struct holder *)(large.rest), make(1));
  if (strcmp(how, "array") == 0) {
    char array[length];
    memset(array, 0, sizeof array);
    store((struct holder *)(((uintptr_t)array + 7) & -8ul), make(1));
  }
  if (strcmp(how, "array-native") == 0) {
    char array[length];
    memset(array, 0, sizeof array);
    where = (struct holder *)(((uintptr_t)array + 7) & -8ul);
    assign_native(where, &local);
    __asm__ volatile("" : : "r"(where) : "memory");
  }
  if (strcmp(how, "depth") == 0)
    store_deep(to, make(1), 50);
  if (strcmp(how, "native") == 0)
    native(store_value);
  where = to;
  if (strcmp(how, "callback") == 0)
    sort();
  signal(SIGUSR1, handle);
  if (strcmp(how, "handler") == 0)
    raise(SIGUSR1);
  if (strcmp(how, "gone") == 0) {
    leave();
    store(where, make(1));
  }
  if (strcmp(how, "bytes-copied") == 0) {
    struct bytes others[2] = {{{0}}};
    where = (struct holder *)others[1].at;
    copy_native(others[1].at, &large.more[1]); /* null */
    large.more[1].node = make(8);
    copy_native(others[1].at, &large.more[1]);
    __asm__ volatile("" : : "r"(where) : "memory");
  }
}

int main(int argc, char **argv)
{
  native(store_nothing);
  if (argc > 1)
    wrong(argv[1]);
  else
    printf("sum %ld\n", right());
  return 0;
}
// CHECK: sum [[#]]
// LOST: fatal: a reference is stored at 0x{{.*}}, which is neither a local nor a global that holds references:
// LOST-SAME: ; {{give the local the type of the stored value|allocate its holder .*}} [unmanaged-store]
