/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures, compares and searches managed memory for <cairn/string.h>, by the functions of the C library. Objects stay
 * in place during these leaves, so each leaf covers at most the number of bytes that its caller gives, and callers poll
 * between two leaves. On mutators' threads, in phase MUTATE; without state and without locks.
 */
#include <limits.h>
#include <string.h>
#include "base/check.h"

enum { FIRST_PIECE_BYTES = 64, UNFINISHED = 1 << 30 };
_Static_assert(UNFINISHED > UCHAR_MAX, "the C library's results are differences of bytes");

#pragma GCC visibility push(default)
size_t cairn_leaf_strnlen(const char *text, size_t limit);
int cairn_leaf_strcmp(const char *a, const char *b, size_t limit);
int cairn_leaf_strcmp_native(const char *a, const char *b, size_t limit);
int cairn_leaf_memcmp(const void *a, const void *b, size_t bytes);
int cairn_leaf_memcmp_native(const void *a, const void *b, size_t bytes);
size_t cairn_leaf_memchr(const void *memory, int c, size_t bytes);
size_t cairn_leaf_strchr(const char *text, int c, size_t limit);
size_t cairn_leaf_memmem(const void *memory, size_t bytes, const void *part, size_t part_bytes);
size_t cairn_leaf_memmem_native(const void *memory, size_t bytes, const void *part, size_t part_bytes);
#pragma GCC visibility pop

size_t cairn_leaf_strnlen(const char *text, size_t limit)
{
  return strnlen(text, limit);
}

/* UNFINISHED if the texts are equal for `limit` bytes, and go on. */
int cairn_leaf_strcmp(const char *a, const char *b, size_t limit)
{
  int order = strncmp(a, b, limit);

  CN_ASSERT(order < UNFINISHED);
  return order != 0 || strnlen(a, limit) < limit ? order : UNFINISHED;
}

int cairn_leaf_memcmp(const void *a, const void *b, size_t bytes)
{
  return memcmp(a, b, bytes);
}

/* The index of the byte; `bytes` if there is no such byte. */
size_t cairn_leaf_memchr(const void *memory, int c, size_t bytes)
{
  const char *found = memchr(memory, c, bytes);

  return found ? (size_t)(found - (const char *)memory) : bytes;
}

/* The index of the first byte `c` or of the text's end; `limit` if the first `limit` bytes have neither. The pieces
 * grow, so that the end of a long text is not searched for a byte at its start. */
size_t cairn_leaf_strchr(const char *text, int c, size_t limit)
{
  size_t at = 0;

  for (size_t piece = FIRST_PIECE_BYTES; at < limit; piece *= 2) {
    size_t wanted = piece < limit - at ? piece : limit - at, length = strnlen(text + at, wanted);
    size_t found = cairn_leaf_memchr(text + at, c, length);
    at += found;
    if (found < wanted)
      return at;
  }
  CN_ASSERT(at == limit);
  return limit;
}

/* The index of the first occurrence of the part; `bytes` if there is no occurrence. */
size_t cairn_leaf_memmem(const void *memory, size_t bytes, const void *part, size_t part_bytes)
{
  const char *found = memmem(memory, bytes, part, part_bytes);

  return found ? (size_t)(found - (const char *)memory) : bytes;
}

/* Like the functions without _native, for a second argument in ordinary memory: in IR, the types differ. */
int cairn_leaf_strcmp_native(const char *a, const char *b, size_t limit)
{
  return cairn_leaf_strcmp(a, b, limit);
}

int cairn_leaf_memcmp_native(const void *a, const void *b, size_t bytes)
{
  return cairn_leaf_memcmp(a, b, bytes);
}

size_t cairn_leaf_memmem_native(const void *memory, size_t bytes, const void *part, size_t part_bytes)
{
  return cairn_leaf_memmem(memory, bytes, part, part_bytes);
}
