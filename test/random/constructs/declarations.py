# SPDX-License-Identifier: Apache-2.0
"""Templates of the rows "Types and declarations" of docs/constructs.md before `const`. Each declares its types and
helpers, and returns the body of a function with the parameters `ref a` and `ulong k`."""

ROWS = {}


def row(template):
    ROWS[template.__name__] = template
    return template


@row
def local_array(p):
    return p.fill('''
  ref all[$n] = {$r, $r};
  $move
  for (ulong i = $first; i < $n; i += $step) {
    all[i] = $r;
    if (i == k % $n) { $move }
  }
  all[k % $n] = all[$first];
  $move
  for (ulong i = 0; i < $n; i++)
    mix(value_of(all[i]));''', n=p.number(3, 9), step=p.number(1, 2), first=p.number(0, 2))


@row
def array_of_arrays(p):
    return p.fill('''
  ref grid[$rows][$columns] = {{$r}, {NULL, $r}};
  ref managed *managed *rows = cairn_new_array(ref managed *, $rows);
  for (ulong i = 0; i < $rows; i++)
    rows[i] = cairn_new_array(ref, $columns);
  $move
  for (ulong i = k % 2; i < $rows; i++)
    for (ulong j = 0; j < $columns; j++) {
      if ((i + j + k) % 3 == 0)
        grid[i][j] = rows[i][j] = $r;
      if (j == 1) { $move }
    }
  $move
  for (ulong i = 0; i < $rows; i++)
    for (ulong j = 0; j < $columns; j++)
      mix(value_of(grid[i][j]) + 3 * value_of(rows[i][j]));''', rows=p.number(2, 4), columns=p.number(2, 5))


@row
def vla_of_data(p):
    return p.fill('''
  ref kept = $r;
  for (ulong n = 1 + k % 3; n < $n; n++) {
    $type data[n], more[n]$second;
    for (ulong i = 0; i < n; i++) {
      data[i] = ($type)(i + kept->value);
      $last = ($type)(data[i] * 3);
      $quiet
    }
    $move
    for (ulong i = 0; i < n; i++)
      mix(data[i] + 5ul * $last);
  }
  mix(value_of(kept));''', n=p.number(3, 7), type=p.pick('ulong', 'uint', 'uchar', 'ushort'),
                  **(dict(second='[2]', last='more[i][1]') if p.chance(0.5) else dict(second='', last='more[i]')))


@row
def struct_result(p):
    r = p.record('result')
    member = p.pick(*r.references())
    p.declare('''
static $inl $r1 $_make(ref a, ulong k)
{
  $r1 made = {$values};
  $move
  $change
  if (k % 4 == 1)
    return $_make(made.$member, k + 1);
  return made;
}''', r1=r.name, values=r.values(), change=r.change('made'), member=member)
    return p.fill('''
  $r1 one = $_make(a, k), two = $_make(one.$member ? one.$member : a, k + $u);
  $move
  mix($sum1 + 7 * $sum2);
  mix(value_of($_make(a, $u).$member));
  $move
  one = k & 1 ? two : $_make(a, 2);
  mix($sum1);''', r1=r.name, member=member, sum1=r.sum('one'), sum2=r.sum('two'))


@row
def struct_parameter(p):
    kinds = p.pick(['ref'], ['ref', 'ref'], ['ref', 'ulong'], ['uint', 'ref'], ['ref', 'uchar', 'ushort'],
                   ['double', 'ref'])
    r = p.record('pair', [(f'm{i}', kind) for i, kind in enumerate(kinds)])
    p.declare('''
static $inl ulong $_sum($r1 p, ref a, ulong k)
{
  $move
  ulong n = $sum;
  if (k % 5 > 1)
    n += $_sum(p, a, k % 5 - 1);
  $change
  $quiet
  return n + $sum;
}''', r1=r.name, sum=r.sum('p'), change=r.change('p'))
    return p.fill('''
  $r1 pair = {$values};
  $r1 all[2] = {pair, {$values2}};
  mix($_sum(pair, a, k));
  $move
  mix($_sum(all[k & 1], $r, $u) + $_sum(($r1){$values3}, a, 1));
  mix($sum);''', r1=r.name, values=r.values(), values2=r.values(some=True), values3=r.values(), sum=r.sum('pair'))


