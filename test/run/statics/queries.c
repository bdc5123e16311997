// RUN: %cairn-cc -O2 -I%root/include -c -DUNIT %s -o %t.unit.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.unit.o -o %t && env CAIRN_STRESS=1 CAIRN_VERIFY=heap %t | FileCheck %s
// RUN: %cairn-cc -O0 -g -I%root/include %s %t.unit.o -o %t.0 && env CAIRN_STRESS=1 %t.0 | FileCheck %s
// RUN: %cairn-cc -O2 -flto -I%root/include -c -DUNIT %s -o %t.lto.o
// RUN: %cairn-cc -O2 -flto -I%root/include %s %t.lto.o -o %t.lto && env CAIRN_STRESS=1 %t.lto | FileCheck %s
// RUN: %cairn-cc -O2 -fPIC -shared -I%root/include %s -DUNIT -o %t.so
// RUN: %cairn-cc -O2 -I%root/include %s -DLIBRARY %t.so -o %t.both && env CAIRN_STRESS=1 %t.both | \
// RUN:   FileCheck %s
// Questions about static objects: type, length, size, identity hash, pin, handle, weak reference, resize. The layout of
// a shared type is that of the program, also in an object of a second unit or library. Wrong: an object without header,
// a header of a private layout, a pin that a collection does not find.
// CHECK: is 1 1 0 1, length 4 3, size 16 16
// CHECK: hash 1 1 1
// CHECK: pinned 5
// CHECK: handle 1, weak 1 1
// CHECK: resized 8: 1 2 3 4 0, own 4
// CHECK: literal text 5, same 0
#include <stdio.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>
#include <cairn/pin.h>
#include <cairn/string.h>
#include <cairn/weak.h>

struct cairn_shared leaf {
  long value;
  struct leaf managed *next;
};

/* Of the other unit. */
extern struct leaf managed other;
struct leaf managed *other_leaf(void);
_Bool is_leaf(struct leaf managed *l);

#ifdef UNIT
struct leaf managed other = {5, NULL};
struct leaf managed *other_leaf(void)
{
  return &other;
}
_Bool is_leaf(struct leaf managed *l)
{
  return cairn_is(l, struct leaf);
}
#else

static const struct leaf managed mine = {6, NULL};
static struct leaf managed leaves[3];
static long managed numbers[4] = {1, 2, 3, 4};
static const int managed ints[3] = {1, 2, 3};
struct node {
  long key;
};
static struct node managed plain;

struct box {
  struct leaf managed *leaf cairn_weak;
  struct leaf managed *strong;
};

int main(void)
{
  struct leaf managed *theirs = other_leaf();
  struct box managed *box = cairn_new(struct box);

#ifndef LIBRARY
  if (theirs != &other)
    return 1;
#endif
  printf("is %d %d %d %d, length %ld %ld, size %zu %zu\n", is_leaf(theirs), is_leaf((struct leaf managed *)&mine),
         cairn_is(&plain, struct leaf), cairn_is_array(leaves, struct leaf), cairn_length(numbers),
         cairn_length(leaves), cairn_object_size(theirs), cairn_object_size((void managed *)ints));
  unsigned long hash = cairn_identity_hash(theirs), constant = cairn_identity_hash((void managed *)&mine);
  cairn_collect();
  printf("hash %d %d %d\n", hash == cairn_identity_hash(theirs),
         constant == cairn_identity_hash((void managed *)&mine), hash != constant);
  struct leaf *pinned = cairn_pin(theirs);
  cairn_collect();
  printf("pinned %ld\n", pinned->value);
  cairn_unpin(theirs);
  struct cairn_handle *handle = cairn_handle_new(theirs);
  box->leaf = theirs;
  box->strong = leaves + 1;
  cairn_collect();
  printf("handle %d, weak %d %d\n", cairn_handle_get(handle) == theirs, box->leaf == theirs,
         box->strong == &leaves[1]);
  cairn_handle_free(handle);
  long managed *more = cairn_resize_array((long managed *)numbers, 8);
  cairn_collect();
  printf("resized %ld: %ld %ld %ld %ld %ld, own %ld\n", cairn_length(more), more[0], more[1], more[2], more[3], more[4],
         cairn_length(numbers));
  const char managed *text = cairn_literal("text");
  printf("literal %s %ld, same %d\n", cairn_text_out(text), cairn_length(text), strcmp(text, cairn_literal("text")));
  return 0;
}
#endif
