/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: text. A managed text is an array of char that ends in a zero, so C's own idioms work:
 *
 *   #include <cairn/string.h>
 *
 *   char managed *name = cairn_text(argv[1]);                 from ordinary memory
 *   if (strcmp(name, "if") == 0 || strchr(name, ':'))         the names of <string.h>
 *     name = cairn_format("%s, %d bytes", name, (int)strlen(name));
 *   puts(name);
 *
 * The functions of <string.h> that only read and return a number, such as strlen and strcmp, take managed memory, mixed
 * with ordinary memory, and so do memcpy, memmove and memset. This header overloads memchr, strchr, strrchr, strstr,
 * fputs and puts for managed memory, with the names, arguments and results of the C library; the second argument of
 * strstr may also be ordinary memory. Arguments may point into an object, and must not be null. The functions poll
 * after every CAIRN_TEXT_PIECE bytes (strstr: or after twice the part), so a long text does not delay a collection, and
 * each function may collect.
 *
 * Functions that return a text return a new one, which the collector reclaims; exhausted memory ends the program. Any
 * thread; threads that share a builder or a stream must take turns.
 *
 * With -DCAIRN_PLAIN the functions of <string.h> are the C library's own.
 */
#ifndef CAIRN_STRING_H
#define CAIRN_STRING_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

enum { CAIRN_TEXT_PIECE = 1 << 14 };

#ifndef CAIRN_PLAIN

/* Functions of the C library, called as leaves on references. A call of memchr for more bytes than a piece polls.
 * cairn_text_find_(): the index of a byte, `limit` if the text is longer, and more if the text ends before. */
cairn_leaf void cairn_managed *cairn_memchr_(const void cairn_managed *memory, int c,
                                             size_t bytes) __asm__("cairn.libc.memchr");
cairn_leaf size_t cairn_text_find_(const char cairn_managed *text, int c,
                                   size_t limit) __asm__("cairn.libc.cairn_text_find");
cairn_leaf char cairn_managed *cairn_memmem_(const char cairn_managed *memory, size_t bytes,
                                             const char cairn_managed *part,
                                             size_t part_bytes) __asm__("cairn.libc.memmem");
cairn_leaf char cairn_managed *cairn_memmem_native_(const char cairn_managed *memory, size_t bytes, const char *part,
                                                    size_t part_bytes) __asm__("cairn.libc1.memmem");

#define CAIRN_OVERLOAD_ static inline __attribute__((overloadable))

/* Like strnlen(), which is not in ISO C. */
static inline size_t cairn_strnlen(const char cairn_managed *text, size_t limit)
{
  const char cairn_managed *end = (const char cairn_managed *)cairn_memchr_(text, 0, limit);

  return end ? (size_t)(end - text) : limit;
}

CAIRN_OVERLOAD_ void cairn_managed *memchr(const void cairn_managed *memory, int c, size_t bytes)
{
  return cairn_memchr_(memory, c, bytes);
}

static __attribute__((noinline, unused)) char cairn_managed *cairn_strchr_long_(const char cairn_managed *text, int c)
{
  for (;; text += CAIRN_TEXT_PIECE) {
    size_t at = cairn_text_find_(text, c, CAIRN_TEXT_PIECE);
    if (at != CAIRN_TEXT_PIECE)
      return at < CAIRN_TEXT_PIECE ? (char cairn_managed *)text + at : NULL;
  }
}

CAIRN_OVERLOAD_ char cairn_managed *strchr(const char cairn_managed *text, int c)
{
  size_t at = cairn_text_find_(text, c, CAIRN_TEXT_PIECE);

  if (__builtin_expect(at == CAIRN_TEXT_PIECE, 0))
    return cairn_strchr_long_(text + at, c);
  return at < CAIRN_TEXT_PIECE ? (char cairn_managed *)text + at : NULL;
}

CAIRN_OVERLOAD_ char cairn_managed *strrchr(const char cairn_managed *text, int c)
{
  char cairn_managed *last = NULL;

  if ((char)c == 0)
    return strchr(text, 0);
  while ((text = strchr(text, c)) != NULL)
    last = (char cairn_managed *)text++;
  return last;
}

