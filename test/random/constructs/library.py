# SPDX-License-Identifier: Apache-2.0
"""Templates of the rows "The idiom" and "Threads, callbacks and signals" of docs/constructs.md, as in declarations.py.
Threads only allocate and collect beside each other: each returns its sum."""

ROWS = {}


def row(template):
    ROWS[template.__name__] = template
    return template


def item(p, members='$_item *next;', tag=''):
    """Declares the managed type $_item, with a value and `members`."""
    more = [p.pick('', 'uchar byte;', 'double real;', 'ref more;'), 'ulong value;', members]
    p.random.shuffle(more)
    p.declare('''
typedef struct $tag $_item managed $_item;
struct $tag $_item { $more };
static $inl $_item *$_make(ulong value)
{
  $_item *made = cairn_new($_item);
  made->value = value;
  return made;
}''', tag=tag, more=' '.join(more))


# ---- a type that is managed by its typedef

@row
def typedef_managed(p):
    item(p)
    p.declare('''
static $inl $_item *$_append($_item *list, $_item *last, ulong k)
{
  $_item **at = &list, *end = list;
  if (!end)
    *at = last;
  else {
    while (end->next) {
      $quiet
      end = end->next;
    }
    end->next = last;
  }
  return list;
}''')
    return p.fill('''
  $_item *list = NULL, *all = cairn_new_array($_item, $n);
  for (ulong i = 0; i < $n; i++) {
    $_item *first = cairn_new($_item);
    *first = (struct $_item){.value = $v + i, .next = i & 1 ? list : NULL};
    list = i & 1 ? first : $_append(list, first, k);
    $move
    all[i].next = list;
  }
  all[k % $n] = *list;
  $move
  for ($_item *at = list; at; at = at->next)
    mix(at->value);
  for (ulong i = 0; i < $n; i++)
    mix(all[i].value + (all[i].next ? all[i].next->value : 3));''', n=p.number(1, 6))


@row
def typedef_allocation(p):
    item(p)
    p.declare('''
typedef struct $_row managed $_row;
struct $_row { ulong count; $_item *slot[]; };''')
    return p.fill('''
  $_item *all = cairn_new_array($_item, $n);
  $_item *managed *cells = k & 1 ? cairn_new_array($_item *, $n) : NULL;
  $_row *row = cairn_new_flex($_row, $n, slot);
  for (ulong i = 0; i < $n; i++) {
    all[i].next = $_make($v + i);
    row->slot[i] = all[i].next;
    $quiet
  }
  $move
  all = cairn_resize_array(all, $more);
  all[$more - 1].next = $_make($u);
  cells = cairn_resize_array(cells, $more);
  cells[$more - 1] = row->slot[k % $n];
  $move
  mix(cairn_length(all) + 3 * cairn_length(cells));
  all = cairn_resize_array(all, $n);
  for (ulong i = 0; i < $n; i++)
    mix((all[i].next == row->slot[i]) + row->slot[i]->value);
  mix(cells[$more - 1]->value + cairn_length(all) + !cells[0]);''', n=p.number(1, 5), more=p.number(6, 20))


@row
def typedef_union(p):
    item(p, 'cairn_union($_item *other; long number; double real; ref node;) as;')
    return p.fill('''
  $_item *one = $_make(k), *managed *all = cairn_new_array($_item *, 3);
  struct $_item local = {.value = $u};
  one->as.other = $_make($v);
  local.as.number = 99 + (long)k;
  for (int i = 0; i < 3; i++) {
    all[i] = $_make($u);
    $move
    if (i == 0)
      all[i]->as.node = $r;
    else if (i == 1)
      all[i]->as.real = 1.5;
    else
      all[i]->as.other = one;
  }
  *all[0] = k & 1 ? *one : *all[0];
  $move
  mix(one->as.other->value + (ulong)local.as.number + (ulong)(all[1]->as.real * 2) + (all[2]->as.other == one));
  mix(k & 1 ? all[0]->as.other->value : value_of(all[0]->as.node));
  *one = local;
  $quiet
  mix((ulong)one->as.number + all[2]->as.other->value);''')


@row
def typedef_weak(p):
    item(p)
    p.declare('''
typedef struct $_watch managed $_watch;
struct $_watch { $_item *strong; $_item *weak cairn_weak; ref other cairn_weak; };
static __attribute__((noinline)) void $_set($_watch *w, ref a, ulong k)
{
  w->strong = w->weak = $_make($v);
  w->other = a;
}
static __attribute__((noinline)) ulong $_see($_watch *w, ref a)
{
  return w->weak ? w->weak->value + 2 * (w->weak == w->strong) + (w->other == a) : 3;
}''')
    return p.fill('''
  $_watch *w = cairn_new($_watch);
  $_set(w, a, k);
  for (ulong i = 0; i < $n; i++) {
    $move
    mix($_see(w, a));
  }
  w->strong = NULL;
  cairn_collect();
  mix(IS_DEAD(w->weak) + 2 * (w->other == a) + value_of(a));
  $_set(w, a, k);
  $move
  mix($_see(w, a));''', n=p.number(1, 3))


