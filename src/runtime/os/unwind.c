/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses the platform's unwinder, which is in libgcc, shared or static. The unwinder reads call-frame information, not
 * frame maps. This file declares the used part of the interface of <unwind.h>. Owns the addresses of the unwinder's
 * functions, and an atomic flag that they are set. Several threads, and signal handlers, may find them at the same
 * time: each stores only a complete set of addresses, and all sets are equal. Runs on any thread, in any phase; only
 * the loading of the unwinder calls malloc().
 */
#include "runtime/os/os.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include "base/check.h"

struct _Unwind_Context;
typedef int trace_callback(struct _Unwind_Context *context, void *env);
typedef int backtrace_function(trace_callback *function, void *env);
typedef uintptr_t cfa_getter(struct _Unwind_Context *context);
typedef uintptr_t ip_getter(struct _Unwind_Context *context, int *before);
typedef void *function_finder(void *pc);
typedef void frames_change(const void *eh_frame);
typedef int cleanup_stop(int version, int actions, uint64_t class, struct cn_os_exception *exception,
                         struct _Unwind_Context *context, void *env);
typedef int cleanup_runner(struct cn_os_exception *exception, cleanup_stop *stop, void *env);
typedef uintptr_t register_getter(struct _Unwind_Context *context, int reg);

/* These symbols are null if the program is linked without the unwinder. */
extern backtrace_function _Unwind_Backtrace __attribute__((weak));
extern cfa_getter _Unwind_GetCFA __attribute__((weak));
extern ip_getter _Unwind_GetIPInfo __attribute__((weak));
extern register_getter _Unwind_GetGR __attribute__((weak));
extern function_finder _Unwind_FindEnclosingFunction __attribute__((weak));
extern cleanup_runner _Unwind_ForcedUnwind __attribute__((weak));
extern frames_change __register_frame __attribute__((weak));
extern frames_change __deregister_frame __attribute__((weak));

struct unwinder_functions {
  backtrace_function *backtrace;
  cfa_getter *cfa;
  ip_getter *ip;
  register_getter *reg;
  function_finder *function;
};
static struct unwinder_functions unwinder;
static _Atomic bool unwinder_ready;

static bool find_linked_unwinder(struct unwinder_functions *found)
{
  *found = (struct unwinder_functions){.backtrace = _Unwind_Backtrace,
                                       .cfa = _Unwind_GetCFA,
                                       .ip = _Unwind_GetIPInfo,
                                       .reg = _Unwind_GetGR,
                                       .function = _Unwind_FindEnclosingFunction};
  return found->backtrace && found->cfa && found->ip && found->reg && found->function;
}

static bool load_unwinder(struct unwinder_functions *found)
{
  const struct {
    const char *name;
    void *into;
  } functions[] = {
      {"_Unwind_Backtrace", &found->backtrace},
      {"_Unwind_GetCFA", &found->cfa},
      {"_Unwind_GetIPInfo", &found->ip},
      {"_Unwind_GetGR", &found->reg},
      {"_Unwind_FindEnclosingFunction", &found->function},
  };
  void *library = cn_os_load_library("libgcc_s.so.1");

  for (size_t i = 0; i < sizeof functions / sizeof *functions && library != NULL; i++) {
    void *symbol = cn_os_find_library_symbol(library, functions[i].name);
    if (symbol == NULL)
      return false;
    memcpy(functions[i].into, &symbol, sizeof symbol);
  }
  return library != NULL;
}

bool cn_os_has_unwinder(bool load)
{
  struct unwinder_functions found;

  if (!atomic_load_explicit(&unwinder_ready, memory_order_acquire) &&
      (find_linked_unwinder(&found) || (load && load_unwinder(&found)))) {
    unwinder = found;
    atomic_store_explicit(&unwinder_ready, true, memory_order_release);
  }
  return atomic_load_explicit(&unwinder_ready, memory_order_acquire);
}