/* The windows of the text grow, and overlap by all bytes of the part except one. */
#define CAIRN_SEARCH_(qualifier, suffix) \
  CAIRN_OVERLOAD_ char cairn_managed *strstr(const char cairn_managed *text, const char qualifier *part) \
  { \
    size_t bytes = strlen(part), window = 2 * bytes + 256; \
    for (;;) { \
      size_t length = cairn_strnlen(text, window); \
      char cairn_managed *found = cairn_memmem##suffix##_(text, length, part, bytes); \
      if (found || length < window) \
        return found; \
      text += length - bytes + 1; \
      window = window < CAIRN_TEXT_PIECE ? 2 * window : window; \
    } \
  }
CAIRN_SEARCH_(cairn_managed, )
CAIRN_SEARCH_(, _native)

#endif

/* ---- new texts ---- */

/* A new text of `length` bytes, which the caller fills at once; the zero at its end is there. */
static inline char cairn_managed *cairn_text_uninit(size_t length)
{
  char cairn_managed *text = cairn_new_array_uninit(char, length + 1);

  text[length] = 0;
  return text;
}

/* cairn_text_in(): a text of `length` bytes from ordinary memory, zeros included. cairn_text(): the whole string, like
 * strdup(). cairn_text_out(): the opposite, a string in ordinary memory that the caller frees with free(); null if
 * memory is exhausted. cairn_copy_out() copies to the caller's own memory. */
static inline char cairn_managed *cairn_text_in(const char *bytes, size_t length)
{
  char cairn_managed *text = cairn_text_uninit(length);

  cairn_copy_in(text, bytes, length);
  return text;
}

static inline char cairn_managed *cairn_text(const char *string)
{
  return cairn_text_in(string, strlen(string));
}

static inline char *cairn_text_out(const char cairn_managed *text)
{
  size_t bytes = strlen(text) + 1;
  char *copy = (char *)malloc(bytes);

  if (copy)
    cairn_copy_out(copy, text, bytes);
  return copy;
}

/* cairn_slice(): a copy of `length` bytes from `text` on, like strndup(). The text must have these bytes.
 * cairn_concat(): `a` and after it `b`. */
static inline char cairn_managed *cairn_slice(const char cairn_managed *text, size_t length)
{
  char cairn_managed *slice = cairn_text_uninit(length);

  cairn_copy(slice, text, length);
  return slice;
}

static inline char cairn_managed *cairn_concat(const char cairn_managed *a, const char cairn_managed *b)
{
  size_t first = strlen(a), second = strlen(b);
  char cairn_managed *text = cairn_text_uninit(first + second);

  cairn_copy(text, a, first);
  cairn_copy(text + first, b, second);
  return text;
}

/* cairn_literal("..."): the text of a string literal as a static object, type `const char managed *`; a constant
 * address, within functions. At file scope declare the text: static const char managed name[] = "...";. Each place in
 * the source has its own text. */
#ifdef CAIRN_PLAIN
#define cairn_literal(literal) \
  __extension__({ \
    static const char *cairn_literal_; \
    const char *cairn_text_ = __atomic_load_n(&cairn_literal_, __ATOMIC_ACQUIRE); \
    if (__builtin_expect(!cairn_text_, 0)) { \
      cairn_text_ = cairn_text_in("" literal, sizeof("" literal) - 1); \
      __atomic_store_n(&cairn_literal_, cairn_text_, __ATOMIC_RELEASE); \
    } \
    cairn_text_; \
  })
#else
#define cairn_literal(literal) \
  __extension__({ \
    static const char cairn_managed cairn_literal_[] = "" literal; \
    (const char cairn_managed *)cairn_literal_; \
  })
#endif

/* cairn_token(text, &at, separators): the next part of `text` from index `at` on that has no byte of the string
 * `separators`, like strtok_r(), but `text` stays as it is; null if there is no further part. `at` begins at 0, and is
 * then the index after the part:
 *   size_t at = 0;
 *   for (char managed *word; (word = cairn_token(line, &at, " \t"));) ... */
static inline char cairn_managed *cairn_token(const char cairn_managed *text, size_t *at, const char *separators)
{
  _Bool separates[UCHAR_MAX + 1] = {0};
  size_t from = *at;

  for (; *separators; separators++)
    separates[(unsigned char)*separators] = 1;
  while (separates[(unsigned char)text[from]])
    from++;
  *at = from;
  while (text[*at] && !separates[(unsigned char)text[*at]])
    ++*at;
  return *at == from ? NULL : cairn_slice(text + from, *at - from);
}

/* ---- a text that grows ---- */

/* The bytes so far, in an array that doubles; `bytes` is null while it is empty. */
struct cairn_builder {
  char cairn_managed *bytes;
  size_t length;
};