@row
def typedef_handle(p):
    item(p)
    return p.fill('''
  struct cairn_handle *handle = cairn_handle_new($_make($v)), *all[$n];
  for (ulong i = 0; i < $n; i++)
    all[i] = cairn_handle_new(i & 1 ? (void managed *)$r : cairn_handle_get(handle));
  $move
  $_item *same = cairn_handle_get(all[0]);
  size_t scope = cairn_handle_scope_begin();
  struct cairn_handle *scoped = cairn_handle_scoped(same);
  $move
  $_item *again = cairn_handle_get(scoped), *taken = cairn_handle_take(handle);
  cairn_handle_scope_end(scope);
  mix(same->value + 3 * (again == taken) + (same == taken));
  for (ulong i = 0; i < $n; i++) {
    if (i & 1) {
      ref node = cairn_handle_get(all[i]);
      mix(value_of(node));
    }
    $quiet
    cairn_handle_free(all[i]);
  }
  mix(taken->value);''', n=p.number(1, 5))


@row
def typedef_sort(p):
    item(p)
    p.declare('''
typedef $_item *$_ref;
static $inl int $_compare(const $_ref managed *x, const $_ref managed *y)
{
  $compare
  return ((*x)->value > (*y)->value) - ((*x)->value < (*y)->value);
}''', compare=p.pick('', 'move();', 'churn(1);'))
    return p.fill('''
  $_ref managed *all = cairn_new_array($_ref, $n);
  for (ulong i = 0; i < $n; i++) {
    all[i] = $_make((i * 7919 + k * $u) % 50);
    all[i]->next = $_make(i);
    $quiet
  }
  $_ref managed *key = cairn_new($_ref);
  *key = all[$n / 2];
  $move
  cairn_sort(all, $n, $_compare);
  $_ref managed *found = cairn_search(key, all, $n, $_compare);
  $move
  mix((*found)->value);
  for (ulong i = 0; i < $n; i++)
    mix(all[i]->value + 3 * all[i]->next->value);''', n=p.number(1, 20))


@row
def typedef_sort_of_structs(p):
    item(p)
    p.declare('''
static $inl int $_compare(const $_item *x, const $_item *y)
{
  $compare
  return (x->value > y->value) - (x->value < y->value);
}''', compare=p.pick('', 'move();', 'churn(1);'))
    return p.fill('''
  $_item *all = cairn_new_array($_item, $n), *slice, *key = cairn_new($_item);
  for (ulong i = 0; i < $n; i++)
    all[i] = (struct $_item){.value = (i * 31 + k * $u) % 40, .next = $_make(i)};
  $move
  key->value = all[$n - 1].value;
  cairn_sort(all, $n, $_compare);
  slice = cairn_array_slice(all, $n / 3, $n / 2);
  $move
  mix(cairn_search(key, all, $n, $_compare)->next->value + cairn_length(slice));
  for (ulong i = 0; i < $n; i++)
    mix(all[i].value + 3 * all[i].next->value + (i < $n / 2 ? slice[i].next->value : 5));''', n=p.number(2, 20))


@row
def typedef_vector(p):
    item(p)
    p.declare('''
typedef $_item *$_ref;
CAIRN_VECTOR($_refs, $_ref);
CAIRN_VECTOR($_structs, $_item);
static struct $_refs $_global;''')
    return p.fill('''
  struct $_refs managed *v = cairn_new(struct $_refs);
  struct $_refs local = {0};
  struct $_structs managed *s = cairn_new(struct $_structs);
  for (ulong i = 0; i < $n; i++) {
    struct $_item one = {.value = i + k, .next = $_make($v)};
    cairn_push(v, $_make(i));
    cairn_push(s, one);
    cairn_push(&local, one.next);
    cairn_push(&$_global, v->at[i / 2]);
    $move
  }
  cairn_insert(v, k % $n, local.at[0]);
  cairn_insert(s, 0, s->at[$n - 1]);
  cairn_remove(v, $u % $n);
  cairn_reserve(&local, $u);
  $move
  mix(cairn_pop(v) ? 3 : 4);
  for (long i = 0; i < v->length; i++)
    mix(v->at[i]->value);
  for (long i = 0; i < s->length; i++)
    mix(s->at[i].value + s->at[i].next->value);
  $quiet
  mix(cairn_pop(&$_global)->value + (ulong)$_global.length);
  while (local.length > 0)
    mix(cairn_pop(&local)->value);''', n=p.number(1, 12))