@row
def large_struct_parameter(p):
    r = p.record('large', least=4, most=9)
    p.declare('''
static $inl ulong $_sum($r1 large, ref a, ulong depth)
{
  ulong k = depth;
  $quiet
  $change
  $move
  return $sum + (depth % 4 ? $_sum(large, a, depth % 4 - 1) : 0);
}
static $r1 managed *$_kept;''', r1=r.name, change=r.change('large'), sum=r.sum('large'))
    return p.fill('''
  $r1 large = {$values};
  ulong (*volatile pointer)($r1, ref, ulong) = $_sum;
  $_kept = cairn_new($r1);
  *$_kept = large;
  mix($_sum(large, a, k) + pointer(large, $r, $u));
  $move
  mix($_sum(*$_kept, a, 2));
  mix($sum);''', r1=r.name, values=r.values(some=True), sum=r.sum('large'))


@row
def late_struct_parameter(p):
    pair = p.record('pair', [('m0', 'ref'), ('m1', p.pick('ref', 'ulong', 'uchar'))])
    before = p.number(3, 7)
    names = [f'b{i}' for i in range(before)]
    p.declare('''
static $inl ulong $_sum(ref a, ulong k, $refs, $pair p, ref last, $pair q)
{
  $move
  ulong n = $sum1 + 3 * $sum2 + value_of(last);
  $quiet
  return n + $total;
}''', refs=', '.join(f'ref {name}' for name in names), pair=pair.name, sum1=pair.sum('p'), sum2=pair.sum('q'),
              total=' + '.join(f'{i + 2} * value_of({name})' for i, name in enumerate(names)))
    return p.fill('''
  $pair one = {$values}, two = {$values2};
  $move
  mix($_sum(a, k, $args, one, $r, two));
  mix($sum1 + $sum2);''',
                  pair=pair.name, values=pair.values(), values2=pair.values(), args=', '.join('$r' for _ in names),
                  sum1=pair.sum('one'), sum2=pair.sum('two'))


@row
def struct_assignment(p):
    r = p.record('record', least=2, most=7)
    return p.fill('''
  $r1 local = {$values}, copy = {0};
  $r1 managed *object = cairn_new($r1);
  $r1 managed *all = cairn_new_array($r1, $n);
  $move
  copy = local;
  *object = copy;
  for (ulong i = 0; i < $n; i++) {
    all[i] = i & 1 ? *object : local;
    $change
    if (i == k % $n) { $move }
  }
  all[0] = all[$n - 1];
  copy = *object;
  local = all[k % $n];
  $move
  mix($sum1 + $sum2 + $sum3 + $sum4);''',
                  r1=r.name, n=p.number(2, 5), values=r.values(), change=r.change('local'), sum1=r.sum('local'),
                  sum2=r.sum('copy'),
                  sum3=r.sum('all[0]'), sum4=r.sum('(*object)'))


@row
def compound_literal(p):
    r = p.record('literal', least=1, most=4)
    p.declare('''
static $inl ulong $_use($r1 *p, ref a, ulong k)
{
  $move
  $change
  return $sum;
}''', r1=r.name, change=r.change('(*p)'), sum=r.sum('(*p)'))
    return p.fill('''
  $r1 *literal = &($r1){$values};
  ref *several = (ref[]){$r, $r, a};
  $move
  several[k % 3] = $r;
  mix($_use(literal, a, k) + $_use(&($r1){$values2}, $r, $u));
  $move
  mix(value_of(several[0]) + 3 * value_of(several[1]) + value_of(((ref[]){a, several[2]})[k & 1]) + $sum);''',
                  r1=r.name,
                  values=r.values(), values2=r.values(some=True), sum=r.sum('(*literal)'))


@row
def designated_initialiser(p):
    r = p.record('record', least=2)
    return p.fill('''
  $r1 one = {$values}, several[] = {[2] = {$values2}, [0] = {$values3}, [$n] = one};
  ref all[] = {[$n + 1] = $r, [0] = $r, [1 ... 2] = a};
  $move
  mix($sum1 + $sum2 + sizeof several / sizeof *several);
  for (ulong i = 0; i < sizeof all / sizeof *all; i++) {
    mix(value_of(all[i]));
    $quiet
  }''', r1=r.name, n=p.number(3, 6), values=r.values(some=True), values2=r.values(some=True), values3=r.values(),
                  sum1=r.sum('several[k % 3]'), sum2=r.sum('several[$n]'))


