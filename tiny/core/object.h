/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects of tiny, and the operations on values that the interpreter, the library and compiled code share. Managed C.
 *
 * Every object begins with its kind and its shape's number. For objects other than instances, the shape's number is the
 * kind. Shapes have numbers because references move; inline caches and guards compare the numbers.
 *
 * State is thread-local: each thread runs its own program. Functions that return a value return TINY_THROWN after
 * an exception, which tiny_thrown then holds; their callers pass TINY_THROWN on.
 */
#ifndef TINY_OBJECT_H
#define TINY_OBJECT_H

#include <stdio.h>

#include "tiny/code/bytecode.h"
#include "tiny/core/value.h"

enum tiny_kind {
  TINY_KIND_NONE, /* of immediates and nil */
  TINY_STRING,
  TINY_FLOAT,
  TINY_ARRAY,
  TINY_MAP,
  TINY_INSTANCE, /* of a class, or of an object literal */
  TINY_CLOSURE,
  TINY_NATIVE,
  TINY_CLASS,
  TINY_BOUND, /* a method and its receiver */
  TINY_CELL,
  TINY_PROTOTYPE, /* a constant: CLOSURE makes closures of it */
  TINY_BUILDER,   /* of strings */
  TINY_KINDS,
};

struct tiny_object {
  uint32_t kind, shape;
};

/* Immutable. The hash is 0 until it is computed. */
struct tiny_string {
  uint32_t kind, shape, hash, length;
  char bytes[]; /* without NUL */
};

struct tiny_float {
  uint32_t kind, shape;
  double number;
};

struct tiny_array {
  uint32_t kind, shape;
  long length, room;
  value managed *items; /* null if room is 0 */
};

/* A hash map that keeps the order of insertions. A removed entry has the key TINY_HOLE. */
struct tiny_entry {
  value key, value;
};

struct tiny_map {
  uint32_t kind, shape;
  long used, length; /* entries in use, removed ones included; pairs in the map */
  long room;         /* entries; the index has twice as many elements */
  struct tiny_entry managed *entries;
  int32_t managed *index; /* by hash: entry + 1, or 0; collisions go to the next element */
};

struct tiny_instance {
  uint32_t kind, shape;
  value managed *more; /* the properties beyond the slots in line; or null */
  value slots[];       /* inline_slots of the shape */
};

struct tiny_prototype {
  uint32_t kind, shape;
  struct tiny_function *function; /* native */
  value managed *constants;       /* of the function, by number: strings, floats, integers, prototypes */
};

struct tiny_closure {
  uint32_t kind, shape;
  struct tiny_function *function; /* native */
  value managed *constants;
  value captured[];
};

struct tiny_cell {
  uint32_t kind, shape;
  value content;
};

/* Functions of the library. `arguments` is the caller's and may only be read; methods have `this` as arguments[0]. The
 * caller checks the count, without `this`. */
typedef value tiny_native_function(value *arguments, unsigned count);

/* A row of the native table of natives. */
struct tiny_native_row {
  uint32_t name; /* symbol */
  uint16_t minimum, maximum;
  bool is_method;
  tiny_native_function *run;
};

struct tiny_native {
  uint32_t kind, shape;
  uint32_t number, unused;
  struct tiny_native_row *row; /* native */
};

struct tiny_class {
  uint32_t kind, shape, number, unused;
};

struct tiny_bound {
  uint32_t kind, shape;
  value receiver, method;
};

struct tiny_builder {
  uint32_t kind, shape;
  long length, room;
  char managed *bytes;
};

static inline enum tiny_kind tiny_kind(value v)
{
  return tiny_is_reference(v) ? (enum tiny_kind)cairn_value_object(struct tiny_object, v)->kind : TINY_KIND_NONE;
}

static inline bool tiny_is(value v, enum tiny_kind kind)
{
  return tiny_is_reference(v) && cairn_value_object(struct tiny_object, v)->kind == (uint32_t)kind;
}

static inline bool tiny_shape_is(value v, uint32_t shape)
{
  return tiny_is_reference(v) && cairn_value_object(struct tiny_object, v)->shape == shape;
}

/* 0 for immediates and nil. */
static inline uint32_t tiny_shape_of(value v)
{
  return tiny_is_reference(v) ? cairn_value_object(struct tiny_object, v)->shape : 0;
}

