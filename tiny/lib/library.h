/* SPDX-License-Identifier: Apache-2.0
 *
 * The standard library of tiny, which docs/tiny.md documents function by function. Each file of tiny/lib defines the
 * names of one subject by its function tiny_library_SUBJECT(); prelude.tiny has the functions that are written in tiny.
 * Only functions in tiny call functions of the program. Managed C; the state is the thread's program.
 */
#ifndef TINY_LIBRARY_H
#define TINY_LIBRARY_H

#include "tiny/core/object.h"

/* A function of the library (tiny_native_function), which need not use its arguments. */
#define NATIVE(name) static value name(value *arguments __attribute__((unused)), unsigned count __attribute__((unused)))

/* The sources of the library in tiny, by the name that import takes; the last row has a null name. */
struct tiny_library_source {
  const char *name, *text;
  size_t length;
};
extern const struct tiny_library_source tiny_library_sources[];

/* Defines all names in the thread's program. `words` become the array args. False after an exception of prelude.tiny,
 * which is an error of the library. */
bool tiny_library(int count, char *const *words);

void tiny_library_core(void);
void tiny_library_math(void);
void tiny_library_strings(void);
void tiny_library_builders(void);
void tiny_library_arrays(void);
void tiny_library_maps(void);
void tiny_library_files(void);

/* Throws: the function `name` expected something else. Returns TINY_THROWN. */
value tiny_expected(const char *name, const char *expected, value got);

/* The name of a value's type, as type() returns it. */
const char *tiny_type_name(value v);

/* The number in a value; false, with an exception, for a value of another type. */
bool tiny_take_integer(const char *name, value v, long *integer);
bool tiny_take_float(const char *name, value v, double *number);

/* A range within 0 to `length` from the optional arguments `from` and `to`; false with an exception. Numbers outside
 * mean the nearer end. */
bool tiny_take_range(const char *name, value *arguments, unsigned count, long length, long *from, long *to);

/* True for integers and floats. */
bool tiny_is_number(value v);

/* The number of an integer or float. */
double tiny_as_float(value v);

#endif
