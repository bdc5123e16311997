# SPDX-License-Identifier: Apache-2.0
"""Templates of the rows "Expressions and statements" and "Functions and memory" of docs/constructs.md, as in
declarations.py."""

ROWS = {}


def row(template):
    ROWS[template.__name__] = template
    return template


@row
def comparison(p):
    return p.fill('''
  ref one = make($v), two = $r, three = k & 1 ? one : two, null = k & 2 ? NULL : one;
  $move
  mix((one == three) + 2 * (one != two) + 4 * !null + 8 * (null == NULL));
  if ((one < two) != (two < one) || one == two)
    mix(5);
  assert(one);
  $move
  bool found = null && null->next != one, either = null || three == two;
  mix(found + 2 * either + value_of(null ?: two) + value_of(null ? null : a));
  while (one && two && one != three) {
    $quiet
    one = one->next;
  }
  mix(!!one + (two >= two) + (a <= a));''')


@row
def pointer_arithmetic(p):
    kind = p.pick('ulong', 'uint', 'uchar', 'ushort')
    return p.fill('''
  $kind managed *numbers = cairn_new_array($kind, $n), *at = numbers + $from, *end = numbers + $n;
  ref managed *all = cairn_new_array(ref, $n), *slot = all;
  for ($kind managed *each = numbers; each < end; each += $step) {
    *each = ($kind)(each - numbers + k);
    $move
    *slot++ = $r;
  }
  $move
  mix(*at++);
  mix(3ul * *at + (ulong)(end - at) + 5ul * at[-$from] + (ulong)(slot - all));
  --slot;
  while (slot-- > all + 1) {
    mix(value_of(*slot) + value_of(slot[1]));
    $quiet
  }
  at -= $from;
  at[1] = ($kind)$u;
  $move
  mix(numbers[1] + 3ul * numbers[2] + (at == numbers + 1));''',
                  kind=kind, n=p.number(6, 20), **{'from': p.number(1, 4)},
                  step=p.number(1, 2))


@row
def interior_pointer(p):
    r = p.record('inside', least=2)
    p.declare('''
struct $_holder { ref node; ulong number; $r1 inside; ref slots[3]; uchar bytes[5]; };
static $inl void $_store(ref managed *slot, ulong managed *number, ref a, ulong k)
{
  $move
  *number += k;
  *slot = $r;
}''', r1=r.name)
    return p.fill('''
  struct $_holder managed *h = cairn_new(struct $_holder);
  ulong managed *number = &h->number;
  ref managed *slot = &h->slots[k % 3];
  $r1 managed *inside = &h->inside;
  uchar managed *byte = &h->bytes[$byte];
  h->node = $r;
  $move
  *number = $v;
  *slot = $r;
  *inside = ($r1){$values};
  *byte = $u;
  $_store(k & 1 ? slot : &h->node, number, a, k);
  h = NULL;
  $move
  mix(*number + *byte + value_of(*slot) + $sum);
  for (int i = 0; i < 3; i++) {
    $quiet
    mix(*byte + *number);
  }''', r1=r.name, byte=p.number(0, 4), values=r.values(), sum=r.sum('(*inside)'))


@row
def container_of_member(p):
    p.declare('''
struct $_holder { $before ref node; struct { ulong first, second; } pair; $after };
#define $_container(pointer, type, member) \\
  ((type managed *)((char managed *)(pointer) - offsetof(type, member)))
static $inl ref $_node(ulong managed *second, ulong k)
{
  $quiet
  return $container(second, struct $_holder, pair.second)->node;
}''', before=p.pick('', 'ulong word;', 'uchar byte;'), after=p.pick('', 'ref other;', 'uint more;'),
              container=p.pick('cairn_container_of', '$_container'))
    return p.fill('''
  struct $_holder managed *h = cairn_new(struct $_holder);
  ulong managed *second = &h->pair.second;
  h->node = $r;
  *second = $v;
  $move
  mix(value_of($_node(second, k)) + $_container(second, struct $_holder, pair.second)->pair.second);
  second = &cairn_container_of(second, struct $_holder, pair.second)->pair.first;
  *second = $u;
  $move
  mix(h->pair.first + (cairn_container_of(second, struct $_holder, pair.first) == h));''')


@row
def statement_expression(p):
    return p.fill('''
  ref made = ({
    ref first = $r;
    $move
    first = k & 1 ? first : ({ ref inner = make($v); $quiet inner->next = first; inner; });
    first;
  });
  mix(value_of(made));
  mix(({ ulong n = 0; for (ref at = made; at && n < 9; at = at->next) { $quiet n += 3; } n; }) + made->value);
  $move
  mix(value_of(({ ref all[2] = {made, $r}; $quiet all[k & 1]; })));''')


