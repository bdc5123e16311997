// RUN: %root/test/run/constructs/Inputs/rows %build %s
// Rows of docs/constructs.md: types, declarations and initialisers. Wrong: an old address after the objects moved.
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "Inputs/rows.h"

/* Every `item *` is a reference. */
typedef struct item managed item;
struct item {
  long value;
  item *next;
};

ROW(typedef_managed)
{
  item *list = NULL;

  for (long i = 0; i < 5; i++) {
    item *first = cairn_new(item);
    *first = (struct item){i, list};
    list = first;
    move();
  }
  item *all = cairn_new_array(item, 3);
  all[2].next = list;
  move();
  all = cairn_resize_array(all, 9);
  CHECK(all[2].next->next->value == 3 && all[8].next == NULL);
}

ROW(local_array)
{
  ref all[4] = {make(1), make(2)};

  all[3] = make(4);
  move();
  CHECK(all[0]->value == 1 && all[1]->value == 2 && all[2] == NULL && all[3]->value == 4);
}

ROW(array_of_arrays)
{
  ref grid[2][3] = {{make(1)}, {NULL, make(5)}};
  ref managed *rows = cairn_new_array(ref, 4);

  rows[3] = make(7);
  move();
  CHECK(grid[0][0]->value == 1 && grid[1][1]->value == 5 && rows[3]->value == 7);
}

struct pair {
  ref a, b;
};
struct large {
  ref a;
  long number;
  ref b, c;
  double d;
};

static __attribute__((noinline)) struct large fill(long n)
{
  struct large l = {.a = make(n), .number = n, .c = make(n + 1), .d = 0.5};

  move();
  return l;
}

ROW(struct_result)
{
  struct large l = fill(3);

  move();
  CHECK(l.a->value == 3 && l.b == NULL && l.c->value == 4 && l.d == 0.5);
}

static __attribute__((noinline)) long sum_pair(struct pair p)
{
  move();
  return p.a->value + p.b->value;
}

ROW(struct_parameter)
{
  struct pair p = {make(2), make(3)};

  CHECK(sum_pair(p) == 5);
  CHECK(p.a->value == 2);
}

/* Changes its copy. */
static __attribute__((noinline)) long sum_large(struct large l, long depth)
{
  move();
  l.a = make(l.a->value + 100);
  l.number++;
  move();
  return l.a->value + l.c->value + l.number + (depth ? sum_large(l, depth - 1) : 0);
}

ROW(large_struct_parameter)
{
  struct large l = fill(3);
  long (*pointer)(struct large, long) = sum_large;

  CHECK(sum_large(l, 0) == 103 + 4 + 4);
  CHECK(pointer(l, 1) == 103 + 4 + 4 + 203 + 4 + 5);
  CHECK(l.a->value == 3 && l.number == 3);
  CHECK(sum_large(fill(7), 0) == 107 + 8 + 8);
}

static __attribute__((noinline)) long many(ref a, ref b, ref c, ref d, ref e, struct pair p, ref f, struct pair q)
{
  move();
  return a->value + b->value + c->value + d->value + e->value + p.a->value + p.b->value + f->value + q.b->value;
}

ROW(late_struct_parameter)
{
  struct pair p = {make(6), make(7)};

  CHECK(many(make(1), make(2), make(3), make(4), make(5), p, make(8), p) == 43);
}

ROW(struct_assignment)
{
  struct large l = fill(1), copy;
  struct large managed *object = cairn_new(struct large);

  copy = l;
  *object = copy;
  move();
  l = *object;
  move();
  CHECK(l.c->value == 2 && copy.a->value == 1 && object->a == l.a);
}

ROW(compound_literal)
{
  struct pair *p = &(struct pair){make(1), make(2)};
  ref *several = (ref[]){make(3), make(4)};

  move();
  CHECK(p->a->value + p->b->value == 3 && several[1]->value == 4);
}

ROW(designated_initialiser)
{
  struct large l = {.c = make(3), .number = 7};
  ref all[] = {[2] = make(2), [0] = make(9)};

  move();
  CHECK(l.a == NULL && l.c->value == 3 && all[0]->value == 9 && all[1] == NULL && all[2]->value == 2);
}

struct flags {
  unsigned colour : 3, marked : 1;
  ref node;
  unsigned long rest : 40;
};