/* A new, empty builder. cairn_new(struct cairn_builder) makes one, too, and so does a zeroed member of a struct. */
static inline struct cairn_builder cairn_managed *cairn_builder_new(void)
{
  return cairn_new(struct cairn_builder);
}

/* Makes room for `more` bytes and a zero. */
static inline void cairn_builder_reserve(struct cairn_builder cairn_managed *builder, size_t more)
{
  size_t room = builder->bytes ? (size_t)cairn_length(builder->bytes) : 0, needed = builder->length + more + 1;

  if (needed > room)
    builder->bytes = cairn_resize_array_uninit(builder->bytes, needed > 2 * room ? needed + 16 : 2 * room);
}

/* Append a byte, bytes of ordinary memory, bytes of managed memory, a text. */
static inline void cairn_append_char(struct cairn_builder cairn_managed *builder, char c)
{
  cairn_builder_reserve(builder, 1);
  builder->bytes[builder->length++] = c;
}

static inline void cairn_append_in(struct cairn_builder cairn_managed *builder, const char *bytes, size_t length)
{
  cairn_builder_reserve(builder, length);
  cairn_copy_in(builder->bytes + builder->length, bytes, length);
  builder->length += length;
}

static inline void cairn_append_bytes(struct cairn_builder cairn_managed *builder, const char cairn_managed *bytes,
                                      size_t length)
{
  cairn_builder_reserve(builder, length);
  cairn_copy(builder->bytes + builder->length, bytes, length);
  builder->length += length;
}

static inline void cairn_append(struct cairn_builder cairn_managed *builder, const char cairn_managed *text)
{
  cairn_append_bytes(builder, text, strlen(text));
}

/* The text of the builder, which is then empty: its array, cut to the length, and not a copy. */
static inline char cairn_managed *cairn_builder_text(struct cairn_builder cairn_managed *builder)
{
  cairn_builder_reserve(builder, 0);
  char cairn_managed *text = cairn_resize_array_uninit(builder->bytes, builder->length + 1);
  text[builder->length] = 0;
  builder->bytes = NULL;
  builder->length = 0;
  return text;
}

/* ---- lines and files ---- */

/* The next line of the stream without its '\n', like getline(); null at the end of the file or after an error
 * (ferror()). */
static inline char cairn_managed *cairn_read_line(FILE *stream)
{
  struct cairn_builder cairn_managed *line = cairn_builder_new();
  char piece[256];

  for (_Bool first = 1;; first = 0) {
    memset(piece, '\n', sizeof piece); /* fgets() does not tell the length, and a line may have zeros */
    if (!fgets(piece, sizeof piece, stream)) {
      if (first || ferror(stream))
        return NULL;
      break;
    }
    const char *newline = (const char *)memchr(piece, '\n', sizeof piece);
    _Bool whole = newline && newline + 1 < piece + sizeof piece && newline[1] == 0;
    /* A '\n' of memset() follows the zero of fgets(); without any '\n' this zero is the last byte. */
    size_t length = newline ? (size_t)(newline - piece) - !whole : sizeof piece - 1;
    cairn_append_in(line, piece, length);
    if (newline)
      break;
  }
  return cairn_builder_text(line);
}

/* The rest of the stream; null after an error, as ferror() tells. cairn_length(text) - 1 is the number of bytes, zeros
 * included. */
static inline char cairn_managed *cairn_read_all(FILE *stream)
{
  struct cairn_builder cairn_managed *all = cairn_builder_new();
  char piece[4096];
  size_t length;

  while ((length = fread(piece, 1, sizeof piece, stream)) != 0)
    cairn_append_in(all, piece, length);
  return ferror(stream) ? NULL : cairn_builder_text(all);
}

#ifndef CAIRN_PLAIN

/* Like the C library's fputs() and puts(), for a managed text. */
CAIRN_OVERLOAD_ int fputs(const char cairn_managed *text, FILE *stream)
{
  char piece[512];

  for (size_t length; (length = cairn_strnlen(text, sizeof piece)) != 0; text += length) {
    cairn_copy_out(piece, text, length);
    if (fwrite(piece, 1, length, stream) != length)
      return EOF;
  }
  return 0;
}

CAIRN_OVERLOAD_ int puts(const char cairn_managed *text)
{
  return fputs(text, stdout) == EOF ? EOF : putchar('\n');
}

#endif

#include <cairn/format.h>

#endif