@row
def typedef_map(p):
    item(p)
    p.declare('''
CAIRN_MAP($_by_key, long, $_item *, cairn_hash_integer, cairn_equal_words)
CAIRN_MAP($_numbers, $_item *, ulong, cairn_hash_object, cairn_equal_words)
CAIRN_WEAK_MAP($_weak, $_item *, $_item *, cairn_hash_object, cairn_equal_words)''')
    return p.fill('''
  struct $_by_key managed *map = $_by_key_new();
  struct $_numbers managed *numbers = $_numbers_new();
  struct $_weak managed *weak = $_weak_new();
  $_item *kept = $_make(77);
  for (long i = 0; i < $n; i++) {
    $_item *made = $_make($v);
    $_by_key_put(map, i * $step, made);
    *$_numbers_at(numbers, made) += (ulong)i + 3;
    if (i % 3 == 1)
      mix($_by_key_remove(map, i * $step / 2));
    if (i % 4 == 1) { $move }
  }
  $_numbers_put(numbers, kept, $u);
  $_weak_put(weak, kept, $_make($v));
  $_weak_put(weak, $_make(1), kept);
  cairn_collect();
  $move
  for (long i = 0; i < $n; i++) {
    $_item *managed *at = $_by_key_get(map, i * $step);
    mix(at ? (*at)->value + *$_numbers_get(numbers, *at) : 5);
    $quiet
  }
  mix((*$_weak_get(weak, kept))->value + *$_numbers_get(numbers, kept));
  mix((ulong)$_by_key_count(map) + (ulong)$_numbers_count(numbers));''',
                  n=p.number(1, 30), step=p.number(1, 9))


@row
def typedef_checked_cast(p):
    item(p, '$_item *next;', 'cairn_shared')
    p.declare('''
typedef struct cairn_shared $_tagged managed $_tagged;
struct cairn_shared $_tagged { ulong tag; $_item *item; };''')
    return p.fill('''
  $_tagged *t = cairn_new($_tagged);
  void managed *any = t;
  t->tag = 17;
  t->item = $_make($v);
  $move
  mix(AS($_tagged, 17, any)->item->value + 2 * !!IS(any, $_tagged, 17));
#ifndef CAIRN_PLAIN
  if (cairn_as($_item, any) || !cairn_as($_item, t->item) || cairn_is(t->item, $_tagged) || cairn_as($_tagged, $r))
    mix(5);
#endif
  any = k & 1 ? NULL : any;
  $move
  t = AS($_tagged, 17, any);
  mix(t ? t->item->value : 7);''')


# ---- threads, callbacks and signals

def job(p):
    p.declare('''
struct $_job { ulong from, to; ref result; $more };
static $inl ref $_sum(struct $_job managed *job)
{
  ulong sum = 0;
  ref list = NULL;
  for (ulong i = job->from; i < job->to; i++) {
    ref first = make(i);
    first->next = list;
    list = i & 1 ? first : list;
    sum = sum * 3 + first->value + value_of(list);
    $thread
  }
  job->result = make(sum);
  return job->result;
}''', more=p.pick('', 'uchar byte;', 'ref more;'), thread=p.pick('churn(1);', 'if (i % 4 == 1) move();', ''))


@row
def pthread_argument(p):
    job(p)
    p.declare('''
static void *$_work(void *argument)
{
  struct $_job managed *job = cairn_handle_take(argument);
  ref sum = $_sum(job);
  churn(2);
  return cairn_handle_new(sum);
}''')
    return p.fill('''
  struct $_job managed *jobs[$n];
  pthread_t threads[$n];
  void *result;
  for (ulong i = 0; i < $n; i++) {
    jobs[i] = cairn_new_init(struct $_job, .from = i, .to = i + k % 5 + $s);
    if (pthread_create(&threads[i], NULL, $_work, cairn_handle_new(jobs[i])) != 0) abort();
    churn(2);
  }
  $quiet
  for (ulong i = 0; i < $n; i++) {
    if (pthread_join(threads[i], &result) != 0) abort();
    ref sum = cairn_handle_take(result);
    mix(value_of(sum) + (jobs[i]->result == sum));
  }
  $move
  mix(value_of(jobs[k % $n]->result));''', n=p.number(1, 3))


