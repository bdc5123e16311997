/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder share. Each ROW(name) is the test of one row of docs/constructs.md. A row calls
 * move() where it holds references: the objects move there, or the program fails. */
#ifndef ROWS_H
#define ROWS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  long value;
  struct node managed *next;
};
typedef struct node managed *ref;

#define ROW(name) static __attribute__((noinline)) void name(void)
#define RUN(name) run(#name, name)
#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

cairn_leaf unsigned long address_of(const void managed *object);

static const char *row;
static long moves;

static void fail(int line, const char *text)
{
  printf("%s: line %d: %s is false\n", row, line, text);
  exit(1);
}

static __attribute__((noinline)) ref make(long value)
{
  ref node = cairn_new(struct node);

  node->value = value;
  return node;
}

/* A collection, in which objects move. */
static __attribute__((noinline)) void move(void)
{
  static ref witness;
  witness = make(1);
  unsigned long before = address_of(witness);

  cairn_collect();
  CHECK(address_of(witness) != before);
  moves++;
}

static void run(const char *name, void (*test)(void))
{
  long before = moves;

  row = name;
  test();
  CHECK(moves > before);
  printf("%s\n", name);
}

#endif
