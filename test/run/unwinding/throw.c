/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions of a language by frame maps (<cairn/exceptions.h>): over no, one and many activations; with all
 * callee-saved registers of the activation that catches; thrown again; past frames of all forms; and the refusals. What
 * would go wrong: a register has the value of a younger activation, or from before a collection.
 */
// RUN: clang -O1 -fexceptions -c %S/Inputs/throw_native.c -o %t.o
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/throw.ll %t.o -lstdc++ -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// RUN: %cairn-cc -w -O0 -I%root/include %s %S/Inputs/throw.ll %t.o -lstdc++ -o %t.0 && env CAIRN_STRESS=1 %t.0 | FileCheck %s
// RUN: %cairn-cc -w -Os -fomit-frame-pointer -fcairn-slots=always -I%root/include %s %S/Inputs/throw.ll %t.o -lstdc++ -o %t.s
// RUN: %t.s | FileCheck %s && env CAIRN_STRESS=1 %t.s | FileCheck %s
// CHECK: own 9
// CHECK-NEXT: caught 78 78 87 1077
// CHECK-NEXT: caught 5000 times
// CHECK-NEXT: again 2078
// CHECK-NEXT: past a type 78
// CHECK-NEXT: dynamic 14
// CHECK-NEXT: FOREIGN the call at pc {{0x[0-9a-f]+ \(clean_up\+0x[0-9a-f]+\)}} has a landing pad outside of all spans of the key
// CHECK-NEXT: NATIVE native code that was called at pc {{0x[0-9a-f]+ .*}} lies between
// CHECK-NEXT: PINNED an activation that would end has an open scope of a pin
// CHECK-NEXT: UNKNOWN no activation has a landing pad in a span of key 5
// CHECK-NEXT: REFUSED native code has called cairn_throw()
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/exceptions.h>
#include <cairn/handle.h>
#include <cairn/pin.h>

struct box {
  long value;
};
typedef struct box managed *ref;

/* Inputs/throw.ll */
long catch(long depth, long kind, long seed);
long catch_own(long seed);
long catch_again(long depth, long kind, ref e);
long catch_dynamic(long n);
long catch_int(long depth, long kind, ref e);
long clean_up(long depth, long kind, ref e);
long descend(long n, long kind, ref e);
void throw(ref e);
/* Inputs/throw_native.c */
cairn_native int native_throw(void);
cairn_native long native_plain(long (*next)(long, long, void *), long kind, void *handle);

enum kind { THROWS, THROWS_AGAIN, PASSES_TYPE, CLEANS_UP, CALLS_NATIVE, PINS };

static ref make(long value)
{
  ref box = cairn_new(struct box);

  box->value = value;
  return box;
}

void failed(int status)
{
  static const char *const names[] = {"FOREIGN", "NATIVE", "PINNED", "UNKNOWN", "REFUSED"};
  static const int statuses[] = {CAIRN_E_FOREIGN, CAIRN_E_NATIVE, CAIRN_E_PINNED, CAIRN_E_UNKNOWN, CAIRN_E_REFUSED};

  for (int i = 0; i < 5; i++)
    if (statuses[i] == status)
      printf("%s %s\n", names[i], cairn_throw_failure());
  cairn_collect();
}

long wrong(long seed)
{
  return 1000000 + seed;
}

static long throw_by_handle(long n, long kind, void *handle)
{
  throw(cairn_handle_get(handle));
  return 0;
}

static void throw_pinned(ref e)
{
  ref pinned = make(1);

  cairn_pinned(struct box *address, pinned) {
    address->value = 2;
    throw(e);
  }
}

/* Called at depth 0 with what is to be done there. */
long middle(long n, long kind, ref e)
{
  switch (kind % 10) {
  case THROWS_AGAIN:
    return catch_again(3, kind / 10, e);
  case PASSES_TYPE:
    return catch_int(2, kind / 10, e);
  case CLEANS_UP:
    return clean_up(2, kind / 10, e);
  case CALLS_NATIVE:
    return native_plain(throw_by_handle, kind / 10, cairn_handle_new(e));
  case PINS:
    throw_pinned(e);
    return 0;
  default:
    throw(e);
    return 0;
  }
}

int main(void)
{
  long times = 0;

  printf("own %ld\n", catch_own(9));
  printf("caught %ld %ld %ld %ld\n", catch(0, THROWS, 1), catch(1, THROWS, 1), catch(10, THROWS, 10),
         catch(1000, THROWS, 1000));
  for (long i = 0; i < 5000; i++)
    times += catch(i % 7, THROWS, i) == i + 77;
  printf("caught %ld times\n", times);
  printf("again %ld\n", catch(2, 10 * THROWS_AGAIN + THROWS_AGAIN, 1));
  printf("past a type %ld\n", catch(2, PASSES_TYPE, 1));
  printf("dynamic %ld\n", catch_dynamic(7));
  catch(2, CLEANS_UP, 1);
  catch(2, CALLS_NATIVE, 1);
  catch(2, PINS, 1);
  descend(2, THROWS, make(1));
  failed(native_throw());
  return 0;
}