ROW(bit_field)
{
  struct flags managed *f = cairn_new(struct flags);
  struct flags local = {.colour = 5, .node = make(2), .rest = 1ul << 39};

  f->colour = 6;
  f->marked = 1;
  f->node = local.node;
  f->rest = 77;
  move();
  CHECK(f->colour == 6 && f->marked && f->node->value == 2 && f->rest == 77);
  CHECK(local.colour == 5 && local.node == f->node && local.rest == 1ul << 39);
}

struct table {
  long count;
  ref slot[];
};

ROW(flexible_array)
{
  struct table managed *t = cairn_new_flex(struct table, 6, slot);

  t->slot[5] = make(5);
  move();
  CHECK(t->slot[5]->value == 5 && t->slot[0] == NULL);
}

struct with_anonymous {
  int tag;
  struct {
    ref left, right;
  };
};

ROW(anonymous_member)
{
  struct with_anonymous managed *w = cairn_new(struct with_anonymous);

  w->right = make(4);
  move();
  CHECK(w->right->value == 4 && !w->left);
}

struct variant {
  enum { NODE, NUMBER } kind;
  cairn_union(ref node; long number; double real;) as;
};

ROW(tagged_union)
{
  struct variant managed *v = cairn_new_array(struct variant, 2);
  struct variant local = {.kind = NODE, .as.node = make(8)};

  v[0] = local;
  v[1].kind = NUMBER;
  v[1].as.number = 1234567;
  move();
  CHECK(v[0].as.node->value == 8 && v[1].as.number == 1234567 && local.as.node == v[0].as.node);
}

union both {
  ref node;
  struct node managed *same;
};

ROW(union_of_references)
{
  union both u = {.node = make(3)};

  move();
  CHECK(u.same->value == 3);
}

static ref global, initialised = NULL;
static struct pair pairs[3] = {[1] = {NULL, NULL}};
static _Thread_local ref of_thread;

ROW(global_variable)
{
  static ref kept;

  global = make(1);
  initialised = global;
  pairs[2].b = make(2);
  kept = make(3);
  move();
  CHECK(global->value == 1 && initialised == global && pairs[2].b->value == 2 && kept->value == 3);
}

ROW(thread_local_variable)
{
  of_thread = make(6);
  move();
  CHECK(of_thread->value == 6);
}

struct entry {
  const char *name;
  long (*code)(ref);
  ref value;
};
static long twice(ref r)
{
  move();
  return 2 * r->value;
}
static struct entry entries[] = {{"twice", twice, NULL}, {"none", NULL, NULL}};

ROW(static_initialiser)
{
  entries[0].value = make(4);
  move();
  CHECK(strcmp(entries[0].name, "twice") == 0 && entries[0].code(entries[0].value) == 8);
}

static struct node managed nil = {.next = &nil};
static const struct node managed table[] = {{5, &nil}, {6, NULL}};

ROW(static_object)
{
  ref node = make(1), end = &nil;

  nil.next = node;
  move();
  CHECK(nil.next == node && node->value == 1 && end == &nil && table[0].next == &nil && table[1].value == 6);
}

ROW(new_with_initialiser)
{
  ref node = cairn_new_init(struct node, .value = 4, .next = make(5));

  move();
  CHECK(node->value == 4 && node->next->value == 5);
}

ROW(const_reference)
{
  const struct node managed *constant = make(5);
  ref const fixed = make(6);

  move();
  CHECK(constant->value == 5 && fixed->value == 6);
}

ROW(volatile_reference)
{
  struct node managed *volatile changing = make(5);
  volatile struct node managed *object = changing;

  move();
  CHECK(changing->value == 5);
  object->value = 6;
  CHECK(changing->value == 6 && object == changing);
}

static __attribute__((noinline)) long add(ref restrict a, ref restrict b)
{
  a->value++;
  move();
  b->value++;
  return a->value + b->value;
}

ROW(restrict_reference)
{
  CHECK(add(make(1), make(2)) == 5);
}

static _Atomic(ref) shared;

ROW(atomic_reference)
{
  ref one = make(1), two = make(2), expected = one;

  atomic_store(&shared, one);
  move();
  CHECK(atomic_load(&shared) == one);
  CHECK(atomic_exchange(&shared, two) == one);
  CHECK(!atomic_compare_exchange_strong(&shared, &expected, one) && expected == two);
  CHECK(atomic_compare_exchange_strong(&shared, &expected, one));
  move();
  CHECK(atomic_load(&shared)->value == 1);
}

