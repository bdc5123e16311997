# SPDX-License-Identifier: Apache-2.0
"""Templates of the rows "Types and declarations" of docs/constructs.md from `const` on, as in declarations.py."""

ROWS = {}


def row(template):
    ROWS[template.__name__] = template
    return template


@row
def const_reference(p):
    p.declare('''
static $inl ulong $_sum(const struct node managed *list, ref const fixed, ulong n)
{
  ulong sum = 0;
  for (const struct node managed *at = list; at && n > 0; at = at->next, n--) {
    $quiet
    sum = sum * 3 + at->value + fixed->value;
  }
  return sum;
}'''.replace('$quiet', p.pick('move();', 'churn(2);')))
    return p.fill('''
  const struct node managed *constant = $r;
  ref const fixed = $r;
  const ref all[] = {fixed, a};
  $move
  mix($_sum(constant, fixed, 3) + $_sum(all[k & 1], all[0], k % 4));
  constant = constant->next;
  $move
  mix(constant ? constant->value : 5);''')


@row
def volatile_reference(p):
    p.declare('static struct node managed *volatile $_global;')
    return p.fill('''
  struct node managed *volatile changing = $r;
  volatile struct node managed *object = changing;
  $_global = changing;
  for (ulong i = 0; i < $n; i++) {
    $move
    object->value += k + i;
    if (i & 1)
      changing = i & 2 ? $_global : $r;
  }
  mix(changing->value + 3 * object->value + ($_global == object));
  $_global = $r;
  $move
  mix(value_of($_global));''', n=p.number(1, 6))


@row
def restrict_reference(p):
    p.declare('''
static $inl ulong $_add(ref restrict a, ref restrict b, ulong managed *restrict sums, ulong k)
{
  a->value += k;
  $quiet
  b->value += $u;
  for (ulong i = 0; i < $n; i++) {
    sums[i] += a->value * i + b->value;
    $quiet
  }
  return a->value + b->value;
}''', n=p.number(1, 8))
    return p.fill('''
  ulong managed *sums = cairn_new_array(ulong, 8);
  ref one = make($v), two = make($v);
  mix($_add(one, two, sums, k));
  $move
  mix($_add(two, one, sums, $u));
  for (ulong i = 0; i < 8; i++)
    mix(sums[i]);''')


@row
def atomic_reference(p):
    p.declare('static _Atomic(ref) $_shared;\nstatic struct { ulong number; _Atomic(ref) in[2]; } $_nest;')
    return p.fill('''
  ref one = make($v), two = make($v), expected = one;
  _Atomic(ref) local = one;
  atomic_store$explicit;
  $move
  mix(atomic_load(&$_shared) == one);
  mix(value_of(atomic_exchange(&$_shared, two)));
  mix(atomic_compare_exchange_strong(&$_shared, &expected, one) + 2 * (expected == two));
  $move
  mix(atomic_compare_exchange_strong(&$_shared, &expected, one));
  atomic_store(&$_nest.in[k & 1], k & 2 ? one : two);
  $_nest.in[1] = $r;
  $move
  mix(value_of(atomic_load(&$_nest.in[0])) + value_of($_nest.in[1]) + value_of(local) + value_of($_shared));''',
                  explicit=p.pick('(&$_shared, one)', '_explicit(&$_shared, one, memory_order_release)',
                                  '_explicit(&$_shared, one, memory_order_relaxed)'))


@row
def atomic_member(p):
    p.declare('''
struct $_stack {
  $before
  _Atomic(ref) head;
  _Atomic ulong count;
};
static $inl void $_push(struct $_stack managed *stack, ref first, ulong k)
{
  first->next = stack->head;
  while (!atomic_compare_exchange_$strength(&stack->head, &first->next, first))
    ;
  $quiet
  stack->count++;
}
static $inl ref $_pop(struct $_stack managed *stack)
{
  ref first = atomic_load(&stack->head);
  while (first && !atomic_compare_exchange_weak(&stack->head, &first, first->next))
    ;
  return first;
}''', before=p.pick('', 'ref other;', 'uchar byte;'), strength=p.pick('weak', 'strong'))
    return p.fill('''
  struct $_stack managed *stack = cairn_new(struct $_stack);
  for (ulong i = 0; i < $n; i++) {
    $_push(stack, make($v + i), k);
    $move
    if (i % 3 == 2)
      mix(value_of($_pop(stack)));
  }
  ref old = atomic_exchange(&stack->head, k & 1 ? a : NULL);
  $move
  mix(value_of(old) + 3 * value_of(stack->head) + stack->count);''', n=p.number(1, 7))