@row
def cleanup_attribute(p):
    p.declare('''
static ulong $_cleaned;
static $inl void $_clean(ref *variable)
{
  ref a = *variable;
  ulong k = $_cleaned % 8;
  $move
  $_cleaned = $_cleaned * 3 + value_of(*variable) + a->value;
}
static $inl ref $_leave(ref a, ulong k)
{
  ref scoped __attribute__((cleanup($_clean))) = make($v);
  for (ulong i = 0; i < 3; i++) {
    ref inner __attribute__((cleanup($_clean))) = $r;
    $quiet
    if (i == k % 4)
      return inner;
    if (i == 1)
      goto end;
  }
end:
  return scoped;
}''')
    return p.fill('''
  for (ulong i = 0; i < $n; i++) {
    ref scoped __attribute__((cleanup($_clean))) = $r, more __attribute__((cleanup($_clean))) = a;
    $move
    if ((i + k) % 3 == 1)
      continue;
    if (i == 4)
      break;
    mix(value_of(scoped) + value_of(more));
  }
  mix(value_of($_leave(a, k)) + value_of($_leave($r, $u)));
  mix($_cleaned);''', n=p.number(1, 6))


@row
def goto_statement(p):
    return p.fill('''
  ref list = NULL, other = $r;
  ulong n = 0;
again:
  $move
  {
    ref first = make($v + n);
    first->next = list;
    list = first;
    if (n == k % 5)
      goto middle;
  }
back:
  if (++n < $n)
    goto again;
  goto end;
middle:
  for (ulong i = 0; i < 2; i++)
    for (ulong j = 0; j < 3; j++) {
      other = $r;
      if (i + j == k % 3)
        goto back;
      $quiet
    }
  goto back;
end:
  mix(value_of(list) + 3 * value_of(other) + n);''', n=p.number(2, 7))


@row
def computed_goto(p):
    code, depth = [0], 1  # operations: 0 pushes, 1 adds, 2 copies the top, 3 turns the top two, 4 ends
    for _ in range(p.number(4, 16)):
        possible = [op for op, need in ((0, 0), (1, 2), (2, 1), (3, 2)) if depth >= need]
        code.append(p.pick(*[op for op in possible if op in (1, 3) or depth < 5]))
        depth += {0: 1, 1: -1, 2: 1, 3: 0}[code[-1]]
    return p.fill('''
  static const void *const labels[] = {&&push, &&add, &&copy, &&turn, &&end};
  static const uchar program[] = {$code, 4};
  ref stack[6] = {NULL}, turned;
  ulong at = 0, top = 0;
  goto *labels[program[at++]];
push:
  stack[top++] = make(at + k);
  $move
  goto *labels[program[at++]];
add:
  top--;
  stack[top - 1] = make(value_of(stack[top - 1]) + value_of(stack[top]));
  $quiet
  goto *labels[program[at++]];
copy:
  stack[top] = stack[top - 1];
  top++;
  goto *labels[program[at++]];
turn:
  turned = stack[top - 1];
  $quiet
  stack[top - 1] = stack[top - 2];
  stack[top - 2] = turned;
  goto *labels[program[at++]];
end:
  for (ulong i = 0; i < top; i++)
    mix(value_of(stack[i]));''', code=', '.join(map(str, code)))


@row
def switch_statement(p):
    return p.fill('''
  ref from = $r, to = NULL;
  ulong n = $n + k % 5, turns = (n + 3) / 4;
  switch (n % 4) {
    do {
    case 0:
      to = make(from->value + turns);
      __attribute__((fallthrough));
    case 3:
      $move
      __attribute__((fallthrough));
    case 1 ... 2:
      to = to ? to : from;
    } while (--turns > 0);
  }
  for (ulong i = 0; i < 4; i++)
    switch ((i + k) * $step) {
    case 0: from = $r; break;
    case 1 ... 4: to = $r;
    case 5: { $quiet } mix(value_of(from)); break;
    case 6 ... 20: { ref inner = $r; $move from = inner; } break;
    default: to = from;
    }
  mix(value_of(to) + 3 * value_of(from));''', n=p.number(1, 9), step=p.number(1, 4))


@row
def comma_operator(p):
    return p.fill('''
  ref one, two, three;
  ulong n = (one = $r, move(), two = one, two->value);
  for (ulong i = 0, j = (three = $r, 3); i < j; i++, churn(2), three = three->next ? three->next : a) {
    $move
    mix(value_of(three));
  }
  mix(n + (one == two) + value_of((move(), k & 1 ? one : three)) + (churn(1), value_of(two)));''')


