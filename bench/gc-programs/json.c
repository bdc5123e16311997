/* SPDX-License-Identifier: Apache-2.0
 *
 * A JSON document that is parsed into objects, looked at and dropped: `json THREADS RECORDS
 * ROUNDS`.
 */
#include <string.h>
#include "workload.h"

enum kind { NOTHING, FALSE, TRUE, NUMBER, TEXT, ARRAY, OBJECT };
enum { MOST_BYTES = 200 }; /* of a record */

struct text {
  long length;
  char bytes[];
};

/* `first` leads to what an array or object contains, `next` to what follows in the one round this;
 * `name` is that of a member. */
struct value {
  struct value managed *next, *first;
  struct text managed *name, *text;
  long kind, number;
};

struct reader {
  const char *at;
};

static void skip_space(struct reader *reader)
{
  while (*reader->at == ' ' || *reader->at == '\n')
    reader->at++;
}

static struct text managed *read_text(struct reader *reader)
{
  const char *from = ++reader->at;

  while (*reader->at != '"')
    reader->at++;
  long length = reader->at++ - from;
  struct text managed *text = make_text(struct text, length);
  text->length = length;
  for (long i = 0; i < length; i++)
    text->bytes[i] = from[i];
  return text;
}

static long read_number(struct reader *reader)
{
  long number = 0, sign = 1;

  if (*reader->at == '-') {
    sign = -1;
    reader->at++;
  }
  while (*reader->at >= '0' && *reader->at <= '9')
    number = number * 10 + (*reader->at++ - '0');
  return sign * number;
}

static long read_word(struct reader *reader)
{
  long kind = *reader->at == 't' ? TRUE : *reader->at == 'f' ? FALSE : NOTHING;

  reader->at += kind == FALSE ? 5 : 4;
  return kind;
}

static struct value managed *read_value(struct reader *reader);

/* What is between the brackets. */
static struct value managed *read_all(struct reader *reader, char end, int named)
{
  struct value managed *first = NULL, *last = NULL;

  reader->at++;
  for (skip_space(reader); *reader->at != end; skip_space(reader)) {
    struct text managed *name = NULL;
    if (named) {
      name = read_text(reader);
      reader->at++; /* : */
    }
    struct value managed *value = read_value(reader);
    value->name = name;
    if (last == NULL)
      first = value;
    else
      last->next = value;
    last = value;
    skip_space(reader);
    if (*reader->at == ',')
      reader->at++;
  }
  reader->at++;
  return first;
}

static struct value managed *read_value(struct reader *reader)
{
  struct value managed *value = make(struct value);

  value->next = value->first = NULL;
  value->name = value->text = NULL;
  value->number = 0;
  skip_space(reader);
  if (*reader->at == '{') {
    value->kind = OBJECT;
    value->first = read_all(reader, '}', 1);
  } else if (*reader->at == '[') {
    value->kind = ARRAY;
    value->first = read_all(reader, ']', 0);
  } else if (*reader->at == '"') {
    value->kind = TEXT;
    value->text = read_text(reader);
  } else if (*reader->at == '-' || (*reader->at >= '0' && *reader->at <= '9')) {
    value->kind = NUMBER;
    value->number = read_number(reader);
  } else {
    value->kind = read_word(reader);
  }
  return value;
}

static long look(struct value managed *value)
{
  long sum = 0;

  for (; value != NULL; value = value->next) {
    sum += value->kind + value->number;
    if (value->name != NULL)
      sum += value->name->length;
    if (value->text != NULL)
      sum += value->text->bytes[value->text->length - 1];
    sum += look(value->first);
  }
  return sum;
}

static void drop_all(struct value managed *value)
{
#ifdef __CAIRN__
  (void)value;
#else
  while (value != NULL) {
    struct value *next = value->next;
    drop_all(value->first);
    drop(value->name);
    drop(value->text);
    drop(value);
    value = next;
  }
#endif
}

static char *write_document(long records)
{
  char *document = malloc((size_t)records * MOST_BYTES + 3), *at = document;
  long random = 1;

  *at++ = '[';
  for (long i = 0; i < records; i++) {
    long number = next_random(&random);
    at += sprintf(at,
                  "%s{\"id\": %ld, \"name\": \"name of %ld\", \"tags\": [\"one\", \"tag%ld\", -%ld], "
                  "\"place\": {\"x\": %ld, \"y\": %ld, \"known\": %s}, \"more\": null}",
                  i == 0 ? "" : ",\n", i, number, number % 100, number % 7, number % 640, number % 480,
                  number % 2 == 0 ? "true" : "false");
  }
  memcpy(at, "]", 2);
  return document;
}

static long work(void)
{
  char *document = write_document(arguments[0]);
  long sum = 0;

  for (long i = 0; i < arguments[1]; i++) {
    struct reader reader = {document};
    struct value managed *value = read_value(&reader);
    sum += look(value);
    drop_all(value);
  }
  free(document);
  return sum;
}
