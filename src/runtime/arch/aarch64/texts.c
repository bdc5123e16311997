/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads managed texts up to a limit, for compiled code (markers/library_calls.c, <cairn/string.h>), which reads longer
 * texts in pieces with polls between them. The functions are leaves: they get the address of a text, which stays in
 * place meanwhile, and keep it nowhere. The C library's functions read by vectors. Any thread, phase MUTATE; no state,
 * no locks.
 */
#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_PIECE_BYTES = 64 };

#pragma GCC visibility push(default)
size_t cairn_text_length(const char *text, size_t limit);
int64_t cairn_text_compare(const char *a, const char *b, size_t limit);
size_t cairn_text_find(const char *text, int c, size_t limit); /* <cairn/string.h> */
#pragma GCC visibility pop

/* The length of the text, or SIZE_MAX if it is longer than `limit` bytes. */
size_t cairn_text_length(const char *text, size_t limit)
{
  const char *end = memchr(text, 0, limit);

  return end != NULL ? (size_t)(end - text) : SIZE_MAX;
}

/* The order of the texts, as of strcmp(), or INT64_MIN if their first `limit` bytes are equal, without the end. */
int64_t cairn_text_compare(const char *a, const char *b, size_t limit)
{
  int order = strncmp(a, b, limit);

  return order != 0 || memchr(a, 0, limit) != NULL ? order : INT64_MIN;
}

/* The index of byte `c`; SIZE_MAX if the text ends before; `limit` if the text is longer than `limit` bytes. The pieces
 * grow, so that the end of a long text is not searched for a byte at its start. */
size_t cairn_text_find(const char *text, int c, size_t limit)
{
  for (size_t at = 0, piece = FIRST_PIECE_BYTES; at < limit; at += piece, piece *= 2) {
    piece = piece < limit - at ? piece : limit - at;
    size_t length = strnlen(text + at, piece);
    const char *found = memchr(text + at, c, length + (length < piece));
    if (found != NULL)
      return (size_t)(found - text);
    if (length < piece)
      return SIZE_MAX;
  }
  return limit;
}
