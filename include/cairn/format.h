/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: formatted text, a part of <cairn/string.h>, which includes this header.
 *
 *   char managed *line = cairn_format("%-8s %5.2f %s\n", name, price, unit);
 *   cairn_append_format(builder, "%d,", number);
 *
 * cairn_format(format, ...): a new text. cairn_append_format(builder, format, ...): appends to a builder. `format` is a
 * string as for printf(), in ordinary memory; at most 16 arguments follow. %s takes a managed text as well as a string;
 * a null argument of %s is "(null)". Conversions of numbers are those of the C library and its locale. The functions
 * refuse %n, %ls, %lc, long double and the positions of `%1$s`.
 *
 * The arguments of a variadic function cannot be references. So each macro gives its arguments in an array, each with
 * its kind. An argument whose type does not fit its conversion, too few arguments and an unknown conversion end the
 * program, with one line on stderr and exit status 1. Too many arguments are harmless.
 *
 * With -DCAIRN_PLAIN the C library formats, by vsnprintf().
 */
#ifndef CAIRN_FORMAT_H
#define CAIRN_FORMAT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/string.h>

static inline __attribute__((cold, noreturn)) void cairn_format_fail(const char *format, const char *why)
{
  fprintf(stderr, "cairn: the format \"%s\": %s\n", format, why);
  exit(1);
}

#ifdef CAIRN_PLAIN

__attribute__((format(printf, 2, 3))) static inline void cairn_append_format(struct cairn_builder *builder,
                                                                             const char *format, ...)
{
  va_list list, again;

  va_start(list, format);
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, list);
  if (length < 0)
    cairn_format_fail(format, "the C library refuses it");
  cairn_builder_reserve(builder, (size_t)length);
  vsnprintf(builder->bytes + builder->length, (size_t)length + 1, format, again);
  builder->length += (size_t)length;
  va_end(again);
  va_end(list);
}

#define cairn_format(...) \
  __extension__({ \
    struct cairn_builder *cairn_formatted_ = cairn_builder_new(); \
    cairn_append_format(cairn_formatted_, __VA_ARGS__); \
    cairn_builder_text(cairn_formatted_); \
  })

#else

#define cairn_append_format(builder, ...) \
  cairn_append_arguments_(builder, CAIRN_COUNT_(__VA_ARGS__), (struct cairn_argument[]){CAIRN_EACH_(__VA_ARGS__)})
#define cairn_format(...) \
  cairn_format_arguments_(CAIRN_COUNT_(__VA_ARGS__), (struct cairn_argument[]){CAIRN_EACH_(__VA_ARGS__)})

/* ---- implementation ---- */

enum cairn_argument_kind {
  CAIRN_ARGUMENT_REFUSED,
  CAIRN_ARGUMENT_INTEGER,
  CAIRN_ARGUMENT_NUMBER,
  CAIRN_ARGUMENT_POINTER,
  CAIRN_ARGUMENT_TEXT
};

struct cairn_argument {
  enum cairn_argument_kind kind;
  long long integer;
  double number;
  const void *pointer; /* a string, for %s */
  const char cairn_managed *text;
};

static inline struct cairn_argument cairn_argument_integer_(long long integer)
{
  return (struct cairn_argument){.kind = CAIRN_ARGUMENT_INTEGER, .integer = integer};
}

static inline struct cairn_argument cairn_argument_number_(double number)
{
  return (struct cairn_argument){.kind = CAIRN_ARGUMENT_NUMBER, .number = number};
}

static inline struct cairn_argument cairn_argument_pointer_(const void *pointer)
{
  return (struct cairn_argument){.kind = CAIRN_ARGUMENT_POINTER, .pointer = pointer};
}

static inline struct cairn_argument cairn_argument_text_(const char cairn_managed *text)
{
  return (struct cairn_argument){.kind = CAIRN_ARGUMENT_TEXT, .text = text};
}

/* Fits no conversion. */
static inline struct cairn_argument cairn_argument_long_double_(long double number)
{
  (void)number;
  return (struct cairn_argument){.kind = CAIRN_ARGUMENT_REFUSED};
}

#define CAIRN_ARGUMENT_(argument) \
  _Generic((argument), \
      const char cairn_managed *: cairn_argument_text_, \
      char cairn_managed *: cairn_argument_text_, \
      const char *: cairn_argument_pointer_, \
      char *: cairn_argument_pointer_, \
      const void *: cairn_argument_pointer_, \
      void *: cairn_argument_pointer_, \
      float: cairn_argument_number_, \
      double: cairn_argument_number_, \
      long double: cairn_argument_long_double_, \
      default: cairn_argument_integer_)(argument)

