// Each form of test in line accepts described places, and passes every other place to the check, which ends the
// program: words of data beside references, halves of words, and memory of malloc(). Before, the same code has stored
// to all described places, so that its site knows the places around.
// RUN: %cairn-cc -O2 -g -w %s -o %t && %cairn-cc -O2 -w -fcairn-without=store-copies %s -o %t.tested
// RUN: for form in caller other array global top index copy copy-global two; do %t $form || exit 1; \
// RUN:   env CAIRN_STRESS=1 %t $form && env CAIRN_STRESS=1 CAIRN_VERIFY=heap %t.tested $form || exit 1; done
// RUN: for program in %t %t.tested; do for form in caller other array global top index copy copy-global two; do \
// RUN:   for bad in 0 1 2 3 4 5; do $program $form $bad 2>%t.err && echo $form $bad is accepted; \
// RUN:   grep -q 'fatal: .*unmanaged-store' %t.err || echo $form $bad: no message; done; done; done 2>&1 | \
// RUN:   FileCheck %s --allow-empty --implicit-check-not='{{accepted|message}}'
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  long value;
  long more[];
};
typedef struct node managed *node_ref;
struct item {
  node_ref node;
  long key;
};
struct two {
  node_ref first, second;
};
struct frame {
  long before;
  node_ref refs[3];
  long after;
  struct item items[2];
};
struct data {
  long words[9];
};
_Static_assert(sizeof(struct data) == sizeof(struct frame), "one size");

static struct frame global;
static struct {
  node_ref *top;
} machine;

// ---- the forms ----

__attribute__((noinline)) void set(node_ref *at, node_ref node)
{
  *at = node;
}

__attribute__((noinline)) void copy(struct item *to, const struct item *from)
{
  *to = *from;
}

__attribute__((noinline)) void copy_two(struct two *to, const struct two *from)
{
  *to = *from;
}

// The copy of a function with a loop has debug information of its own.
__attribute__((noinline)) void fill(node_ref *at, int count, node_ref node)
{
  for (int i = 0; i < count; i++)
    if (!at[i])
      at[i] = node;
}

__attribute__((noinline)) void set_top(node_ref node)
{
  *machine.top = node;
}

// ---- places ----

enum { MOST = 16, BAD = 6, ALL = -1 };

struct places {
  void *at[MOST];
  int count;
};

// Objects of the nursery and of the space of large objects.
__attribute__((noinline)) static node_ref make(long value)
{
  node_ref node = value % 2 ? cairn_new_flex(struct node, 20000) : cairn_new_flex(struct node, 1);

  node->value = value;
  return node;
}

__attribute__((noinline)) static void add_bad(struct places *places, struct frame *f, int bad)
{
  void *all[BAD] = {&f->before,       &f->after,  &f->items[0].key, (char *)&f->refs[1] + 4,
                    &f->items[1].key, calloc(4, 8)};

  if (bad != ALL)
    places->at[places->count++] = all[bad];
}

// All places of references in the frame, and one that has none.
__attribute__((noinline)) static void list(struct places *places, struct frame *f, int bad)
{
  void *good[] = {&f->refs[0], &f->items[1].node, &f->refs[2], &f->items[0].node, &f->refs[1]};

  places->count = 0;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 5; i++)
      places->at[places->count++] = good[i];
  if (bad == 2 || bad == 4) // the last place before is near
    places->at[places->count++] = &f->items[0].node;
  add_bad(places, f, bad);
}

// The places of items.
__attribute__((noinline)) static void list_items(struct places *places, struct frame *f, int bad)
{
  places->count = 0;
  for (int i = 0; i < 6; i++)
    places->at[places->count++] = &f->items[i % 2];
  add_bad(places, f, bad);
}

// The last value of each place is there after a collection.
static void check(const struct places *places)
{
  cairn_collect();
  for (int i = 0; i < places->count; i++) {
    bool last = true;
    for (int j = i + 1; j < places->count; j++)
      last &= places->at[j] != places->at[i];
    if (last && (*(node_ref *)places->at[i])->value != i)
      abort();
  }
}

// ---- stores ----

__attribute__((noinline)) static void in_caller(int bad)
{
  struct frame f = {0};
  struct places places;

  list(&places, &f, bad);
  for (int i = 0; i < places.count; i++)
    set(places.at[i], make(i));
  check(&places);
  set(&f.refs[0], make(0)); // this call is proved
  check(&(struct places){{&f.refs[0]}, 1});
}

// A frame of the same form as that of in_caller(), without references.
__attribute__((noinline)) static void in_data(int bad)
{
  struct data f = {0};
  struct places places;

  list(&places, (struct frame *)&f, bad);
  for (int i = 0; i < places.count; i++)
    set(places.at[4], make(i)); // the last place of in_caller()
  check(&places);
  set((node_ref *)&f.words[1], make(0));
  check(&(struct places){{&f.words[1]}, 1});
}