@row
def builtins(p):
    return p.fill('''
  ref node = make($v), other = $r;
  __builtin_prefetch((const void managed *)node ? "" : "x");
  $move
  mix(__builtin_expect(node->value > $u, 1) + 2 * __builtin_types_compatible_p(__typeof__(node), ref));
  mix(value_of(__builtin_choose_expr($choice, node, other)) + (__builtin_expect(other == node, 0) ? 3 : 4));
  ulong sum;
  mix(__builtin_add_overflow(node->value, $u, &sum));
  mix(sum + __builtin_popcountl(node->value) + __builtin_bswap64(k));
  if (!node)
    __builtin_unreachable();
  $move
  mix(value_of(node) + __builtin_offsetof(struct node, next) + __builtin_ctzl(node->value | 16));''',
                  choice=p.number(0, 1))


@row
def inline_assembly(p):
    p.declare('''
static $inl ulong $_add(ulong x, ulong y)
{
#if defined(__x86_64__)
  __asm__ volatile("add %1, %0" : "+r"(x) : "r"(y) : "cc", "memory");
#elif defined(__aarch64__)
  __asm__ volatile("add %0, %0, %1" : "+r"(x) : "r"(y) : "memory");
#else
  __asm__ volatile("" : "+r"(x) : "r"(y) : "memory");
  x += y;
#endif
  return x;
}''')
    return p.fill('''
  ref node = make($v);
  ulong value = node->value;
  for (ulong i = 0; i < $n; i++) {
    value = $_add(value, i + k);
    $move
    __asm__ volatile("" : "+r"(value) : : "memory");
    node->value = value;
  }
  mix(value_of(node));''', n=p.number(1, 4))


@row
def inline_function(p):
    p.declare('''
static inline $attribute ref $_reversed(ref list, ulong k)
{
  ref done = NULL;
  for (int i = 0; list && i < 5; i++) {
    ref next = list->next;
    $quiet
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}
static inline $attribute ref $_twice(ref list, ulong k) { return $_reversed($_reversed(list, k), k + 1); }''',
              attribute=p.pick('', *(f'__attribute__(({name}))' for name in ('always_inline', 'noinline', 'flatten'))))
    return p.fill('''
  ref list = chain($v, $n);
  $move
  list = $_reversed(list, k);
  mix(value_of(list));
  $move
  mix(value_of($_twice(list, k)));''', n=p.number(1, 4))


@row
def function_pointer(p):
    p.declare('''
typedef ref (*$_operation)(ref, ref, ulong);
static $inl ref $_plus(ref a, ref b, ulong k)
{
  $move
  return make(value_of(a) + value_of(b));
}
static $inl ref $_second(ref a, ref b, ulong k) { return k & 1 ? b : a; }
static $inl ref $_link(ref a, ref b, ulong k)
{
  ref made = make($v);
  $quiet
  made->next = k & 2 ? a : b;
  return made;
}
static $_operation $_global = $_plus;
static $inl $_operation $_choose(ulong k) { return k % 3 ? k % 3 > 1 ? $_second : $_link : $_plus; }''')
    return p.fill('''
  $_operation all[] = {$_plus, $_link, $_second};
  ref made = $r;
  for (ulong i = 0; i < $n; i++)
    made = all[(i + k) % 3](made, $r, i);
  $move
  $_global = $_choose(k);
  made = $_global(made, a, k);
  made = (k & 1 ? $_plus : *$_link)(made, $_choose($u)(a, made, k), k);
  mix(value_of(made));''', n=p.number(1, 5))


@row
def array_parameter(p):
    p.declare('''
static $inl ulong $_sum(ulong n, ref all[$bound], ulong k)
{
  ulong sum = 0;
  for (ulong i = 0; i < n; i++) {
    $quiet
    sum = sum * 3 + value_of(all[i]);
  }
  all[k % n] = make($u);
  return sum;
}
static $inl ulong $_grid(ref grid[][2], ulong k)
{
  $quiet
  return value_of(grid[k & 1][0]) + value_of(grid[1][k & 1]);
}''',
              bound=p.pick('', 'static n', 'n', '2'))
    return p.fill('''
  ref all[$n] = {$r, a}, grid[2][2] = {{$r, NULL}, {a, $r}};
  mix($_sum($n, all, k));
  $move
  mix($_sum(2, &all[$n - 2], $u) + $_grid(grid, k));
  for (int i = 0; i < $n; i++)
    mix(value_of(all[i]));''', n=p.number(2, 6))


