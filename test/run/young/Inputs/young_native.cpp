// SPDX-License-Identifier: Apache-2.0
//
// young_native.c in C++: what escapes is an exception, with destructors on its way.
#include <stdexcept>

typedef long callback(long);
extern "C" {
long call_native(callback *function, long n);
long guard(callback *function, long n);
void escape(void);
}

static long open_calls;

struct call {
  call() { open_calls++; }
  ~call() { open_calls--; }
};

long call_native(callback *function, long n)
{
  call one;

  return function(n) + 1;
}

long guard(callback *function, long n)
{
  long before = open_calls;

  try {
    call one;
    return function(n);
  } catch (const std::runtime_error &) {
    return open_calls == before ? -1 : -2;
  }
}

void escape(void)
{
  throw std::runtime_error("escape");
}
