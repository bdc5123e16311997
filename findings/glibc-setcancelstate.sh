#!/bin/sh
# glibc 2.36: an asynchronous cancellation that takes effect in pthread_setcancelstate() loses its result.
#
# Expected, by POSIX (pthread_join()): "the value PTHREAD_CANCELED", as with a cancellation that takes effect in
# pthread_setcanceltype() or pthread_testcancel(). Observed: a null pointer. Source: nptl/pthread_setcancelstate.c calls
# __do_cancel() without setting the thread's result, which the two others set. src/runtime/core/defer.c goes past it.
# No package but a C compiler is needed. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/cancel.c" <<'END'
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdio.h>

static void *by_state(void *argument)
{
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  return argument;
}

static void *by_type(void *argument)
{
  pthread_cancel(pthread_self());
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  return argument;
}

static void *result_of(void *(*start)(void *))
{
  pthread_t thread;
  void *result = NULL;

  pthread_create(&thread, NULL, start, &thread);
  pthread_join(thread, &result);
  return result;
}

int main(void)
{
  void *state = result_of(by_state), *type = result_of(by_type);

  printf("glibc %s: by pthread_setcancelstate() %p, by pthread_setcanceltype() %p, PTHREAD_CANCELED is %p\n",
         gnu_get_libc_version(), state, type, PTHREAD_CANCELED);
  return state == NULL && type == PTHREAD_CANCELED ? 0 : 1;
}
END
cc -o "$folder/cancel" "$folder/cancel.c" -lpthread
"$folder/cancel"