#define tiny_string_of(v) cairn_value_object(struct tiny_string, v)
#define tiny_array_of(v) cairn_value_object(struct tiny_array, v)
#define tiny_map_of(v) cairn_value_object(struct tiny_map, v)
#define tiny_instance_of(v) cairn_value_object(struct tiny_instance, v)
#define tiny_closure_of(v) cairn_value_object(struct tiny_closure, v)
#define tiny_native_of(v) cairn_value_object(struct tiny_native, v)
#define tiny_class_of(v) cairn_value_object(struct tiny_class, v)
#define tiny_cell_of(v) cairn_value_object(struct tiny_cell, v)
#define tiny_builder_of(v) cairn_value_object(struct tiny_builder, v)

/* The symbols of names that the interpreter knows. */
extern _Thread_local uint32_t tiny_symbol_length;

/* The roots of a thread's program. */
extern _Thread_local value managed *tiny_globals; /* by global number */
extern _Thread_local value managed *tiny_methods; /* by method number: closures and natives */
extern _Thread_local value tiny_thrown;           /* the exception, while TINY_THROWN is on its way */

/* The key of the spans of calls that get THROWN from compiled code (compiled_unwind.c). */
#define TINY_CATCHES UINT64_C(0x74696e79)
#define TINY_CATCHES_VALUE ((const void *)1)

/* The compiler's hooks, null in an interpreter. The thread's interpreter calls them. */
typedef value tiny_loop_code(value closure, value managed *registers);

struct tiny_hooks {
  uint32_t calls, loops; /* first values of calls_left and loops_left of functions */
  /* The function's calls_left became 0; the call follows. Sets calls_left again; may set function->entry. */
  void (*called)(struct tiny_function *function, value *arguments);
  /* The function's loops_left became 0 at the jump of a LOOP or FOR_LOOP to word `target`. Sets loops_left again.
   * Returns code that continues at `target` with a copy of the registers, and whose result is that of the activation;
   * or null. */
  tiny_loop_code *(*looped)(struct tiny_function *function, uint32_t target, value *registers);
  /* A global with TINY_GLOBAL_ASSUMED gets a new value. */
  void (*global_changes)(uint32_t global);
  void (*ends)(void); /* the process is about to end by exit() */
};
extern struct tiny_hooks tiny_hooks;

/* "a string", "nil", "an integer", ...: for messages. */
const char *tiny_describe(value v);

/* Strings. */
value tiny_string(const char *bytes, size_t length);
value tiny_symbol_string(uint32_t symbol);
/* The strings of one byte, by the byte; null before the first tiny_byte_string() of the program. */
extern _Thread_local value managed *tiny_byte_strings;
value tiny_byte_string(uint8_t byte);
value tiny_string_uninit(size_t length); /* to fill at once; throws if too long */
uint32_t tiny_string_hash(value string);
bool tiny_strings_equal(value a, value b);
int tiny_strings_compare(value a, value b);
/* The text of a value, as str() gives it. */
value tiny_text(value v);
/* The texts of values, joined. */
value tiny_text_of(value *parts, unsigned count);
/* Writes the texts of values to the standard output, with `between` between them and `end` after them, as one piece
 * that output of other threads does not part. Returns nil, or THROWN. */
value tiny_print(value *parts, unsigned count, const char *between, const char *end);
/* Writes the text of a value to a file. */
void tiny_write(FILE *file, value v);
/* The bytes of a string in native memory, with a NUL behind; the caller frees them. */
char *tiny_copy_text(value string);

/* Arrays, maps, objects. */
value tiny_array_new(long room);
/* Adds v; throws if the array is too long. */
value tiny_array_push(value array, value v);
value tiny_map_new(void);
/* The value of the key, or TINY_HOLE. */
value tiny_map_get(value map, value key);
value tiny_map_set(value map, value key, value v);
bool tiny_map_remove(value map, value key);
value tiny_closure_new(value prototype);
bool tiny_equal(value a, value b);
/* The order of two numbers by their exact values: -1, 0, 1, or TINY_UNORDERED; false for other values. */
bool tiny_order(value a, value b, int *order);
enum { TINY_UNORDERED = 2 }; /* a NaN is among them */
/* The number of an integer or a float; false for other values. */
bool tiny_number(value v, double *number);
value tiny_strings_join(value a, value b);

