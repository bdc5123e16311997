// RUN: %root/test/run/constructs/Inputs/rows %build %s -pthread
// Rows of docs/constructs.md: threads, callbacks, and Cairn's headers with a type that is `managed` by its typedef.
// Wrong: an old address after the objects moved, or a context that is lost.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <cairn/array.h>
#include <cairn/handle.h>
#include <cairn/map.h>
#include <cairn/weak.h>
#include "Inputs/rows.h"

/* ---- threads and callbacks ---- */

struct job {
  long from, to;
  ref result;
};

static void *work(void *argument)
{
  struct job managed *job = cairn_handle_take(argument);
  long sum = 0;

  for (long i = job->from; i < job->to; i++)
    sum += make(i)->value;
  job->result = make(sum);
  return cairn_handle_new(job->result);
}

ROW(pthread_argument)
{
  struct job managed *job = cairn_new(struct job);
  pthread_t thread;
  void *result;

  job->to = 20;
  CHECK(pthread_create(&thread, NULL, work, cairn_handle_new(job)) == 0);
  move();
  CHECK(pthread_join(thread, &result) == 0);
  ref sum = cairn_handle_take(result);
  CHECK(sum->value == 190 && job->result == sum);
}

static int c11_work(void *argument)
{
  struct job managed *job = cairn_handle_take(argument);

  job->result = make(job->from);
  return 3;
}

ROW(thrd_argument)
{
  struct job managed *job = cairn_new(struct job);
  thrd_t thread;
  int status;

  job->from = 5;
  CHECK(thrd_create(&thread, c11_work, cairn_handle_new(job)) == thrd_success);
  move();
  CHECK(thrd_join(thread, &status) == thrd_success && status == 3 && job->result->value == 5);
}

void library_register(void (*callback)(void *), void *data);
void library_fire(void);

static void on_event(void *context)
{
  ref node = cairn_handle_get(context);

  move();
  node->value++;
}

ROW(callback_context)
{
  ref node = make(1);

  cairn_with_handle(handle, node) {
    library_register(on_event, handle);
    library_fire();
    move();
    library_fire();
  }
  CHECK(node->value == 3);
}

/* Leaves the statement by return. */
static long find(ref node)
{
  cairn_with_handle(handle, node) {
    library_register(on_event, handle);
    library_fire();
    return node->value;
  }
  return 0;
}

static int by_context(const void *a, const void *b, void *context)
{
  ref order = cairn_handle_get(context);
  long x = *(const long *)a, y = *(const long *)b;

  move();
  return order->value * ((x > y) - (x < y)) > 0;
}

ROW(callback_leaves_scope)
{
  long numbers[] = {1, 3, 2};
  ref order = make(-1);

  CHECK(find(make(4)) == 5);
  cairn_with_handle(handle, order) {
    qsort_r(numbers, 3, sizeof *numbers, by_context, handle);
    break;
  }
  CHECK(numbers[0] == 3 && numbers[2] == 1);
}

static void done(void);
static ref at_exit;

ROW(atexit_function)
{
  at_exit = make(12);
  CHECK(atexit(done) == 0);
  move();
}

static void done(void)
{
  CHECK(at_exit->value == 12);
}

static volatile sig_atomic_t handled;
static ref for_handler;

static void on_signal(int number)
{
  move();
  handled = number + (int)for_handler->value;
}

ROW(signal_handler)
{
  ref node = make(1);

  for_handler = make(100);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  CHECK(handled == SIGUSR1 + 100 && node->value == 1);
  signal(SIGUSR1, SIG_DFL);
}

static once_flag once = ONCE_FLAG_INIT;
static ref of_once;
static void begin(void)
{
  of_once = make(4);
}

ROW(call_once_function)
{
  call_once(&once, begin);
  call_once(&once, begin);
  move();
  CHECK(of_once->value == 4);
}

/* ---- a type that is `managed` by its typedef ---- */

typedef struct item managed item;
struct item {
  long key;
  item *next;
  cairn_union(item *other; long number;) as;
};
typedef struct row_of managed row_of;
struct row_of {
  long count;
  item *slot[];
};
typedef struct watch managed watch;
struct watch {
  item *strong;
  item *weak cairn_weak;
};

static item *item_of(long key)
{
  item *i = cairn_new(item);

  i->key = key;
  return i;
}

ROW(typedef_allocation)
{
  item *all = cairn_new_array(item, 3);
  row_of *row = cairn_new_flex(row_of, 2), *named = cairn_new_flex(row_of, 2, slot);

  all[1].next = item_of(1);
  row->slot[1] = item_of(2);
  named->slot[0] = item_of(3);
  move();
  all = cairn_resize_array(all, 5);
  all = cairn_resize_array(all, 2);
  move();
  item **unused = &(item *){all};
  item *managed *cells = cairn_new_array(item *, 2);
  cells[1] = item_of(4);
  cells = cairn_resize_array(cells, 4);
  move();
  CHECK(all[1].next->key == 1 && row->slot[1]->key == 2 && named->slot[0]->key == 3 && (*unused)[1].next->key == 1);
  CHECK(cells[1]->key == 4 && cairn_length(all) == 2 && cairn_length(cells) == 4);
}