@row
def alias_attribute(p):
    p.declare('''
ref $_named(ref a, ulong k);
ref $_renamed(ref a, ulong k) __attribute__((alias("$_named")));
ref $_named(ref a, ulong k)
{
  $move
  return k & 1 ? a : make($v);
}''')
    return p.fill('''
  ref node = $_renamed(a, k), other = $_named(node, $u);
  ref (*pointer)(ref, ulong) = $_renamed;
  $move
  mix(value_of(node) + 3 * value_of(other) + value_of(pointer(node, k)) + (pointer == $_named));''')


@row
def constructor_attribute(p):
    p.declare('''
static ref $_made, $_list;
static __attribute__((constructor$priority)) void $_construct(void)
{
  $_made = make($u);
  for (ulong i = 0; i < $s; i++) {
    ref first = make(i);
    churn($s);
    first->next = $_list;
    $_list = first;
  }
}''', priority=p.pick('', '(201)', '(500)'))
    return p.fill('''
  $move
  mix(value_of($_made) + 3 * value_of($_list));
  $_made = $r;''')


@row
def transparent_union(p):
    p.declare('''
struct $_other { ulong value; };
typedef union {
  ref node;
  void managed *any;
  struct $_other managed *other;
} $_argument __attribute__((transparent_union));
static $inl ulong $_value($_argument argument, ulong k)
{
  $quiet
  return argument.node->value;
}''')
    return p.fill('''
  ref node = $r;
  void managed *any = node;
  $_argument kept = {.node = a};
  mix($_value(node, k) + 3 * $_value(any, $u));
  $move
  mix($_value(kept, k) + $_value(kept.any, k));''')


@row
def musttail_call(p):
    p.declare('''
static $inl ulong $_other(ref list, ref a, ulong sum, ulong k);
static $inl ulong $_count(ref list, ref a, ulong sum, ulong k)
{
  if (!list || k > 20)
    return sum;
  $move
  __attribute__((musttail)) return $which(list->next, a, sum * 3 + list->value, k + 1);
}
static $inl ulong $_other(ref list, ref a, ulong sum, ulong k)
{
  ref made = k & 1 ? make(sum) : a;
  $quiet
  if (!list)
    return sum + value_of(made);
  __attribute__((musttail)) return $_count(list->next, made, sum + list->value, k + 2);
}''', which=p.pick('$_count', '$_other'))
    return p.fill('''
  ref list = chain($v, $n);
  mix($_count(list, a, 0, k % 8));
  $move
  mix($_other(list, $r, $u, 1));''', n=p.number(1, 9))


@row
def variadic_function(p):
    p.declare('''
static $inl ulong $_add(ref first, ulong k, int count, ...)
{
  va_list list;
  ulong sum = first->value;
  va_start(list, count);
  for (int i = 0; i < count; i++) {
    $quiet
    if (i % 3 == 2)
      sum += (ulong)va_arg(list, double);
    else
      sum = sum * 3 + va_arg(list, ulong);
  }
  va_end(list);
  return sum + value_of(first);
}''')
    counts = p.number(0, 9)
    numbers = ''.join(', 2.5' if i % 3 == 2 else ', (ulong)($v)' for i in range(counts))
    return p.fill('''
  ref first = $r;
  mix($_add(first, k, $count$numbers));
  $move
  mix($_add($r, $u, 2, first->value, k));''', count=counts, numbers=numbers)


@row
def setjmp_in_own_function(p):
    p.declare('''
static jmp_buf $_buffer;
static ref $_kept;
static ulong $_k;
static __attribute__((noinline)) void $_jump(ref a, ulong k, ulong depth)
{
  ref held = make($v);
  $move
  if (depth > 0)
    $_jump(held, k, depth - 1);
  else if (k % 3 != 0)
    longjmp($_buffer, (int)(k % 3));
  mix(value_of(held));
}
static void $_guarded(void)
{
  ref a = $_kept;
  ulong k = $_k;
  $_kept = $r;
  $_jump(a, k, $depth);
  $move
  $_jump(a, 2, 1);
}
static __attribute__((noinline)) int $_protect(void (*body)(void))
{
  int status = setjmp($_buffer);
  if (status == 0)
    body();
  return status;
}''', depth=p.number(0, 5))
    return p.fill('''
  ref held = $r;
  for (ulong i = 0; i < $n; i++) {
    $_kept = k & 1 ? held : a;
    $_k = k + i;
    mix($_protect($_guarded) + value_of($_kept));
    $move
  }
  mix(value_of(held));''', n=p.number(1, 3))