/* The general form of instructions: they throw for operands of other types. `op` is a base. */
value tiny_arithmetic(enum tiny_op op, value a, value b);
value tiny_compare(enum tiny_op op, value a, value b); /* true or false */
value tiny_get_index(value object, value index);
value tiny_set_index(value object, value index, value v);
value tiny_get_field(value object, uint32_t symbol);
value tiny_set_field(value object, uint32_t symbol, value v);

/* Calls any callee from native or managed code. */
value tiny_call(value callee, value *arguments, unsigned count);
/* Calls a closure with its parameters (`this` first in methods), whose number the caller has checked. */
value tiny_interpret(value closure, value *arguments, unsigned count);
/* Continues an activation of a closure at word `at`, with all its registers. */
value tiny_resume(value closure, uint32_t at, value managed *registers);
/* Like tiny_resume(), with the exception that is on its way, from the instruction at word `at`. */
value tiny_resume_thrown(value closure, uint32_t at, value managed *registers);

/* The place of a property, by a site of feedback, or null; the site gets the answer. TINY_PLACE_NONE: it is missing. */
#define TINY_PLACE_NONE 0xffffffffu
uint32_t tiny_find_place(value object, uint32_t symbol, uint32_t *site);
value tiny_get_place(value object, uint32_t place, uint32_t symbol);
value tiny_get_field_at(value object, uint32_t symbol, uint32_t *site);
value tiny_set_field_at(value object, uint32_t symbol, value v, uint32_t *site);
/* An instance of the shape's class, with empty slots. */
value tiny_instance_new(uint32_t shape);

/* Objects of instructions. */
value tiny_class_make(uint32_t name, value super, uint32_t inline_slots); /* super: a class or nil */
value tiny_class_method(value class, uint32_t symbol, value method);

/* Gives objects of a kind the methods of a class. */
void tiny_extend_kind(enum tiny_kind kind, value class);
/* Stores a method by its number. */
void tiny_store_method(uint32_t number, value method);

/* The next step of an iteration: false at the end. */
bool tiny_each(value collection, long *position, value *key, value *v);

/* Throws an error object with a message; returns TINY_THROWN. */
value tiny_throw(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Throws an error of a source. */
value tiny_throw_syntax(const struct tiny_source *source, uint32_t line, uint32_t column, const char *text);
/* Throws any value. */
value tiny_throw_value(value v);
/* The frame of a function at word `at` ends by the exception, or catches it: notes the position of the first frame, and
 * the backtrace. */
void tiny_note_frame(const struct tiny_function *function, uint32_t at);

/* Notes a frame that the exception skips. Native code. */
void tiny_note_skipped(const struct tiny_function *function, uint32_t at);

/* After an exception in native code: the exception, which counts as caught. */
value tiny_catch(void);

/* Makes a program of this thread, with the library; `words` become the array args. False after an exception. */
bool tiny_begin(int count, char *const *words);
/* Ends the program of this thread: frees the tables, and forgets all objects. */
void tiny_end(void);
void tiny_strings_end(void);
void tiny_fields_end(void);
/* The closure of a function without captures. */
value tiny_closure_of_function(uint32_t function);
/* Gives each global of the tables its word. */
void tiny_make_globals(void);
/* Compiles and runs a module; its result is the value of its last statement, if that is an expression. Errors of the
 * source are exceptions. Module 0 is the library; tiny_module() makes others. */
value tiny_run(const char *name, const char *text, size_t length, uint32_t module);
/* Prints the exception, which counts as caught then, with place, excerpt and backtrace. */
void tiny_report(FILE *file);
/* The message of an object of class Error; false for other values. */
bool tiny_error_message(value v, value *message);
/* The address below which the stack counts as exhausted. */
extern _Thread_local char *tiny_stack_limit;
value tiny_throw_stack_overflow(void);

/* The library. */
void tiny_define_native(const char *name, unsigned minimum, unsigned maximum, tiny_native_function *run);
void tiny_define_method(enum tiny_kind kind, const char *name, unsigned minimum, unsigned maximum,
                        tiny_native_function *run);
void tiny_define_value(const char *name, value v);

#endif