ROW(atomic_member)
{
  struct cell {
    _Atomic(ref) head;
    _Atomic long count;
  };
  struct cell managed *cell = cairn_new(struct cell);

  for (long i = 0; i < 4; i++) {
    ref first = make(i);
    first->next = cell->head;
    while (!atomic_compare_exchange_weak(&cell->head, &first->next, first))
      ;
    cell->count++;
    move();
  }
  CHECK(cell->count == 4 && atomic_load(&cell->head)->next->value == 2);
}

ROW(atomic_functions)
{
  static ref plain;
  ref one = make(1), two = make(2), expected = one, old;

  __atomic_store_n(&plain, one, __ATOMIC_RELEASE);
  move();
  CHECK(__atomic_compare_exchange_n(&plain, &expected, two, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  __atomic_exchange(&plain, &one, &old, __ATOMIC_ACQ_REL);
  move();
  CHECK(old == two && __atomic_load_n(&plain, __ATOMIC_ACQUIRE)->value == 1);
}

ROW(void_reference)
{
  void managed *any = make(5);

  move();
  ref node = any;
  CHECK(node->value == 5);
}

struct cairn_shared leaf {
  long value;
};
struct cairn_shared branch {
  struct leaf managed *left;
  void managed *right;
};

ROW(checked_cast)
{
  struct leaf managed *leaf = cairn_new(struct leaf);
  struct branch managed *branch = cairn_new(struct branch);
  void managed *any = branch, *other = leaf, *null = NULL;

  leaf->value = 9;
  branch->left = leaf;
  branch->right = branch;
  move();
  CHECK(cairn_as(struct branch, any)->left->value == 9);
  CHECK(cairn_as(struct leaf, any) == NULL && cairn_as(struct leaf, null) == NULL);
  CHECK(cairn_as(struct leaf, other) == leaf && cairn_as(struct leaf, leaf)->value == 9);
  CHECK(cairn_is(any, struct branch) && !cairn_is(any, struct leaf));
}

ROW(reference_to_reference)
{
  struct node managed *managed *cell = cairn_new(ref);

  *cell = make(7);
  move();
  CHECK((*cell)->value == 7);
}

static __attribute__((noinline)) void prepend(ref *list, long value)
{
  ref first = make(value);

  move();
  first->next = *list;
  *list = first;
}

ROW(pointer_to_reference)
{
  ref list = NULL;
  ref *at = &list;

  prepend(&list, 1);
  prepend(at, 2);
  prepend(&global, 3);
  move();
  CHECK(list->value == 2 && (*at)->next->value == 1 && global->value == 3);
}

ROW(generic_selection)
{
  ref node = make(1);
  int kind = _Generic(node, ref: 1, void managed *: 2, default: 3);

  move();
  CHECK(kind == 1 && _Generic((long managed *)0, long managed *: 5, default: 6) == 5 && node->value == 1);
}

ROW(typeof_reference)
{
  ref node = make(3);
  __auto_type same = node;
  __typeof__(node) other = node;
  __typeof__(*node) *third = node;

  move();
  CHECK(same == node && other->value == 3 && third == other);
}

ROW(sizeof_reference)
{
  ref node = make(2);

  move();
  CHECK(sizeof node == 8 && sizeof *node == 16 && _Alignof(ref) == 8 && node->value == 2);
}


int main(void)
{
  RUN(typedef_managed);
  RUN(local_array);
  RUN(array_of_arrays);
  RUN(struct_result);
  RUN(struct_parameter);
  RUN(large_struct_parameter);
  RUN(late_struct_parameter);
  RUN(struct_assignment);
  RUN(compound_literal);
  RUN(designated_initialiser);
  RUN(bit_field);
  RUN(flexible_array);
  RUN(anonymous_member);
  RUN(tagged_union);
  RUN(union_of_references);
  RUN(global_variable);
  RUN(thread_local_variable);
  RUN(static_initialiser);
  RUN(static_object);
  RUN(new_with_initialiser);
  RUN(const_reference);
  RUN(volatile_reference);
  RUN(restrict_reference);
  RUN(atomic_reference);
  RUN(atomic_member);
  RUN(atomic_functions);
  RUN(void_reference);
  RUN(checked_cast);
  RUN(reference_to_reference);
  RUN(pointer_to_reference);
  RUN(generic_selection);
  RUN(typeof_reference);
  RUN(sizeof_reference);
  return 0;
}