ROW(typedef_union)
{
  item *i = item_of(1);
  struct item local = {.key = 3};

  i->as.other = item_of(2);
  local.as.number = 99;
  local.next = i;
  move();
  CHECK(i->as.other->key == 2 && local.as.number == 99 && local.next == i);
}

ROW(typedef_weak)
{
  watch *w = cairn_new(watch);

  w->strong = w->weak = item_of(6);
  move();
  CHECK(w->weak == w->strong && w->weak->key == 6);
  w->strong = NULL;
  move();
  CHECK(w->weak == NULL);
}

ROW(typedef_handle)
{
  struct cairn_handle *handle = cairn_handle_new(item_of(7));

  move();
  item *i = cairn_handle_take(handle);
  CHECK(i->key == 7);
}

typedef item *item_ref;

static int by_key(const item_ref managed *a, const item_ref managed *b)
{
  return ((*a)->key > (*b)->key) - ((*a)->key < (*b)->key);
}

ROW(typedef_sort)
{
  item_ref managed *all = cairn_new_array(item_ref, 3);

  all[0] = item_of(3);
  all[1] = item_of(1);
  all[2] = item_of(2);
  move();
  cairn_sort(all, 3, by_key);
  move();
  CHECK(all[0]->key == 1 && all[2]->key == 3);
}

CAIRN_VECTOR(items, item_ref);
CAIRN_VECTOR(structs, item);

ROW(typedef_vector)
{
  struct items managed *v = cairn_new(struct items);
  struct structs managed *s = cairn_new(struct structs);

  for (long i = 0; i < 5; i++) {
    struct item local = {.key = i, .next = item_of(i)};
    cairn_push(v, item_of(i));
    cairn_push(s, local);
    move();
  }
  cairn_remove(v, 0);
  cairn_insert(s, 0, s->at[4]);
  CHECK(v->at[3]->key == 4 && s->at[0].next->key == 4 && s->at[5].key == 4 && cairn_pop(v)->key == 4);
}

static int by_item(const item *a, const item *b)
{
  return (a->key > b->key) - (a->key < b->key);
}

ROW(typedef_sort_of_structs)
{
  item *all = cairn_new_array(item, 20), *slice, *key = cairn_new(item);

  for (long i = 0; i < 20; i++)
    all[i] = (struct item){.key = 19 - i, .next = item_of(i)};
  move();
  cairn_sort(all, 20, by_item);
  slice = cairn_array_slice(all, 5, 3);
  key->key = 6;
  move();
  CHECK(slice[0].key == 5 && slice[0].next->key == 14 && cairn_search(key, all, 20, by_item) == &all[6]);
}

CAIRN_MAP(items_by_key, long, item *, cairn_hash_integer, cairn_equal_words)
CAIRN_MAP(numbers_of_items, item *, long, cairn_hash_object, cairn_equal_words)
CAIRN_WEAK_MAP(weak_items, item *, item *, cairn_hash_object, cairn_equal_words)

ROW(typedef_map)
{
  struct items_by_key managed *map = items_by_key_new();
  struct numbers_of_items managed *numbers = numbers_of_items_new();
  struct weak_items managed *weak = weak_items_new();
  item *kept = item_of(77);

  for (long i = 0; i < 20; i++)
    items_by_key_put(map, i, item_of(i * i));
  numbers_of_items_put(numbers, kept, 5);
  weak_items_put(weak, kept, item_of(78));
  weak_items_put(weak, item_of(1), item_of(2));
  move();
  CHECK((*items_by_key_get(map, 7))->key == 49 && *numbers_of_items_get(numbers, kept) == 5);
  CHECK((*weak_items_get(weak, kept))->key == 78);
}

typedef struct cairn_shared shape managed shape;
struct cairn_shared shape {
  long sides;
};

ROW(typedef_checked_cast)
{
  shape *s = cairn_new(shape);
  void managed *any = s;

  s->sides = 4;
  move();
  CHECK(cairn_as(shape, any)->sides == 4 && cairn_is(any, shape) && !cairn_as(struct shape, make(1)));
}

int main(void)
{
  RUN(pthread_argument);
  RUN(thrd_argument);
  RUN(callback_context);
  RUN(callback_leaves_scope);
  RUN(atexit_function);
  RUN(signal_handler);
  RUN(call_once_function);
  RUN(typedef_allocation);
  RUN(typedef_union);
  RUN(typedef_weak);
  RUN(typedef_handle);
  RUN(typedef_sort);
  RUN(typedef_vector);
  RUN(typedef_sort_of_structs);
  RUN(typedef_map);
  RUN(typedef_checked_cast);
  return 0;
}
