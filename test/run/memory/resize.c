// RUN: %root/test/run/Inputs/same %build --small 2 --args 60 --many '8000 40' %s
// Arrays that grow and shrink, in place and by a copy: the elements stay, new ones are null or zero, also where a
// longer array ended before, and what refers to something goes on doing so.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;
struct item {
  short tag;
  ref node;
  char letters[3];
};
struct triple {
  char bytes[3];
};

static ref node(long value)
{
  ref n = cairn_new(struct node);

  n->value = value;
  return n;
}

/* Push one by one, with or without other objects in between. */
static long push_numbers(long n, long between)
{
  long managed *a = cairn_new_array(long, 0);
  ref last = NULL;
  long sum = 0;

  for (long i = 0; i < n; i++) {
    a = cairn_resize_array(a, i + 1);
    sum += a[i] != 0;
    a[i] = i * 7;
    if (between && i % between == 0) {
      ref r = node(i);
      r->next = last;
      last = r;
    }
  }
  for (long i = 0; i < n; i++)
    sum = sum * 3 + a[i];
  return sum + (last ? last->value : 0);
}

static long push_references(long n, long between)
{
  ref managed *a = cairn_new_array(ref, 1);
  long room = 1, sum = 0;

  for (long i = 0; i < n; i++) {
    if (i == room)
      a = cairn_resize_array(a, room = room * 3 / 2 + 1);
    for (long k = i; k < room; k++)
      sum += a[k] != NULL;
    a[i] = i % between ? i % 2 ? a[i / 2] : NULL : node(i);
  }
  a = cairn_resize_array(a, n / 2 + 1);
  cairn_collect();
  a = cairn_resize_array(a, n + 5);
  for (long i = 0; i < n + 5; i++)
    sum = sum * 3 + (a[i] ? a[i]->value : 1);
  return sum;
}

/* Elements of three bytes: each end of an array within a word. */
static long waves(long n)
{
  struct triple managed *a = cairn_new_array_uninit(struct triple, 1);
  long length = 1, sum = 0;

  a[0].bytes[0] = a[0].bytes[1] = a[0].bytes[2] = 1;
  for (long i = 0; i < n; i++) {
    long next = i * 11 % 23;
    a = cairn_resize_array(a, next);
    for (long k = length; k < next; k++)
      sum += a[k].bytes[0] + a[k].bytes[1] + a[k].bytes[2];
    for (long k = 0; k < next; k++) {
      sum = sum * 5 + (k < length ? a[k].bytes[1] : 0);
      a[k].bytes[0] = a[k].bytes[1] = a[k].bytes[2] = (char)(i + k);
    }
    length = next;
    if (i % 4 == 0)
      node(i);
  }
  return sum;
}

static long uncleared(long n)
{
  char managed *text = cairn_new_array_uninit(char, 0);
  long sum = 0;

  for (long i = 0; i < n; i++) {
    long from = i * 3, to = from + 3;
    text = cairn_resize_array_uninit(text, to);
    for (long k = from; k < to; k++)
      text[k] = (char)k;
    if (i % 5 == 0)
      node(i);
  }
  for (long k = 0; k < 3 * n; k++)
    sum = sum * 3 + text[k];
  return sum;
}

static long structs(long n)
{
  struct item managed *a = cairn_new_array(struct item, 2);

  for (long i = 0; i < n; i++) {
    a = cairn_resize_array(a, i + 3);
    a[i].node = node(i);
    a[i].tag = (short)i;
    if (i % 7 == 6) /* the removed end is garbage, the rest stays */
      a = cairn_resize_array(cairn_resize_array(a, i + 1), i + 2);
  }
  long sum = a[n].node == NULL;
  for (long i = 0; i < n; i++)
    sum = sum * 3 + a[i].node->value + a[i].tag;
  return sum;
}

/* From null, as realloc() does: long and short, cleared and uncleared, with references and without. */
static long from_nothing(long n)
{
  long sum = 0;

  for (long i = 0; i < n + 3; i++) {
    struct triple managed *bytes = cairn_resize_array((struct triple managed *)NULL, i * 7 % 11);
    ref managed *references = cairn_resize_array((ref managed *)NULL, i * 5 % 13);
    char managed *text = cairn_resize_array_uninit((char managed *)NULL, i + 1);
    long managed *large = NULL;
    for (long k = 0; k < i * 7 % 11; k++)
      sum += bytes[k].bytes[0] + bytes[k].bytes[1] + bytes[k].bytes[2];
    for (long k = 0; k < i * 5 % 13; k++)
      sum += references[k] != NULL;
    text[i] = (char)i;
    large = cairn_resize_array(large, i % 64 == 2 ? 3000 : 2);
    sum = sum * 3 + large[1] + text[i] + cairn_length(large) + cairn_length(bytes) + cairn_length(references);
    large[1] = large[0] = -1;
  }
  return sum;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 1;

  for (long rounds = argc > 2 ? atol(argv[2]) : 1; rounds > 0; rounds--) {
    printf("%ld %ld %ld\n", push_numbers(n, 0), push_numbers(n, 1), push_numbers(n, 9));
    printf("%ld %ld\n", push_references(n, 1), push_references(n, 5));
    printf("%ld %ld %ld\n", waves(n), uncleared(n), structs(n));
    printf("%ld\n", from_nothing(n));
  }
  return 0;
}
