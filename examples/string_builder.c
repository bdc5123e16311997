/* SPDX-License-Identifier: Apache-2.0
 *
 * A string builder: a managed buffer that doubles as it fills, and immutable strings made from it.
 *
 *   string_builder [lines]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct string {
  long length;
  char bytes[];
};

struct builder {
  char managed *bytes;
  long length, capacity;
};

static struct builder managed *builder_new(void)
{
  struct builder managed *builder = cairn_new(struct builder);

  builder->capacity = 4;
  builder->bytes = cairn_new_array(char, builder->capacity);
  return builder;
}

static void add_char(struct builder managed *builder, char c)
{
  if (builder->length == builder->capacity) {
    char managed *wider = cairn_new_array(char, builder->capacity * 2);
    for (long i = 0; i < builder->length; i++)
      wider[i] = builder->bytes[i];
    builder->bytes = wider;
    builder->capacity *= 2;
  }
  builder->bytes[builder->length++] = c;
}

static void add_text(struct builder managed *builder, const char *text)
{
  while (*text)
    add_char(builder, *text++);
}

static void add_number(struct builder managed *builder, long number)
{
  if (number >= 10)
    add_number(builder, number / 10);
  add_char(builder, (char)('0' + number % 10));
}

static struct string managed *finish(struct builder managed *builder)
{
  struct string managed *text = cairn_new_flex(struct string, builder->length, bytes);

  text->length = builder->length;
  for (long i = 0; i < builder->length; i++)
    text->bytes[i] = builder->bytes[i];
  return text;
}

static struct string managed *line(long n)
{
  struct builder managed *builder = builder_new();

  add_text(builder, "line ");
  add_number(builder, n);
  add_text(builder, n % 3 ? " of many" : " of many, and every third is longer");
  return finish(builder);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: string_builder [lines]") < 0;

  long lines = argc > 1 ? atol(argv[1]) : 60000;
  unsigned long checksum = 0;
  struct string managed *longest = line(0);

  for (long n = 1; n <= lines; n++) {
    struct string managed *text = line(n);
    for (long i = 0; i < text->length; i++)
      checksum = checksum * 131 + (unsigned char)text->bytes[i];
    if (text->length > longest->length)
      longest = text;
  }
  printf("%ld lines, checksum %016lx\nlongest: ", lines, checksum);
  for (long i = 0; i < longest->length; i++)
    putchar(longest->bytes[i]);
  putchar('\n');
  return 0;
}