@row
def bit_field(p):
    widths = [p.number(1, 31) for _ in range(p.number(2, 5))]
    bits = [f'  {p.pick("unsigned", "unsigned long", "unsigned")} b{i} : {width};' for i, width in enumerate(widths)]
    at = p.number(0, len(bits))
    members = bits[:at] + ['  ref node;'] + bits[at:] + ['  ref other;']
    p.declare('struct $_flags {\n$members\n};', members='\n'.join(members))
    change = ' '.join(f'f->b{i} = $v;' for i in range(len(bits)))
    total = ' + '.join(f'{i + 3}ul * %s.b{i}' for i in range(len(bits)))
    return p.fill('''
  struct $_flags managed *f = cairn_new(struct $_flags);
  struct $_flags local = {.b0 = 1, .node = $r, .b1 = $v};
  f->node = local.node;
  $change
  f->b0++;
  $move
  f->other = k & 1 ? f->node : $r;
  $move
  mix($sum1 + value_of(f->node) + value_of(f->other));
  local.b$last ^= 1;
  *f = local;
  $move
  mix($sum1 + $sum2 + value_of(f->node) + !f->other);''',
                  change=change, last=len(bits) - 1, sum1=total.replace('%s', '(*f)'),
                  sum2=total.replace('%s', 'local'))


@row
def flexible_array(p):
    element = p.pick('ref', 'ref', 'ulong', 'uchar', 'record')
    if element == 'record':
        r = p.record('element')
        kind, value, total = r.name, f'({r.name}){{{r.values()}}}', r.sum('t->slot[i]')
    else:
        kind, value = element, '$r' if element == 'ref' else f'({element})($v)'
        total = 'value_of(t->slot[i])' if element == 'ref' else '(ulong)t->slot[i]'
    p.declare('''
struct $_table {
  ulong count;
  ref owner;
  $kind slot[];
};''', kind=kind)
    return p.fill('''
  struct $_table managed *t = cairn_new_flex(struct $_table, k % 4 + $n, slot);
  t->count = k % 4 + $n;
  t->owner = $r;
  for (ulong i = 0; i < t->count; i += $step) {
    t->slot[i] = $value;
    $quiet
  }
  $move
  mix(value_of(t->owner));
  for (ulong i = 0; i < t->count; i++)
    mix($total);''', n=p.number(1, 9), step=p.number(1, 3), value=value, total=total)


@row
def anonymous_member(p):
    p.declare('''
struct $_node {
  $before
  struct {
    ref left;
    $scalar number;
    struct {
      ref right;
    };
  };
  $after
};''', before=p.pick('', 'uchar tag;', 'ref first;', 'ulong word;'), after=p.pick('', 'ref last;', 'uchar last;'),
              scalar=p.pick('ulong', 'uchar', 'uint'))
    return p.fill('''
  struct $_node managed *w = cairn_new(struct $_node);
  struct $_node local = {.left = $r, .number = $u};
  w->right = $r;
  w->number = $v;
  $move
  w->left = k & 1 ? local.left : w->right;
  local.right = w->left;
  $move
  mix(value_of(w->left) + 3 * value_of(w->right) + w->number + value_of(local.right) + local.number);''')


@row
def tagged_union(p):
    p.declare('''
struct $_variant {
  $tag kind;
  cairn_union(ref node; long number; double real; struct $_variant managed *variant; uchar byte;) as;
  $more
};
static ulong $_sum(struct $_variant v)
{
  switch (v.kind) {
  case 0: return value_of(v.as.node);
  case 1: return (ulong)v.as.number;
  case 2: return (ulong)(v.as.real * 4);
  case 3: return v.as.variant ? 5 * v.as.variant->kind : 3;
  default: return v.as.byte;
  }
}
static struct $_variant $_make(ref a, ulong k)
{
  struct $_variant v = {.kind = k % 5};
  switch (v.kind) {
  case 0: v.as.node = $r; break;
  case 1: v.as.number = (long)($v); break;
  case 2: v.as.real = (uint)($v) / 4.0; break;
  case 3: v.as.variant = cairn_new(struct $_variant); v.as.variant->kind = 1; break;
  default: v.as.byte = (uchar)($v);
  }
  $move
  return v;
}
static struct $_variant $_global;''',
                  tag=p.pick('uint', 'ulong', 'uchar'), more=p.pick('', 'ref other;', 'ulong more;'))
    return p.fill('''
  struct $_variant managed *all = cairn_new_array(struct $_variant, $n);
  struct $_variant local = $_make(a, k);
  for (ulong i = 0; i < $n; i++) {
    all[i] = i == $u % $n ? local : $_make(a, k + i);
    if (i & 1) { $move }
  }
  $_global = all[k % $n];
  all[0].kind = 1;
  all[0].as.number = 1234567;
  $move
  for (ulong i = 0; i < $n; i++)
    mix($_sum(all[i]));
  mix($_sum(local) + 3 * $_sum($_global));''', n=p.number(2, 7))