@row
def atomic_functions(p):
    p.declare('static ref $_plain;')
    return p.fill('''
  ref one = $r, two = make($v), expected = one, old = NULL;
  __atomic_store_n(&$_plain, one, __ATOMIC_$store);
  $move
  mix(__atomic_compare_exchange_n(&$_plain, &expected, two, $weak, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) || $weak);
  __atomic_store_n(&$_plain, two, __ATOMIC_SEQ_CST);
  __atomic_exchange(&$_plain, &one, &old, __ATOMIC_ACQ_REL);
  $move
  mix((old == two) + value_of(__atomic_load_n(&$_plain, __ATOMIC_ACQUIRE)));
  __atomic_load(&$_plain, &old, __ATOMIC_$load);
  mix(value_of(old) + value_of(__atomic_exchange_n(&$_plain, $r, __ATOMIC_RELAXED)));
  $move
  mix(value_of($_plain));''',
                  store=p.pick('RELEASE', 'RELAXED', 'SEQ_CST'), load=p.pick('ACQUIRE', 'RELAXED', 'SEQ_CST'), weak='0')


@row
def void_reference(p):
    p.declare('''
static $inl void managed *$_same(void managed *any, ulong k)
{
  $quiet
  return any;
}
struct $_box { void managed *any; ulong number; };''')
    return p.fill('''
  void managed *any = $r, *all[2] = {a, cairn_new_init(struct $_box, .any = a, .number = $u)};
  $move
  ref node = any;
  struct $_box managed *box = all[1];
  box->any = $_same(k & 1 ? any : box, k);
  $move
  mix(value_of(node) + value_of($_same(all[0], k)) + box->number + (box->any == any));
  const void managed *constant = box;
  mix((constant == all[1]) + value_of((ref)any));''')


@row
def checked_cast(p):
    types = p.number(2, 4)
    for i in range(types):
        p.declare('''
struct cairn_shared $_t$i {
  ulong tag;
  $more
};''', i=i, more=p.pick('ref left;', 'ulong number;', 'void managed *right; uchar byte;', 'ref left, right;'))
    made = ' '.join(f'case {i}: any = cairn_new_init(struct $_t{i}, .tag = {i + 1}); break;' for i in range(types))
    total = ' '.join(f'{{ struct $_t{i} managed *t = AS(struct $_t{i}, {i + 1}, any); if (t) sum += t->tag; }} '
                     f'if (IS(any, struct $_t{i}, {i + 1})) sum += {i + 5};' for i in range(types))
    p.declare('''
static $inl void managed *$_make(ref a, ulong k)
{
  void managed *any = NULL;
  switch (k % $types) { $made }
  $move
  return any;
}
static $inl ulong $_sum(void managed *any)
{
  ulong sum = 0;
  $total
  return sum;
}''', types=types, made=made, total=total)
    return p.fill('''
  void managed *one = $_make(a, k), *two = $_make(a, $u), *null = NULL;
  mix($_sum(one) + 3 * $_sum(two) + !AS(struct $_t0, 1, null));
  $move
  if (IS(one, struct $_t1, 2))
    one = two;
  mix($_sum(one));''')


@row
def reference_to_reference(p):
    return p.fill('''
  struct node managed *managed *cell = cairn_new(ref);
  ref managed *managed *outer = cairn_new_array(ref managed *, $n);
  *cell = $r;
  for (ulong i = 0; i < $n; i++) {
    outer[i] = i & 1 ? cell : cairn_new_array(ref, 2);
    $move
    *outer[i] = $r;
  }
  outer[k % $n][0] = *cell;
  $move
  ref managed *at = outer[0] + 1;
  *at = $r;
  $quiet
  mix(value_of(*cell) + 3 * value_of(*at));
  for (ulong i = 0; i < $n; i++)
    mix(value_of(**(outer + i)) + (outer[i] == cell));''', n=p.number(1, 5))


