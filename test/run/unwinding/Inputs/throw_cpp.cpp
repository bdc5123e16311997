// SPDX-License-Identifier: Apache-2.0
// C++ for throw.c: keeps exceptions of the language, throws them again, and throws its own ones through managed code.

typedef long next_function(long, long, void *);

extern "C" {
long cpp_keep(next_function *next, long kind, void *handle);
long cpp_pass(next_function *next, long kind, void *handle);
void cpp_throw();
long cpp_catch(next_function *next, long kind, void *handle);
long cpp_destroyed;
}

namespace {
struct counted {
  ~counted()
  {
    cpp_destroyed++;
  }
};
} // namespace

long cpp_keep(next_function *next, long kind, void *handle)
{
  try {
    counted local;
    return next(0, kind, handle);
  } catch (...) {
    return 5;
  }
}

long cpp_pass(next_function *next, long kind, void *handle)
{
  try {
    counted local;
    return next(0, kind, handle);
  } catch (...) {
    cpp_destroyed += 100;
    throw;
  }
}

void cpp_throw()
{
  throw 42;
}

long cpp_catch(next_function *next, long kind, void *handle)
{
  try {
    return next(0, kind, handle);
  } catch (int value) {
    return value;
  }
}
