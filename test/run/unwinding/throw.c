/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions of a language by frame maps (<cairn/exceptions.h>): over no, one and many activations; with all
 * callee-saved registers of the activation that catches; thrown again; past frames of all forms, cleanups and native
 * code; from native code; and the refusals. What would go wrong: a register has the value of a younger activation, or
 * from before a collection.
 */
// RUN: clang -O1 -fexceptions -c %S/Inputs/throw_native.c -o %t.o
// RUN: clang++ -O1 -Wall -Wextra -Werror -c %S/Inputs/throw_cpp.cpp -o %t.cpp.o
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/throw.ll %t.o %t.cpp.o -lstdc++ -o %t
// RUN: %t | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// RUN: %cairn-cc -w -O0 -I%root/include %s %S/Inputs/throw.ll %t.o %t.cpp.o \
// RUN:   -lstdc++ -o %t.0 && env CAIRN_STRESS=1 %t.0 | FileCheck %s
// RUN: %cairn-cc -w -Os -fomit-frame-pointer -fcairn-slots=always -I%root/include %s %S/Inputs/throw.ll %t.o %t.cpp.o \
// RUN:   -lstdc++ -o %t.s
// RUN: %t.s | FileCheck %s && env CAIRN_STRESS=1 %t.s | FileCheck %s
// CHECK: own 9
// CHECK-NEXT: caught 78 78 87 1077
// CHECK-NEXT: caught 5000 times
// CHECK-NEXT: again 2078
// CHECK-NEXT: past a type 78
// CHECK-NEXT: dynamic 14
// CHECK-NEXT: past a cleanup 10078
// CHECK-NEXT: past native code 78, with a cleanup 78, 100 cleaned
// CHECK-NEXT: by native code 78
// CHECK-NEXT: 1000 times by native code 78000, 100100 cleaned
// CHECK-NEXT: kept by C++ 0, 1 destroyed
// CHECK-NEXT: passed by C++ 78, 102 destroyed
// CHECK-NEXT: of C++ 42, caught before 83
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

cairn_native long native_clean(long (*next)(long, long, void *), long kind, void *handle);
cairn_native void native_throw_handle(void *handle);
extern long native_cleaned;
/* Inputs/throw_cpp.cpp */
cairn_native long cpp_keep(long (*next)(long, long, void *), long kind, void *handle);
cairn_native long cpp_pass(long (*next)(long, long, void *), long kind, void *handle);
cairn_native long cpp_catch(long (*next)(long, long, void *), long kind, void *handle);
cairn_native void cpp_throw(void);
extern long cpp_destroyed;
long pass_foreign(long depth, long kind, ref e);

enum kind {
  THROWS,
  THROWS_AGAIN,
  PASSES_TYPE,
  CLEANS_UP,
  CALLS_NATIVE,
  CALLS_CLEAN,
  NATIVE_THROWS,
  KEPT_BY_CPP,
  PASSES_CPP,
  CPP_THROWS,
  PINS
};

static ref make(long value)
{
  ref box = cairn_new(struct box);

  box->value = value;
  return box;
}

void failed(int status)
{
  static const char *const names[] = {"PINNED", "UNKNOWN", "REFUSED", "BUSY"};
  static const int statuses[] = {CAIRN_E_PINNED, CAIRN_E_UNKNOWN, CAIRN_E_REFUSED, CAIRN_E_BUSY};

  for (int i = 0; i < 4; i++)
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
  ref e = cairn_handle_get(handle);

  cairn_handle_free(handle);
  throw(e);
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

static long call_pass_foreign(long n, long kind, void *handle)
{
  ref e = cairn_handle_get(handle);

  cairn_handle_free(handle);
  return pass_foreign(2, kind, e);
}

/* Called at depth 0 with what is to be done there. */
long middle(long n, long kind, ref e)
{
  switch (kind % 100) {
  case THROWS_AGAIN:
    return catch_again(3, kind / 100, e);
  case PASSES_TYPE:
    return catch_int(2, kind / 100, e);
  case CLEANS_UP:
    return clean_up(2, kind / 100, e);
  case CALLS_NATIVE:
    return native_plain(throw_by_handle, kind / 100, cairn_handle_new(e));
  case CALLS_CLEAN:
    return native_clean(throw_by_handle, kind / 100, cairn_handle_new(e));
  case NATIVE_THROWS:
    native_throw_handle(cairn_handle_new(e));
    return 0;
  case KEPT_BY_CPP:
    return cpp_keep(throw_by_handle, kind / 100, cairn_handle_new(e));
  case PASSES_CPP:
    return cpp_pass(throw_by_handle, kind / 100, cairn_handle_new(e));
  case CPP_THROWS:
    cpp_throw();
    return 0;
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
  printf("again %ld\n", catch(2, 100 * THROWS_AGAIN + THROWS_AGAIN, 1));
  printf("past a type %ld\n", catch(2, PASSES_TYPE, 1));
  printf("dynamic %ld\n", catch_dynamic(7));
  printf("past a cleanup %ld\n", catch(2, CLEANS_UP, 1));
  long plain = catch(2, CALLS_NATIVE, 1), clean = catch(2, CALLS_CLEAN, 1);
  printf("past native code %ld, with a cleanup %ld, %ld cleaned\n", plain, clean, native_cleaned);
  printf("by native code %ld\n", catch(2, NATIVE_THROWS, 1));
  times = 0;
  for (int i = 0; i < 1000; i++)
    times += catch(2, CALLS_CLEAN, 1);
  printf("1000 times by native code %ld, %ld cleaned\n", times, native_cleaned);
  times = catch(0, KEPT_BY_CPP, 1);
  printf("kept by C++ %ld, %ld destroyed\n", times, cpp_destroyed);
  times = catch(2, PASSES_CPP, 1);
  printf("passed by C++ %ld, %ld destroyed\n", times, cpp_destroyed);
  times = cpp_catch(call_pass_foreign, CPP_THROWS, cairn_handle_new(make(1)));
  printf("of C++ %ld, caught before %ld\n", times, cpp_catch(call_pass_foreign, THROWS, cairn_handle_new(make(78))));
  catch(2, PINS, 1);
  descend(2, THROWS, make(1));
  failed(native_throw());
  return 0;
}