@row
def memory_functions(p):
    r = p.record('record')
    return p.fill('''
  $r1 all[$n] = {{$values}, {$values2}};
  $r1 managed *objects = cairn_new_array($r1, $n);
  ref refs[3] = {$r, a}, copies[3];
  memcpy(copies, refs, sizeof refs);
  memcpy(&all[$n - 1], &all[0], sizeof all[0]);
  memmove(&all[1], &all[0], ($n - 1) * sizeof all[0]);
  $move
  memcpy(objects, all, $part * sizeof all[0]);
  memmove(&objects[0], &objects[1], (k % 2 + 1) * sizeof objects[0]);
  memmove(&objects[1], &objects[0], 2 * sizeof objects[0]);
  memset(&all[k % $n], 0, sizeof all[0]);
  $move
  for (ulong i = 0; i < $n; i++) {
    $r1 copy;
    memcpy(&copy, &objects[i], sizeof copy);
    $quiet
    mix($sum1 + 3 * $sum2);
  }
  memset(objects, 0, $part * sizeof objects[0]);
  mix($sum3 + value_of(copies[k & 1]) + value_of(copies[2]));''',
                  r1=r.name, n=p.number(3, 6), part=p.number(2, 3), values=r.values(),
                  values2=r.values(some=True), sum1=r.sum('copy'), sum2=r.sum('all[i]'), sum3=r.sum('objects[0]'))


@row
def copy_to_native(p):
    return p.fill('''
  $kind managed *text = cairn_new_array($kind, $n);
  $kind bytes[$n], other[$n];
  for (ulong i = 0; i < $n; i++)
    bytes[i] = ($kind)(i * $u + k);
  cairn_copy_in(text, bytes, $part * sizeof bytes[0]);
  $move
  text[$n - 1] = $u;
  cairn_copy_out(other, text, sizeof other);
  $kind managed *half = cairn_new_array($kind, $n);
  cairn_copy(half, text + $n / 2, ($n - $n / 2) * sizeof *half);
  $move
  for (ulong i = 0; i < $n; i++)
    mix(other[i] + 3ul * half[i]);''', kind=p.pick('uchar', 'char', 'ulong', 'ushort'), n=p.pick(2, 6, 13, 40), part=2)


@row
def alloca_of_data(p):
    return p.fill('''
  ref node = $r;
  for (ulong turn = 0; turn < $turns; turn++) {
    ulong n = 1 + (node->value + k) % $n;
    $kind *data = $alloca(n * sizeof *data);
    for (ulong i = 0; i < n; i++) {
      data[i] = ($kind)(i + $u);
      $quiet
    }
    $move
    mix(data[n - 1] + 3ul * data[k % n] + value_of(node));
  }''',
                  turns=p.number(1, 3), n=p.number(2, 30), kind=p.pick('uchar', 'ulong', 'ushort'),
                  alloca=p.pick('alloca', '__builtin_alloca'))


@row
def memory_of_malloc(p):
    p.declare('''
struct $_buffer {
  $before
  ulong *numbers;
  ref owner;
  ulong count;
};
static $inl void $_grow(struct $_buffer managed *b, ulong k)
{
  b->numbers = realloc(b->numbers, (b->count + 1) * sizeof *b->numbers);
  $quiet
  b->numbers[b->count++] = k;
}''', before=p.pick('', 'ref other;', 'uchar byte;'))
    return p.fill('''
  struct $_buffer managed *b = cairn_new(struct $_buffer);
  b->numbers = malloc(2 * sizeof *b->numbers);
  b->owner = $r;
  for (ulong i = 0; i < $n; i++) {
    $_grow(b, $v + i);
    $move
  }
  char *text = strdup("text");
  mix(strlen(text) + value_of(b->owner));
  free(text);
  for (ulong i = 0; i < b->count; i++)
    mix(b->numbers[i]);
  free(b->numbers);''', n=p.number(1, 6))


@row
def qsort_of_data(p):
    p.declare('''
static $inl int $_compare(const void *x, const void *y)
{
  ref one = make(*(const ulong *)x), two = make(*(const ulong *)y);
  $compare
  return (one->value > two->value) - (one->value < two->value);
}''', compare=p.pick('move();', 'churn(2);', 'churn(1); move();'))
    return p.fill('''
  ulong numbers[$n], key;
  ref kept = $r;
  for (ulong i = 0; i < $n; i++)
    numbers[i] = (i * 7919 + k * $u) % 101;
  key = numbers[$n / 2];
  $move
  qsort(numbers, $n, sizeof *numbers, $_compare);
  ulong *found = bsearch(&key, numbers, $n, sizeof *numbers, $_compare);
  mix((found ? *found : 1) + value_of(kept));
  for (ulong i = 0; i < $n; i++)
    mix(numbers[i]);''', n=p.number(2, 9))
