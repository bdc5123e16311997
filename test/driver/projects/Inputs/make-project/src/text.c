#include "text.h"
#include <ctype.h>

/* The next word of `in`; null at the end. */
struct text managed *text_read(FILE *in)
{
  char buffer[64];
  long length = 0;
  int c;

  while ((c = getc(in)) != EOF && !isalpha(c)) {
  }
  for (; c != EOF && isalpha(c) && length < (long)sizeof buffer; c = getc(in))
    buffer[length++] = (char)tolower(c);
  if (length == 0)
    return NULL;
  struct text managed *text = cairn_new_flex(struct text, length);
  text->length = length;
  for (long i = 0; i < length; i++)
    text->bytes[i] = buffer[i];
  return text;
}

int text_equal(struct text managed *a, struct text managed *b)
{
  if (a->length != b->length)
    return 0;
  for (long i = 0; i < a->length; i++)
    if (a->bytes[i] != b->bytes[i])
      return 0;
  return 1;
}

unsigned long text_hash(struct text managed *text)
{
  unsigned long hash = 14695981039346656037u;

  for (long i = 0; i < text->length; i++)
    hash = (hash ^ (unsigned char)text->bytes[i]) * 1099511628211u;
  return hash;
}

void text_write(struct text managed *text, FILE *out)
{
  for (long i = 0; i < text->length; i++)
    putc(text->bytes[i], out);
}