struct activation_visitor {
  bool (*frame)(void *env, const struct cn_os_frame *frame);
  void *env;
};

static int visit_activation(struct _Unwind_Context *context, void *env)
{
  enum { CONTINUE_UNWINDING = 0, STOP_UNWINDING = 4 }; /* _URC_NO_REASON, _URC_NORMAL_STOP */
  const struct activation_visitor *trace = env;
  struct cn_os_frame frame = {.context = context};
  int before = 0;

  frame.pc = unwinder.ip(context, &before);
  frame.sp = unwinder.cfa(context);
  frame.interrupted = before != 0;
  return trace->frame(trace->env, &frame) ? CONTINUE_UNWINDING : STOP_UNWINDING;
}

void cn_os_unwind_stack(bool (*frame)(void *env, const struct cn_os_frame *frame), void *env)
{
  struct activation_visitor trace = {frame, env};

  unwinder.backtrace(visit_activation, &trace);
}

bool cn_os_has_unwind_info(uintptr_t pc)
{
  return unwinder.function((void *)pc) != NULL;
}

/* Find a function of the unwinder that walks: a program may have a static unwinder and a loaded one. `linked` is the
 * address of a pointer to the linked function, which gets the loaded one. */
static void find_function(void *linked, const char *name)
{
  void *library = unwinder.backtrace == _Unwind_Backtrace ? NULL : cn_os_load_library("libgcc_s.so.1");
  void *symbol = library != NULL ? cn_os_find_library_symbol(library, name) : NULL;

  if (library != NULL)
    memcpy(linked, &symbol, sizeof symbol);
}

static bool change_frames(frames_change *linked, const char *name, const void *eh_frame)
{
  frames_change *change = linked;

  if (!cn_os_has_unwinder(true))
    return false;
  find_function(&change, name);
  if (change != NULL)
    change(eh_frame);
  return change != NULL;
}

bool cn_os_register_frames(const void *eh_frame)
{
  return change_frames(__register_frame, "__register_frame", eh_frame);
}

bool cn_os_withdraw_frames(const void *eh_frame)
{
  return change_frames(__deregister_frame, "__deregister_frame", eh_frame);
}

/* ---- cleanups ---- */

_Static_assert(offsetof(struct cn_os_exception, words) == 16 && offsetof(struct cn_os_exception, visit) == 32,
               "struct _Unwind_Exception");

static cleanup_runner *find_cleanup_runner(void)
{
  cleanup_runner *run = _Unwind_ForcedUnwind;

  find_function(&run, "_Unwind_ForcedUnwind");
  return run;
}

bool cn_os_can_run_cleanups(void)
{
  return cn_os_has_unwinder(true) && find_cleanup_runner() != NULL;
}

static int visit_before_cleanups(int version, int actions, uint64_t class, struct cn_os_exception *exception,
                                 struct _Unwind_Context *context, void *env)
{
  enum { CONTINUE_UNWINDING = 0, END_OF_STACK = 16 }; /* _URC_NO_REASON, _UA_END_OF_STACK */
  struct cn_os_frame frame = {.context = context};
  int before = 0;

  (void)version;
  (void)class;
  frame.pc = unwinder.ip(context, &before);
  frame.sp = unwinder.cfa(context);
  frame.interrupted = before != 0;
  exception->visit((actions & END_OF_STACK) != 0 ? NULL : &frame, env);
  return CONTINUE_UNWINDING;
}

void cn_os_unwind_with_cleanups(struct cn_os_exception *exception,
                                void (*visit)(const struct cn_os_frame *frame, void *env), void *env)
{
  CN_CHECK(visit != NULL && (uintptr_t)exception % 16 == 0);
  exception->visit = visit;
  find_cleanup_runner()(exception, visit_before_cleanups, env);
}

uintptr_t cn_os_frame_register(const struct cn_os_frame *frame, int reg)
{
  return unwinder.reg(frame->context, reg);
}