@row
def thrd_argument(p):
    job(p)
    p.declare('''
static int $_work(void *argument)
{
  struct $_job managed *job = cairn_handle_take(argument);
  $_sum(job);
  return (int)job->from + $u;
}''')
    return p.fill('''
  struct $_job managed *job = cairn_new_init(struct $_job, .from = $u, .to = $u + k % 9);
  thrd_t thread;
  int status;
  if (thrd_create(&thread, $_work, cairn_handle_new(job)) != thrd_success) abort();
  $quiet
  if (thrd_join(thread, &status) != thrd_success) abort();
  mix((ulong)status + value_of(job->result));
  $move
  mix(value_of(job->result));''')


def visitor(p):
    """Native code that calls back with a context, and a callback that changes the object."""
    p.declare('''
cairn_unmanaged static __attribute__((noinline)) void $_visit(void (*callback)(void *), void *context, int times)
{
  while (times-- > 0)
    callback(context);
}
static void $_callback(void *context)
{
  ref a = cairn_handle_get(context);
  ulong k = a->value % 8;
  $move
  a->value += $u;
  if (a->next)
    a->next->value++;
  a->next = k & 1 ? a->next : make($v);
}''')


@row
def callback_context(p):
    visitor(p)
    return p.fill('''
  ref node = make($v), kept = node;
  cairn_with_handle(context, node) {
    $_visit($_callback, context, $n);
    $move
    cairn_with_handle(inner, kept->next ? kept->next : a)
      $_visit($_callback, inner, 1);
    node = cairn_handle_get(context);
  }
  $move
  mix(value_of(node) + (kept == node));''', n=p.number(0, 3))


@row
def callback_leaves_scope(p):
    visitor(p)
    p.declare('''
static $inl ulong $_find(ref node, ref a, ulong k)
{
  cairn_with_handle(context, node) {
    $_visit($_callback, context, $n);
    if (k & 1)
      return value_of(node);
    $move
    if (k & 2)
      goto end;
  }
  node = a;
end:
  return 3 * value_of(node);
}
static int $_order(const void *x, const void *y, void *context)
{
  ref order = cairn_handle_get(context);
  ulong one = (*(const ulong *)x ^ order->value) % 64, two = (*(const ulong *)y ^ order->value) % 64;
  churn(1);
  return (one > two) - (one < two);
}''', n=p.number(1, 2))
    return p.fill('''
  ulong numbers[$n];
  ref order = make($u);
  for (ulong i = 0; i < $n; i++)
    numbers[i] = (i * 7 + k) % 64;
  mix($_find(make($v), a, k) + $_find(order, a, $u));
  cairn_with_handle(context, order) {
    qsort_r(numbers, $n, sizeof *numbers, $_order, context);
    $move
    if (k & 1)
      break;
    order = $r;
  }
  for (ulong i = 0; i < $n; i++)
    mix(numbers[i]);
  mix(value_of(order));''', n=p.number(2, 9))


@row
def atexit_function(p):
    p.declare('''
static ref $_kept;
static void $_done(void)
{
  ref a = $_kept;
  churn($s);
  move();
  printf("$_done %lx\\n", value_of(a) + value_of($_kept));
}''')
    return p.fill('''
  static bool registered;
  $_kept = $r;
  if (!registered)
    if ($register != 0) abort();
  registered = true;
  $move
  mix(value_of($_kept));''', register='atexit($_done)')


@row
def call_once_function(p):
    p.declare('''
static once_flag $_once = ONCE_FLAG_INIT;
static ref $_made, $_argument;
static void $_begin(void)
{
  ref a = $_argument;
  ulong k = a->value % 8;
  $move
  $_made = $r;
}''')
    return p.fill('''
  if (!$_argument)
    $_argument = $r;
  for (ulong i = 0; i < $n; i++) {
    call_once(&$_once, $_begin);
    $move
  }
  mix(value_of($_made) + value_of($_argument));''', n=p.number(1, 3))


@row
def signal_handler(p):
    p.declare('''
static volatile sig_atomic_t $_handled;
static ref $_kept;
static void $_handle(int number)
{
  ref a = $_kept;
  ulong k = a->value % 8;
  $quiet
  $_handled = number == $signal ? (int)(value_of(a) % 100) : -1;
  $_kept = make($v);
}''', signal=(signal := p.pick('SIGUSR1', 'SIGUSR2', 'SIGHUP')))
    install = p.pick('signal($signal, $_handle);',
                     'sigaction($signal, &(struct sigaction){.sa_handler = $_handle}, NULL);')
    return p.fill('''
  ref node = $r;
  $_kept = $r;
  $install
  for (ulong i = 0; i < $n; i++) {
    $quiet
    raise($signal);
    mix((ulong)$_handled + value_of($_kept));
  }
  signal($signal, SIG_DFL);
  $move
  mix(value_of(node) + value_of($_kept));''', n=p.number(1, 3), install=install, signal=signal)
