/* SPDX-License-Identifier: Apache-2.0
 *
 * Heaps that are large in one way, for bench/large: `large objects|one|list|array|cards COUNT`.
 * Prints what it finds in the end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;

static ref managed *array;

static ref node(long value, ref next)
{
  ref made = cairn_new(struct node);

  made->value = value;
  made->next = next;
  return made;
}

/* Objects of one type, which lead to each other at random. */
static long objects(long count)
{
  unsigned long random = 1;
  long sum = 0;

  array = cairn_new_array(ref, count);
  for (long i = 0; i < count; i++)
    array[i] = node(i, NULL);
  for (long i = 0; i < count; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    array[i]->next = array[(random >> 33) % (unsigned long)count];
  }
  cairn_collect();
  random = 1;
  for (long i = 0; i < count; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    sum += array[i]->value == i && array[i]->next == array[(random >> 33) % (unsigned long)count];
  }
  return sum;
}

/* One object of so many bytes, and a pointer into it that is all that leads to it. */
static long one(long bytes)
{
  char managed *object = cairn_new_array(char, bytes);
  char managed *inside;
  long sum = 0;

  for (long i = 0; i < bytes; i += 4096)
    object[i] = (char)(i >> 12);
  object[bytes - 1] = 77;
  inside = &object[bytes / 2];
  object = NULL;
  for (int i = 0; i < 3; i++) {
    cairn_collect();
    for (long k = 0; k < 1000; k++)
      node(k, NULL);
  }
  object = inside - bytes / 2;
  for (long i = 0; i < bytes; i += 4096)
    sum += object[i] == (char)(i >> 12) && (i + 5 >= bytes - 1 || object[i + 5] == 0);
  return sum + (object[bytes - 1] == 77);
}

static long list(long count)
{
  ref first = NULL;
  long sum = 0;

  for (long i = 0; i < count; i++)
    first = node(i, first);
  cairn_collect();
  for (long i = count; first; first = first->next)
    sum += first->value == --i;
  return sum;
}

/* An array of so many references, of which few change between collections. */
static long slots(long count)
{
  long sum = 0, step = count / 1000;

  array = cairn_new_array(ref, count);
  for (long i = 0; i < count; i++)
    array[i] = i % 100 == 0 ? node(i, NULL) : array[i - 1];
  cairn_collect();
  for (long i = 0; i < count; i += step) {
    array[i] = node(-i, array[i]);
    for (long k = 0; k < 3000; k++)
      node(k, NULL);
  }
  for (long i = 0; i < count; i++) {
    ref at = i % step == 0 ? array[i]->next : array[i];
    sum += at->value == i / 100 * 100 && (i % step != 0 || array[i]->value == -i);
  }
  return sum;
}

/* Two threads write to an object in turn, slot by slot, so that they share each card. */
enum { SLOTS = 20000, WRITERS = 2 };
static long rounds;

static void *write_slots(void *argument)
{
  long own = (long)argument, wrong = 0;

  for (long round = 0; round < rounds; round++)
    for (long i = own; i < SLOTS; i += WRITERS) {
      if (round > 0 && array[i]->value != (round - 1) * SLOTS + i)
        wrong++;
      array[i] = node(round * SLOTS + i, NULL);
    }
  return (void *)wrong;
}

static long cards(long count)
{
  pthread_t threads[WRITERS];
  void *wrong;
  long sum = 0;

  rounds = count;
  array = cairn_new_array(ref, SLOTS);
  for (long i = 0; i < WRITERS; i++)
    pthread_create(&threads[i], NULL, write_slots, (void *)i);
  for (long i = 0; i < WRITERS; i++) {
    pthread_join(threads[i], &wrong);
    sum -= (long)wrong;
  }
  for (long i = 0; i < SLOTS; i++)
    sum += array[i]->value == (rounds - 1) * SLOTS + i;
  return sum;
}

int main(int argc, char **argv)
{
  long count = argc > 2 ? atol(argv[2]) : 0, found = -1;

  if (argc > 2 && strcmp(argv[1], "objects") == 0)
    found = objects(count);
  else if (argc > 2 && strcmp(argv[1], "one") == 0)
    found = one(count);
  else if (argc > 2 && strcmp(argv[1], "list") == 0)
    found = list(count);
  else if (argc > 2 && strcmp(argv[1], "array") == 0)
    found = slots(count);
  else if (argc > 2 && strcmp(argv[1], "cards") == 0)
    found = cards(count);
  printf("%ld\n", found);
  return found < 0;
}