// Elements of an array, which one record has.
__attribute__((noinline)) static void in_array(int bad)
{
  struct item items[4] = {0};
  struct places places = {.count = 8};
  void *all[BAD] = {&items[0].key, &items[1].key, &items[3].key, &items[4], (char *)&items[2] + 4, &items[-1].key};

  for (int i = 0; i < 8; i++)
    places.at[i] = &items[i % 4].node;
  if (bad != ALL)
    places.at[places.count++] = all[bad];
  for (int i = 0; i < places.count; i++)
    set(places.at[i], make(i));
  check(&places);
}

static void in_other_caller(int bad)
{
  in_caller(ALL);
  if (bad != ALL)
    in_data(ALL);
}

static void in_global(int bad)
{
  struct places places;

  list(&places, &global, bad);
  for (int i = 0; i < places.count; i++)
    set(places.at[i], make(i));
  check(&places);
}

static void by_top(int bad)
{
  struct places places;

  list(&places, &global, bad);
  for (int i = 0; i < places.count; i++) {
    machine.top = places.at[i];
    set_top(make(i));
  }
  check(&places);
}

// By an index of a known array, whose ends are compared.
__attribute__((noinline)) static void by_index(struct frame *f, int bad)
{
  static const long bad_index[BAD] = {-1, 3, 5, 7, 1000000, -1000000};
  volatile long index = 0;
  node_ref local[4] = {0};

  for (; index < 3; index++)
    global.refs[index] = make(index);
  check(&(struct places){{&global.refs[0], &global.refs[1], &global.refs[2]}, 3});
  fill(local, 4, make(4));
  for (index = 0; index < 4; index++)
    local[index] = make(index);
  cairn_collect();
  for (index = 0; index < 4; index++)
    if (local[index]->value != index)
      abort();
  if (bad == ALL)
    return;
  index = bad_index[bad];
  global.refs[index] = make(0);
}

static void copies(struct frame *f, struct places *places)
{
  for (int i = 0; i < places->count; i++) {
    struct item from = {make(i), 4096 + 8 * i};
    copy(places->at[i], &from);
  }
  check(places);
  if (f->items[1].key != 4096 + 8 * 5)
    abort();
}

static void copies_in_caller(int bad)
{
  struct frame f = {0};
  struct places places;

  list_items(&places, &f, bad);
  for (int i = 0; i < places.count; i++) {
    struct item from = {make(i), 4096 + 8 * i};
    copy(places.at[i], &from);
  }
  check(&places);
  if (f.items[1].key != 4096 + 8 * 5)
    abort();
}

static void copies_in_global(int bad)
{
  struct places places;

  list_items(&places, &global, bad);
  copies(&global, &places);
}

// Pairs: of a place that has no reference after it, with a source or both places between two words, and others.
__attribute__((noinline)) static void pairs(int bad)
{
  struct frame f = {0};
  node_ref refs[4] = {0}, from[3] = {make(0), make(1), make(2)};
  void *all[BAD] = {&refs[3], &f.items[1], &f.refs[2], &refs[1], (char *)&f.items[0] + 4, calloc(4, 8)};
  void *volatile to[7], *volatile source[7]; // unknown to the compiler
  volatile int count = 7;

  for (int i = 0; i < 7; i++) {
    to[i] = i == 6 && bad != ALL ? all[bad] : &refs[i % 3];
    source[i] = i == 6 && (bad == 3 || bad == 4) ? (char *)from + 4 : (char *)&from[i % 2];
  }
  for (int i = 0; i < count; i++) // by one call
    copy_two(to[i], source[i]);
  cairn_collect();
  for (int i = 0; i < 4; i++)
    if (refs[i]->value != (const int[]){0, 1, 1, 2}[i])
      abort();
  if (f.refs[0])
    abort();
}

int main(int argc, char **argv)
{
  const char *form = argv[1];
  int bad = argc > 2 ? atoi(argv[2]) : ALL;

  if (strcmp(form, "caller") == 0)
    in_caller(bad);
  else if (strcmp(form, "array") == 0)
    in_array(bad);
  else if (strcmp(form, "other") == 0)
    in_other_caller(bad);
  else if (strcmp(form, "global") == 0)
    in_global(bad);
  else if (strcmp(form, "top") == 0)
    by_top(bad);
  else if (strcmp(form, "index") == 0)
    by_index(&global, bad);
  else if (strcmp(form, "copy") == 0)
    copies_in_caller(bad);
  else if (strcmp(form, "copy-global") == 0)
    copies_in_global(bad);
  else
    pairs(bad);
  return 0;
}