@row
def pointer_to_reference(p):
    p.declare('''
static $inl void $_prepend(ref *list, ref a, ulong k)
{
  ref first = make($v);
  $move
  first->next = *list;
  *list = first;
}
static $inl void $_swap(ref *one, ref *two)
{
  ref old = *one;
  *one = *two;
  $quiet
  *two = old;
}
static ref $_global;
static struct { uchar byte; ref in[2]; } $_nest;'''.replace('  $quiet\n', '  move();\n' if p.chance(0.5) else ''))
    return p.fill('''
  ref list = NULL, all[3] = {a, $r};
  struct { ref one, two; } pair = {$r, NULL};
  ref *at = k & 1 ? &list : &$where, **indirect = &at;
  $_prepend(&list, a, k);
  $_prepend(at, a, 3);
  $_prepend(&$_global, a, k);
  $_prepend(&all[k % 3], a, 1);
  $move
  $_prepend(*indirect, a, k);
  $_swap(&list, &all[$u % 3]);
  $_swap(&pair.two, &$_nest.in[k & 1]);
  for (ref *each = all; each < all + 3; each++) {
    mix(value_of(*each));
    $quiet
  }
  mix(value_of(list) + 3 * value_of($_global) + value_of(pair.one) + value_of(pair.two) + value_of(*at));''',
                  where=p.pick('pair.two', '$_nest.in[1]', 'all[2]', '$_global', 'pair.one'))


@row
def generic_selection(p):
    p.declare('''
struct $_other { ulong number; };
#define $_KIND(x) _Generic((x), ref: $u, struct $_other managed *: $u, long: $u, default: 3)
#define $_VALUE(x) _Generic((x), ref: value_of, struct $_other managed *: $_number)(x)
static ulong $_number(struct $_other managed *other) { return other->number; }''')
    return p.fill('''
  ref node = $r;
  struct $_other managed *other = cairn_new_init(struct $_other, .number = $v);
  $move
  mix($_KIND(node) + 100 * $_KIND(other) + $_KIND(5l) + $_KIND(&node));
  mix($_VALUE(node) + 3 * $_VALUE(other));
  $move
  mix(_Generic(node, ref: node, default: a)->value + _Generic(*other, struct $_other: other->number, default: 5));''')


@row
def typeof_reference(p):
    return p.fill('''
  ref node = $r;
  __auto_type same = node;
  __typeof__(node) other = node, all[$n] = {a, node};
  __typeof__(*node) *third = node;
  __typeof__(chain(1, 2)) list = $r;
  __auto_type pointer = &all[$n - 1];
  *pointer = list;
  $move
  mix((same == node) + 2 * (third == other) + value_of(all[k % $n]) + value_of(list));
  __auto_type value = same->value;
  $move
  mix(value + value_of(third) + value_of(*pointer));''', n=p.number(2, 5))


@row
def sizeof_reference(p):
    r = p.record('record')
    return p.fill('''
  ref node = $r, all[$n];
  $r1 managed *record = cairn_new($r1);
  for (ulong i = 0; i < sizeof all / sizeof all[0]; i++) {
    all[i] = $r;
    $quiet
  }
  *record = ($r1){$values};
  $move
  mix(sizeof node + 3 * sizeof *node + 5 * sizeof(ref) + 7 * sizeof *record + _Alignof(ref) + sizeof record->m0);
  mix(value_of(node) + value_of(all[sizeof all / sizeof *all - 1]) + $sum);''', n=p.number(1, 6), r1=r.name,
                  values=r.values(), sum=r.sum('(*record)'))


@row
def function_pointer_in_object(p):
    p.declare('''
struct $_closure {
  ref environment;
  ulong (*code)(struct $_closure managed *self, ulong k);
  $more
};
static $inl ulong $_one(struct $_closure managed *self, ulong k)
{
  $quiet
  return value_of(self->environment) + k;
}
static $inl ulong $_two(struct $_closure managed *self, ulong k)
{
  ref a = self->environment;
  self->environment = make($v);
  $move
  self->code = $_one;
  return self->code(self, k + 1) + value_of(a);
}''', more=p.pick('', 'uchar byte;', 'ref more;'))
    return p.fill('''
  struct $_closure managed *c = cairn_new(struct $_closure);
  c->code = k & 1 ? $_one : $_two;
  c->environment = $r;
  $move
  mix(c->code(c, k));
  mix($call(c->code)(c, $u));
  $move
  mix(value_of(c->environment) + (c->code == $_one));''', call=p.pick('', 'cairn_managed_callee'))