#define CAIRN_COUNT_(...) CAIRN_COUNTED_(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CAIRN_COUNTED_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, count, ...) count
#define CAIRN_EACH_(...) CAIRN_FORMAT_JOIN_(CAIRN_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define CAIRN_FORMAT_JOIN_(count) CAIRN_FORMAT_JOINED_(count)
#define CAIRN_FORMAT_JOINED_(count) CAIRN_EACH_##count##_
#define CAIRN_EACH_1_(a) CAIRN_ARGUMENT_(a)
#define CAIRN_EACH_2_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_1_(__VA_ARGS__)
#define CAIRN_EACH_3_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_2_(__VA_ARGS__)
#define CAIRN_EACH_4_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_3_(__VA_ARGS__)
#define CAIRN_EACH_5_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_4_(__VA_ARGS__)
#define CAIRN_EACH_6_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_5_(__VA_ARGS__)
#define CAIRN_EACH_7_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_6_(__VA_ARGS__)
#define CAIRN_EACH_8_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_7_(__VA_ARGS__)
#define CAIRN_EACH_9_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_8_(__VA_ARGS__)
#define CAIRN_EACH_10_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_9_(__VA_ARGS__)
#define CAIRN_EACH_11_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_10_(__VA_ARGS__)
#define CAIRN_EACH_12_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_11_(__VA_ARGS__)
#define CAIRN_EACH_13_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_12_(__VA_ARGS__)
#define CAIRN_EACH_14_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_13_(__VA_ARGS__)
#define CAIRN_EACH_15_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_14_(__VA_ARGS__)
#define CAIRN_EACH_16_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_15_(__VA_ARGS__)
#define CAIRN_EACH_17_(a, ...) CAIRN_ARGUMENT_(a), CAIRN_EACH_16_(__VA_ARGS__)

/* The format and its arguments; the first argument is the format itself. */
struct cairn_argument_list {
  const char *format;
  const struct cairn_argument *at;
  size_t count, next;
};

/* One conversion: "%-8.3ld" has the flags "-", the width 8, the precision 3, 64 bits and the type 'd'. */
struct cairn_conversion {
  char flags[8];
  int width, precision; /* precision: -1 if there is none */
  unsigned bits;
  char type;
};

static inline const struct cairn_argument *cairn_argument_next_(struct cairn_argument_list *list,
                                                                enum cairn_argument_kind kind)
{
  if (list->next == list->count)
    cairn_format_fail(list->format, "too few arguments");
  const struct cairn_argument *argument = &list->at[list->next++];
  if (argument->kind != kind && !(kind == CAIRN_ARGUMENT_TEXT && argument->kind == CAIRN_ARGUMENT_POINTER))
    cairn_format_fail(list->format, "an argument has another type than its conversion");
  return argument;
}

static inline int cairn_conversion_number_(const char **at, struct cairn_argument_list *list)
{
  int number = 0;

  if (**at == '*') {
    ++*at;
    return (int)cairn_argument_next_(list, CAIRN_ARGUMENT_INTEGER)->integer;
  }
  for (; **at >= '0' && **at <= '9' && number < 100000000; ++*at)
    number = 10 * number + (**at - '0');
  return number;
}

static inline unsigned cairn_conversion_bits_(const char **at)
{
  unsigned bits = 32;

  for (; **at == 'h' && bits > 8; ++*at)
    bits /= 2;
  for (; **at && strchr("lqjzt", **at); ++*at)
    bits = 64;
  return bits;
}

/* Reads the conversion after a '%' at `at`; returns its end. */
static inline const char *cairn_conversion_read_(struct cairn_conversion *c, const char *at,
                                                 struct cairn_argument_list *list)
{
  size_t flags = 0;

  *c = (struct cairn_conversion){.precision = -1};
  for (at++; *at && strchr("-+ #0", *at); at++)
    if (!strchr(c->flags, *at))
      c->flags[flags++] = *at;
  c->width = cairn_conversion_number_(&at, list);
  if (c->width < 0 && !strchr(c->flags, '-'))
    c->flags[flags] = '-';
  c->width = abs(c->width);
  if (*at == '.') {
    at++;
    c->precision = cairn_conversion_number_(&at, list);
  }
  c->bits = cairn_conversion_bits_(&at);
  c->type = *at;
  return c->type ? at + 1 : at;
}

static inline int cairn_print_number_(char *to, size_t size, const struct cairn_conversion *c,
                                      const struct cairn_argument *argument)
{
  unsigned long long mask = ~0ull >> (64 - c->bits), value = (unsigned long long)argument->integer & mask;
  char spec[24];

  if (argument->kind == CAIRN_ARGUMENT_NUMBER) {
    snprintf(spec, sizeof spec, "%%%s*.*%c", c->flags, c->type);
    return snprintf(to, size, spec, c->width, c->precision, argument->number);
  }
  snprintf(spec, sizeof spec, "%%%s*.*ll%c", c->flags, c->type);
  if ((c->type == 'd' || c->type == 'i') && (value & (mask / 2 + 1)) != 0)
    value |= ~mask;
  return snprintf(to, size, spec, c->width, c->precision, value);
}

