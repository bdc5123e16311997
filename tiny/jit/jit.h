/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the program and the compiler, which is a shared object that the program opens at its first compilation
 * (libtiny-jit.so: native code with LLVM). The program hands over a table of addresses, and requests; a thread of the
 * compiler answers a request by storing the address of the code.
 */
#ifndef TINY_JIT_JIT_H
#define TINY_JIT_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include "tiny/code/bytecode.h"

enum tj_runtime {
#define RUNTIME(name, signature) TJ_##name,
#include "tiny/jit/runtime.def"
#undef RUNTIME
  TJ_RUNTIME
};

/* Why compiled code leaves for the interpreter. */
enum tj_reason {
  TJ_TYPE,      /* a value has another type than it had so far */
  TJ_OVERFLOW,  /* an integer is too large */
  TJ_RANGE,     /* an index is out of bounds, or a float has no immediate */
  TJ_SHAPE,     /* an object has another shape */
  TJ_TARGET,    /* a call has another callee */
  TJ_COLD,      /* code that had not run before */
  TJ_ENTRY,     /* a parameter or a register at a loop's entry has another type */
  TJ_EXCEPTION, /* an exception passes a call whose result is not tested */
  TJ_INVALID,   /* an assumption does not hold any more */
  TJ_STACK,     /* the stack is full: the interpreter throws */
  TJ_REASONS
};

/* The bits of the number that llvm.experimental.deoptimize gets: reason, then the word and the function of the guard.
 */
enum { TJ_REASON_BITS = 8, TJ_AT_BITS = 24 };

static inline uint64_t tj_reason_make(enum tj_reason reason, uint32_t function, uint32_t at)
{
  return (uint64_t)function << (TJ_REASON_BITS + TJ_AT_BITS) | (uint64_t)at << TJ_REASON_BITS | (uint64_t)reason;
}

/* jit_number of another value than a number. */
#define TJ_NO_NUMBER UINT64_C(0x7ff8dead00000001)

/* The language's number in frame records. The number of a function is the address of its struct tiny_function, because
 * each thread's program has own tables. A frame's values are the function's registers, and then its closure. An integer
 * of 64 bits is an integer of the program times 8, one of 1 bit is true or false. */
enum { TJ_LANGUAGE = 1 };

enum { TJ_MAX_ARGUMENTS = 6, TJ_MAX_NATIVE_ARGUMENTS = 4 };

/* The compiler's data of a function, from its first request on; function->jit. Native, never freed. */
struct tj_function {
  void *entry;                 /* to call: compiled code, or a stub for the interpreter */
  void *compiled;              /* null: none */
  uint64_t exception;          /* number of the last one that passed the present version */
  uint32_t versions, failures; /* compilations so far; guards that failed in the present version */
  uint8_t requested, given_up;
  struct tj_loop *loops; /* entries at loops */
  uint8_t *failed;       /* by word: bits of reasons whose guards are not made there any more */
};

struct tj_loop {
  uint32_t target;
  void *code;
  uint8_t requested;
  struct tj_loop *next;
};

/* Types of registers at an entry, as seen at the request. */
enum tj_seen { TJ_SEEN_ANY, TJ_SEEN_INTEGER, TJ_SEEN_FLOAT, TJ_SEEN_KIND }; /* KIND + an enum tiny_kind: an object */

/* The value of a global at the request, if compiled code may assume that it stays. */
enum tj_global_kind { TJ_GLOBAL_VARIES, TJ_GLOBAL_IMMEDIATE, TJ_GLOBAL_CLOSURE };

struct tj_global {
  enum tj_global_kind kind;
  int64_t payload;   /* IMMEDIATE (value.h) */
  uint32_t function; /* CLOSURE: of this function */
};

struct tj_request {
  const struct tiny_tables *tables;
  struct tiny_function *function;
  struct tj_function *data;
  struct tj_loop *loop;      /* null: from the beginning */
  uint32_t entry;            /* word */
  uint8_t seen[256];         /* by register, enum tj_seen */
  struct tj_global *globals; /* by number; the compiler frees the array */
  uint32_t global_count;
};

struct tj_options {
  bool stats, dump_ir, trace;
  uint32_t torture; /* each guard fails once in about so many times; 0: never */
  unsigned threads; /* 0: compile at once, on the program's thread */
};

struct tj_host {
  void *runtime[TJ_RUNTIME];
  void *stubs[TINY_MAX_COMPILED_PARAMETERS + 1]; /* to the interpreter, by parameters */
  const struct tiny_op_row *rows;
  bool (*shape_find)(const struct tiny_tables *tables, uint32_t shape, uint32_t symbol, uint32_t *place);
  int64_t globals_offset, methods_offset, byte_strings_offset, stack_limit_offset,
      torture_offset; /* of the thread-local variables, from the thread pointer; the last one counts down to the guard
                       * that fails */
  void *deoptimize;   /* cairn_deoptimize, for sessions */
  uint64_t *epoch;    /* the compiler adds 1 before it installs code */
  struct tj_options options;
};

struct tj_counts {
  uint64_t compiled, refused, loops, nanoseconds;
  uint64_t removed; /* versions that were discarded */
  uint64_t pending; /* of these, those whose memory is still in use */
};

/* The functions that the shared object exports. The first one returns null, or an error's text. Requests are copied.
 * tiny_jit_finish() ends compilation before LLVM's destructors run: it waits until all requests are done or, unless
 * `all`, those that have begun; later requests are ignored. */
typedef const char *tj_open(const struct tj_host *host);
typedef void tj_compile(const struct tj_request *request);
typedef void tj_finish(bool all);
typedef void tj_count(struct tj_counts *counts);

/* Compiled code that must not go on. */
struct tj_code {
  struct tiny_function *function;
  uintptr_t address; /* of the code, for cairn_deopt_invalidate() */
  bool installed;    /* false: removed, but activations may be inside */
};

/* Later calls and loops of the function reach the interpreter. The memory of its code goes when no activation is
 * inside; the caller is the thread of the program. */
typedef void tj_discard(struct tiny_function *function);

/* The code that assumes a value of the global; or that belongs to the function or, if it is null, to the program. The
 * caller frees the array. Code that is still being compiled with the assumption is not installed. */
typedef struct tj_code *tj_find_dependents(const struct tiny_tables *tables, uint32_t global, uint32_t *count);
typedef struct tj_code *tj_find_code(const struct tiny_tables *tables, const struct tiny_function *function,
                                     uint32_t *count);
tj_open tiny_jit_open;
tj_compile tiny_jit_compile;
tj_finish tiny_jit_finish;
tj_count tiny_jit_count;
tj_discard tiny_jit_discard;
tj_find_dependents tiny_jit_find_dependents;
tj_find_code tiny_jit_find_code;

#endif
