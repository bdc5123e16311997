/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's program: its start, natives, the closures of compiled functions, and runs of modules. Managed C;
 * thread-local state.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tiny/lib/library.h"
#include "tiny/program/modules.h"
#include "tiny/core/object.h"

enum { STACK_RESERVE = 256 * 1024, LEAST_STACK = 1 << 20, MOST_STACK = 64 << 20 };

_Static_assert(sizeof(struct tiny_native_row) == TINY_NATIVE_ROW_BYTES, "bytecode.h has the size of rows");

_Thread_local value managed *tiny_globals;
_Thread_local value managed *tiny_methods;
_Thread_local uint32_t tiny_symbol_length;

static _Thread_local long globals_room;
/* The prototypes of functions, by number. */
static _Thread_local value managed *prototypes;
static _Thread_local long prototypes_room;

/* A longer copy of an array, filled up with `rest`. */
static value managed *lengthen(value managed *old, long room, long wanted, value rest)
{
  value managed *grown = cairn_new_array(value, wanted);

  for (long i = 0; i < wanted; i++)
    grown[i] = i < room ? old[i] : rest;
  return grown;
}

void tiny_make_globals(void)
{
  long count = tiny_tables->globals.count;

  if (count <= globals_room)
    return;
  tiny_globals = lengthen(tiny_globals, globals_room, 2 * count + 64, TINY_HOLE);
  globals_room = 2 * count + 64;
}

/* ---- functions ---- */

static value prototype_of(uint32_t number);

static value constant_value(const struct tiny_constant *constant)
{
  switch (constant->kind) {
  case TINY_CONSTANT_INTEGER:
    return tiny_from_integer(constant->integer);
  case TINY_CONSTANT_FLOAT:
    return tiny_from_float(constant->number);
  case TINY_CONSTANT_STRING:
    return tiny_symbol_string(constant->symbol);
  default:
    return prototype_of(constant->function);
  }
}

static value prototype_of(uint32_t number)
{
  struct tiny_function *f = tiny_function_at(tiny_tables, number);

  if (number >= prototypes_room) {
    prototypes = lengthen(prototypes, prototypes_room, 2 * (long)number + 64, TINY_NIL);
    prototypes_room = 2 * (long)number + 64;
  }
  if (prototypes[number])
    return prototypes[number];
  value managed *constants = cairn_new_array(value, f->constant_count);
  for (uint32_t i = 0; i < f->constant_count; i++) {
    value made = constant_value(&f->constants[i]);
    constants[i] = made;
  }
  struct tiny_prototype managed *prototype = cairn_new(struct tiny_prototype);
  prototype->kind = prototype->shape = TINY_PROTOTYPE;
  prototype->function = f;
  prototype->constants = constants;
  f->calls_left = tiny_hooks.calls;
  f->loops_left = tiny_hooks.loops;
  prototypes[number] = cairn_value_of(prototype);
  return prototypes[number];
}

value tiny_closure_new(value v)
{
  struct tiny_function *f = cairn_value_object(struct tiny_prototype, v)->function;
  struct tiny_closure managed *closure = cairn_new_flex(struct tiny_closure, f->captures, captured);

  closure->kind = closure->shape = TINY_CLOSURE;
  closure->function = f;
  closure->constants = cairn_value_object(struct tiny_prototype, v)->constants;
  return cairn_value_of(closure);
}

value tiny_closure_of_function(uint32_t function)
{
  return tiny_closure_new(prototype_of(function));
}

/* ---- natives ---- */

static value native_new(const char *name, unsigned minimum, unsigned maximum, tiny_native_function *run, bool is_method)
{
  struct tiny_native_row *row = tiny_table_add(&tiny_tables->natives);
  struct tiny_native managed *native = cairn_new(struct tiny_native);

  *row =
      (struct tiny_native_row){tiny_intern(name, strlen(name)), (uint16_t)minimum, (uint16_t)maximum, is_method, run};
  native->kind = native->shape = TINY_NATIVE;
  native->number = tiny_tables->natives.count - 1;
  native->row = row;
  return cairn_value_of(native);
}

void tiny_define_value(const char *name, value v)
{
  uint32_t global = tiny_global_add(0, tiny_intern(name, strlen(name)), TINY_GLOBAL_CONSTANT);

  tiny_make_globals();
  tiny_globals[global] = v;
}

void tiny_define_native(const char *name, unsigned minimum, unsigned maximum, tiny_native_function *run)
{
  tiny_define_value(name, native_new(name, minimum, maximum, run, false));
}

void tiny_define_method(enum tiny_kind kind, const char *name, unsigned minimum, unsigned maximum,
                        tiny_native_function *run)
{
  value native = native_new(name, minimum, maximum, run, true);

  tiny_store_method(tiny_class_add_method(kind, tiny_intern(name, strlen(name))), native);
}

/* ---- runs ---- */

value tiny_run(const char *name, const char *text, size_t length, uint32_t module)
{
  struct tiny_program program = {0};
  struct tiny_error error;
  value result = TINY_NIL;

  if (!tiny_compile(tiny_source_new(name, text, length), module, &program, &error)) {
    free(program.functions);
    return tiny_throw_syntax(error.source, error.line, error.column, error.text);
  }
  tiny_make_globals();
  for (uint32_t i = 0; i < program.count && !tiny_is_thrown(result); i++)
    result = tiny_call(tiny_closure_of_function(program.functions[i]), NULL, 0);
  free(program.functions);
  return result;
}

/* Programs may use the thread's stack except a reserve, and at most MOST_STACK. */
static cairn_unmanaged void set_stack_limit(void)
{
  char *here = __builtin_frame_address(0);
  pthread_attr_t attributes;
  void *start = here - LEAST_STACK;
  size_t size;

  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
  }
  tiny_stack_limit = here - (char *)start > MOST_STACK ? here - MOST_STACK : (char *)start + STACK_RESERVE;
}

void tiny_end(void)
{
  tiny_tables_end();
  tiny_strings_end();
  tiny_fields_end();
  tiny_globals = tiny_methods = prototypes = NULL;
  globals_room = prototypes_room = 0;
  tiny_thrown = TINY_NIL;
}

bool tiny_begin(int count, char *const *words)
{
  set_stack_limit();
  tiny_tables_begin();
  tiny_symbol_length = tiny_intern("length", 6);
  return tiny_library(count, words);
}
