/* Native code of backtrace.test: compiled by clang, with debug information or without. */
#include <cairn/stack.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

long native_call(long (*callback)(long), long value);
void native_print(void);
void native_raise(int signal);
void native_thread(void);

/* Line numbers count from here: they are in the test. */
static inline __attribute__((always_inline)) long native_inlined(long (*callback)(long), long value)
{
  return callback(value) + 1;
}

__attribute__((noinline)) long native_call(long (*callback)(long), long value)
{
  return native_inlined(callback, value) + 1;
}

__attribute__((noinline)) void native_print(void)
{
  cairn_backtrace(1);
  __asm__ volatile("");
}

static void on_signal(int signal)
{
  (void)signal;
  cairn_backtrace(1);
  __asm__ volatile("");
}

__attribute__((noinline)) void native_raise(int number)
{
  signal(number, on_signal);
  raise(number);
  __asm__ volatile("");
}

static void *thread(void *unused)
{
  native_print();
  return unused;
}

void native_thread(void)
{
  pthread_t handle;

  pthread_create(&handle, NULL, thread, NULL);
  pthread_join(handle, NULL);
}