static inline void cairn_append_number_(struct cairn_builder cairn_managed *builder, const struct cairn_conversion *c,
                                        const struct cairn_argument *argument)
{
  char small[128], *text = small;
  int length = cairn_print_number_(small, sizeof small, c, argument);

  if (length >= (int)sizeof small && (text = (char *)malloc((size_t)length + 1)) != NULL)
    length = cairn_print_number_(text, (size_t)length + 1, c, argument);
  if (!text || length < 0)
    cairn_format_fail(c->flags, "the C library refuses it");
  cairn_append_in(builder, text, (size_t)length);
  if (text != small)
    free(text);
}

/* Appends `length` bytes of `string`, or of `text` if that is null, in the conversion's width. */
static inline void cairn_append_field_(struct cairn_builder cairn_managed *builder, const struct cairn_conversion *c,
                                       const char *string, const char cairn_managed *text, size_t length)
{
  _Bool left = strchr(c->flags, '-') != NULL;
  size_t blanks = (size_t)c->width > length ? (size_t)c->width - length : 0;

  for (size_t i = 0; i < blanks && !left; i++)
    cairn_append_char(builder, ' ');
  if (string)
    cairn_append_in(builder, string, length);
  else
    cairn_append_bytes(builder, text, length);
  for (size_t i = 0; i < blanks && left; i++)
    cairn_append_char(builder, ' ');
}

static inline void cairn_append_string_(struct cairn_builder cairn_managed *builder, const struct cairn_conversion *c,
                                        const struct cairn_argument *argument)
{
  size_t limit = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;
  const char *string = "(null)";

  if (argument->kind == CAIRN_ARGUMENT_TEXT && argument->text) {
    cairn_append_field_(builder, c, NULL, argument->text, cairn_strnlen(argument->text, limit));
    return;
  }
  if (argument->kind == CAIRN_ARGUMENT_POINTER && argument->pointer)
    string = (const char *)argument->pointer;
  const char *end = (const char *)memchr(string, 0, limit);
  cairn_append_field_(builder, c, string, NULL, end ? (size_t)(end - string) : limit);
}

static inline void cairn_append_conversion_(struct cairn_builder cairn_managed *builder,
                                            const struct cairn_conversion *c, struct cairn_argument_list *list)
{
  char small[32];

  if (c->type == '%') {
    cairn_append_char(builder, '%');
  } else if (c->type == 's' && c->bits == 32) {
    cairn_append_string_(builder, c, cairn_argument_next_(list, CAIRN_ARGUMENT_TEXT));
  } else if (c->type == 'c' && c->bits == 32) {
    small[0] = (char)cairn_argument_next_(list, CAIRN_ARGUMENT_INTEGER)->integer;
    cairn_append_field_(builder, c, small, NULL, 1);
  } else if (c->type && strchr("diouxX", c->type)) {
    cairn_append_number_(builder, c, cairn_argument_next_(list, CAIRN_ARGUMENT_INTEGER));
  } else if (c->type && strchr("aAeEfFgG", c->type)) {
    cairn_append_number_(builder, c, cairn_argument_next_(list, CAIRN_ARGUMENT_NUMBER));
  } else if (c->type == 'p') {
    int length = snprintf(small, sizeof small, "%p", cairn_argument_next_(list, CAIRN_ARGUMENT_POINTER)->pointer);
    cairn_append_field_(builder, c, small, NULL, (size_t)length);
  } else {
    cairn_format_fail(list->format, "an unknown conversion");
  }
}

static inline void cairn_append_arguments_(struct cairn_builder cairn_managed *builder, size_t count,
                                           const struct cairn_argument *arguments)
{
  const char *at = (const char *)arguments[0].pointer;
  struct cairn_argument_list list = {.format = at, .at = arguments, .count = count, .next = 1};
  struct cairn_conversion conversion;

  while (*at) {
    size_t plain = strcspn(at, "%");
    cairn_append_in(builder, at, plain);
    at += plain;
    if (*at) {
      at = cairn_conversion_read_(&conversion, at, &list);
      cairn_append_conversion_(builder, &conversion, &list);
    }
  }
}

static inline char cairn_managed *cairn_format_arguments_(size_t count, const struct cairn_argument *arguments)
{
  struct cairn_builder cairn_managed *builder = cairn_builder_new();

  cairn_append_arguments_(builder, count, arguments);
  return cairn_builder_text(builder);
}

#endif

#endif
