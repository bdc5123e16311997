/* SPDX-License-Identifier: Apache-2.0
 *
 * Escapes text for HTML: all text of the page passes cn_html_put(), except literals of its writers. Holds
 * no state.
 */
#include "driver/explain/html.h"

#include <stdarg.h>
#include <string.h>
#include "base/check.h"
#include "base/utf8.h"

static const char *entity_of(unsigned char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

/* True for control characters, which HTML excludes, and for U+FFFE and U+FFFF. */
static bool is_excluded(const unsigned char *c, unsigned length)
{
  if (length == 1)
    return (*c < 0x20 && *c != '\t' && *c != '\n') || *c == 0x7f;
  if (length == 2)
    return c[0] == 0xc2 && c[1] < 0xa0;
  return length == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe;
}

void cn_html_put(FILE *out, struct cn_text text)
{
  const unsigned char *c = (const unsigned char *)text.at, *end = c + text.size;

  while (c < end) {
    unsigned length = cn_utf8_sequence_length(c, (size_t)(end - c));
    const char *entity = entity_of(*c);
    if (length == 0 || is_excluded(c, length))
      fputs("\xef\xbf\xbd", out);
    else if (entity)
      fputs(entity, out);
    else
      fwrite(c, 1, length, out);
    c += length ? length : 1;
  }
}

void cn_html_put_string(FILE *out, const char *string)
{
  cn_html_put(out, cn_text_of(string));
}

void cn_html_format(FILE *out, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  for (; *format; format++) {
    if (*format != '%') {
      fputc(*format, out);
      continue;
    }
    format++;
    CN_CHECK(*format && strchr("suz%", *format));
    if (*format == 's')
      cn_html_put_string(out, va_arg(args, const char *));
    else if (*format == 'u')
      fprintf(out, "%u", va_arg(args, unsigned));
    else if (*format == 'z')
      fprintf(out, "%zu", va_arg(args, size_t));
    else
      fputc('%', out);
  }
  va_end(args);
}
