/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses the platform's unwinder: libgcc's, in its shared library or linked in. It reads call-frame information, and
 * frame maps are unknown to it. Its interface is that of <unwind.h>; this file declares the used part. Any thread.
 */
#include "runtime/os/os.h"

#include <stdatomic.h>
#include <string.h>

struct _Unwind_Context;
typedef int trace_function(struct _Unwind_Context *context, void *env);
typedef int backtrace_function(trace_function *function, void *env);
typedef uintptr_t get_word(struct _Unwind_Context *context);
typedef uintptr_t get_ip_info(struct _Unwind_Context *context, int *before);
typedef void *find_function(void *pc);
typedef uintptr_t get_register(struct _Unwind_Context *context, int reg);

/* Null if the program is linked without the unwinder. */
extern backtrace_function _Unwind_Backtrace __attribute__((weak));
extern get_word _Unwind_GetCFA __attribute__((weak));
extern get_ip_info _Unwind_GetIPInfo __attribute__((weak));
extern get_register _Unwind_GetGR __attribute__((weak));
extern find_function _Unwind_FindEnclosingFunction __attribute__((weak));

static struct {
  backtrace_function *backtrace;
  get_word *cfa;
  get_ip_info *ip;
  get_register *reg;
  find_function *function;
} unwinder;
static _Atomic bool ready;

static bool bind_linked_unwinder(void)
{
  unwinder.backtrace = _Unwind_Backtrace;
  unwinder.cfa = _Unwind_GetCFA;
  unwinder.ip = _Unwind_GetIPInfo;
  unwinder.reg = _Unwind_GetGR;
  unwinder.function = _Unwind_FindEnclosingFunction;
  return unwinder.backtrace && unwinder.cfa && unwinder.ip && unwinder.reg && unwinder.function;
}

static bool load_unwinder(void)
{
  static const struct {
    const char *name;
    void *into;
  } functions[] = {
      {"_Unwind_Backtrace", &unwinder.backtrace},
      {"_Unwind_GetCFA", &unwinder.cfa},
      {"_Unwind_GetIPInfo", &unwinder.ip},
      {"_Unwind_GetGR", &unwinder.reg},
      {"_Unwind_FindEnclosingFunction", &unwinder.function},
  };
  void *library = cn_os_library("libgcc_s.so.1");

  for (size_t i = 0; i < sizeof functions / sizeof *functions && library != NULL; i++) {
    void *symbol = cn_os_library_symbol(library, functions[i].name);
    if (symbol == NULL)
      return false;
    memcpy(functions[i].into, &symbol, sizeof symbol);
  }
  return library != NULL;
}

bool cn_os_unwinder(bool load)
{
  if (!atomic_load_explicit(&ready, memory_order_acquire) && (bind_linked_unwinder() || (load && load_unwinder())))
    atomic_store_explicit(&ready, true, memory_order_release);
  return atomic_load_explicit(&ready, memory_order_acquire);
}

struct trace {
  bool (*frame)(void *env, const struct cn_os_frame *frame);
  void *env;
};

static int pass_on(struct _Unwind_Context *context, void *env)
{
  enum { GO_ON = 0, STOP = 4 }; /* _URC_NO_REASON, _URC_NORMAL_STOP */
  const struct trace *trace = env;
  struct cn_os_frame frame = {.context = context};
  int before = 0;

  frame.pc = unwinder.ip(context, &before);
  frame.sp = unwinder.cfa(context);
  frame.interrupted = before != 0;
  return trace->frame(trace->env, &frame) ? GO_ON : STOP;
}

void cn_os_unwind(bool (*frame)(void *env, const struct cn_os_frame *frame), void *env)
{
  struct trace trace = {frame, env};

  unwinder.backtrace(pass_on, &trace);
}

bool cn_os_unwindable(uintptr_t pc)
{
  return unwinder.function((void *)pc) != NULL;
}

uintptr_t cn_os_frame_register(const struct cn_os_frame *frame, int reg)
{
  return unwinder.reg(frame->context, reg);
}
