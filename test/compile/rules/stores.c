// References stored where the collector does not look, and references into objects where only
// starts may lie. Checked by prepare, when locals are promoted, so that a detour through a variable
// changes nothing.
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: not %cairn opt --manage-all -p rules,prepare -S %t.bc 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <cairn/cairn.h>
#include <stdlib.h>

struct node {
  long key;
  struct node managed *next;
  long managed *number;
  struct node managed *managed *link;
};
struct list {
  struct node managed *first;
};
static long managed *kept;

void member(struct node managed *n)
{
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [derived-store]
  n->link = &n->next;
}

void by_way_of_a_local(struct node managed *n)
{
  struct node managed *managed *where = &n->next;
  if (n->key)
    // CHECK: stores.c:[[@LINE+1]]:{{.*}} [derived-store]
    n->link = where;
}

void element(struct node managed *n)
{
  long managed *v = cairn_new_array(long, 10);
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [derived-store]
  kept = v + 3;
}

static _Thread_local long managed *own;
static _Thread_local struct node managed *managed *own_links[4];
void thread_local(struct node managed *n)
{
  long managed *v = cairn_new_array(long, 10);
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [derived-store]
  own = v + 3;
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [derived-store]
  own_links[1] = &n->next;
  own = v;
}

void loaded(struct node managed *n)
{
  // What lies in an object is the start of another.
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [derived-store]
  n->number = n->number + 1;
}

void in_malloc(struct node managed *n)
{
  void *raw = malloc(16);
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} kept in memory from malloc(){{.*}} [unmanaged-store]
  ((struct list *)raw)->first = n;
}

// A place without references, by way of locals: the collector would not look there.
static long pool[8];
void in_a_buffer(struct node managed *n)
{
  struct list *l = (struct list *)pool;
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} where the type of the object has none{{.*}} [union-overlay]
  l->first = n;
}

static _Thread_local long own_pool[8];
void in_a_thread_local_buffer(struct node managed *n)
{
  struct list *l = (struct list *)own_pool;
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} where the type of the object has none{{.*}} [union-overlay]
  l->first = n;
}

void in_numbers(struct node managed *n)
{
  long managed *v = cairn_new_array(long, 10);
  struct node managed *managed *w = (struct node managed *managed *)v;
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [union-overlay]
  w[2] = n;
}

void in_a_number(struct node managed *n)
{
  struct node managed *managed *w = (struct node managed *managed *)&n->key;
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [union-overlay]
  *w = n;
}

// The C library's sort copies elements to memory of its own and calls back.
int compare(const void *, const void *);
static struct list lists[10];
void sorted(struct list *l, long n)
{
  struct node managed *v[4] = {l->first};
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} qsort() keeps elements {{.*}} [unmanaged-store]
  qsort(v, 4, sizeof v[0], compare);
  // CHECK: stores.c:[[@LINE+1]]:{{.*}} [unmanaged-store]
  qsort(lists, 10, sizeof lists[0], compare);
}
// Legal: keys beside references, and places that offsets name.
void keys(struct list managed *l)
{
  struct {
    struct node managed *n;
    int keys[4];
  } local = {l->first, {3, 1, 2, 0}};
  qsort(local.keys, 4, sizeof(int), compare);
  *(struct node managed *managed *)((char managed *)l + offsetof(struct list, first)) = local.n;
}

// Not provable, and legal: the parameter may point past the start.
void parameter(struct node managed *n, long managed *p)
{
  n->number = p - 1;
  n->number = &p[0];
}
