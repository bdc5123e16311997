// A struct with references copied to memory of the C library, by functions that cannot know what is where the pointer
// leads: the program ends with a message. So does one that copies an object to a local of bytes, where nothing says
// that references are to be looked for. Copies of data, and copies to locals and globals that hold references, are
// fine.
// RUN: %cairn-cc -O0 %s -o %t && %t 0 | FileCheck %s && %t 1 | FileCheck %s \
// RUN:   && env CAIRN_STRESS=1 %t 0 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: not --crash %t 3 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: not --crash %t 4 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: %cairn-cc -O2 %s -o %t && %t 0 | FileCheck %s && %t 1 | FileCheck %s \
// RUN:   && env CAIRN_STRESS=1 %t 1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: not --crash %t 3 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: not --crash %t 4 2>&1 | FileCheck %s --check-prefix=LOST
#include <stdio.h>
#include <stdlib.h>
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
struct data {
  long numbers[3];
};
static struct holder global;
static void *volatile somewhere;

__attribute__((noinline)) static void copy_native(struct holder *to, struct holder *from)
{
  *to = *from;
}

__attribute__((noinline)) static void copy_managed(struct holder *to, struct holder managed *from)
{
  *to = *from;
}

__attribute__((noinline)) static void copy_data(struct data *to, struct data managed *from)
{
  *to = *from;
}

__attribute__((noinline)) static void copy_bytes(struct holder managed *to, struct holder managed *from)
{
  char bytes[sizeof(struct holder)];

  cairn_copy_out(bytes, from, sizeof bytes);
  cairn_collect();
  cairn_copy_in(to, bytes, sizeof bytes);
}

__attribute__((noinline)) static long through_bytes(struct data managed *to, struct data managed *from)
{
  char bytes[sizeof(struct data)];

  cairn_copy_out(bytes, from, sizeof bytes);
  cairn_collect();
  cairn_copy_in(to, bytes, sizeof bytes);
  return to->numbers[2];
}

int main(int argc, char **argv)
{
  struct holder local = {0}, from = {3, cairn_new(struct node), 0.5};
  struct holder managed *object = cairn_new(struct holder);
  struct data managed *data = cairn_new(struct data);
  int where = argc > 1 ? atoi(argv[1]) : 0;

  from.node->value = 42;
  object->node = from.node;
  somewhere = calloc(1, sizeof local);
  data->numbers[2] = 7;
  copy_data(somewhere, data);
  if (through_bytes(cairn_new(struct data), data) != 7)
    return 1;
  if (where == 4)
    copy_bytes(cairn_new(struct holder), object);
  struct holder *to = where == 0 ? &local : where == 1 ? &global : somewhere;
  if (where == 3)
    copy_managed(to, object);
  copy_native(to, &from);
  cairn_collect();
  printf("value %ld\n", to->node->value);
  return 0;
}
// CHECK: value 42
// LOST: fatal: a reference is stored at 0x{{.*}}copy_{{(native|managed|bytes)}}{{.*}}, which is neither a local nor