@row
def union_of_references(p):
    p.declare('''
union $_both {
  ref node;
  struct node managed *same;
  void managed *any;
};
struct $_holder {
  ulong number;
  union $_both both;
};
static union $_both $_global;''')
    return p.fill('''
  union $_both u = {.node = $r};
  struct $_holder managed *h = cairn_new(struct $_holder);
  $move
  h->both = u;
  h->number = $u;
  $_global.any = k & 1 ? u.same : $r;
  $move
  mix(value_of(u.same) + 3 * value_of(h->both.node) + value_of($_global.node) + h->number);
  u.any = $_global.same;
  $quiet
  mix(value_of(u.node));''')


@row
def global_variable(p):
    r = p.record('nest', least=2)
    p.declare('''
static ref $_one, $_two = NULL;
static struct { uchar before; $r1 in[3]; } $_nest;
static ref managed *$_array;
ref $_external[2];''', r1=r.name)
    return p.fill('''
  static ref kept[$n];
  ref old = kept[k % $n];
  kept[k % $n] = $r;
  $_one = $r;
  $_nest.in[k % 3] = ($r1){$values};
  if (!$_array)
    $_array = cairn_new_array(ref, $n);
  $_array[$u % $n] = $_one;
  $move
  $_two = k & 1 ? $_one : old;
  $_external[k & 1] = kept[k % $n];
  mix(value_of($_one) + value_of($_two) + value_of(old) + $sum);
  $move
  mix(value_of($_external[0]) + 3 * value_of($_external[1]));
  for (ulong i = 0; i < $n; i++)
    mix(value_of(kept[i]) + value_of($_array[i]));''',
                  r1=r.name, n=p.number(2, 6), values=r.values(), sum=r.sum('$_nest.in[1]'))


@row
def thread_local_variable(p):
    r = p.record('nest')
    p.declare('''
static _Thread_local ref $_mine, $_ring[$n];
_Thread_local $r1 $_nest;''', r1=r.name, n=p.number(2, 5))
    return p.fill('''
  static _Thread_local ulong turn;
  ref old = $_mine;
  $_mine = $_ring[turn % $n] = $r;
  turn += $u;
  $change
  $move
  mix(value_of(old) + value_of($_mine) + value_of($_ring[turn % $n]) + $sum);''', n=2, change=r.change('$_nest'),
                  sum=r.sum('$_nest'))


@row
def static_initialiser(p):
    codes = p.number(1, 3)
    for i in range(codes):
        p.declare(f'''
static $inl ulong $_code{i}(ref a, ulong k)
{{
  $move
  return {i + 2} * value_of(a) + k;
}}''')
    entries = ', '.join(f'{{"name{i}", $_code{i}, NULL, {{{i}, NULL}}}}' for i in range(codes))
    p.declare('''
static struct $_entry {
  const char *name;
  ulong (*code)(ref, ulong);
  ref value;
  struct { uint number; ref more; } nest;
} $_entries[] = {$entries, {"none", NULL, NULL}};''', entries=entries)
    return p.fill('''
  struct $_entry *e = &$_entries[k % $codes];
  e->value = $r;
  $move
  e->nest.more = k & 1 ? e->value : $r;
  mix(strlen(e->name) + e->code(e->value, k) + e->nest.number);
  $move
  for (ulong i = 0; $_entries[i].code; i++)
    mix(value_of($_entries[i].value) + $_entries[i].code($_entries[i].nest.more ? $_entries[i].nest.more : a, i));''',
                  codes=codes)


@row
def static_object(p):
    table = ', '.join(['{.value = $u, .next = &$_nil}', '{.value = $u}'] * p.number(1, 3))
    p.declare('''
static struct node managed $_nil = {.value = $u, .next = &$_nil};
static const struct node managed $_table[] = {$table};
struct node managed $_other = {.next = &$_nil};''', table=table)
    return p.fill('''
  static struct node managed inner = {.value = $u, .next = &$_other};
  ref end = &$_nil, list = $r;
  list->next = $_nil.next == end && k & 1 ? end : NULL;
  $_other.next = list;
  inner.value += k;
  $move
  mix(value_of(&inner) + value_of(list) + $_table[k & 1].value + ($_table[0].next == end));
  $_nil.next = $pick;
  $move
  mix(value_of(end));
  $_nil.next = &$_nil;''', pick=p.pick('$r', '&inner', '&$_nil', 'NULL'))


@row
def new_with_initialiser(p):
    r = p.record('record', least=2)
    return p.fill('''
  ref node = cairn_new_init(struct node, .value = $v, .next = cairn_new_init(struct node, .next = $r, .value = $u));
  $r1 managed *record = cairn_new_init($r1, $values);
  $move
  mix(value_of(node) + $sum);
  record = cairn_new_init($r1, $values2);
  $move
  mix(value_of(node->next) + $sum);''',
                  r1=r.name, values=r.values(), values2=r.values(some=True), sum=r.sum('(*record)'))
