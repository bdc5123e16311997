#!/usr/bin/env python3
"""Print a random managed-C program of texts, vectors, maps and tagged unions, from a seed.

Texts of <cairn/string.h>, vectors, sorts and searches of <cairn/array.h>, maps of <cairn/map.h>, unions of cairn_union(),
structs with references by value, stores through ordinary pointers to locals, globals and thread-locals, atomic
references, arrays that grow and shrink, local arrays of variable length. Statements are in loops and branches, and call
each other. The program prints a checksum that does not depend on addresses. Compiled with -DCAIRN_PLAIN by any C
compiler it is its own oracle. Its argument is the number of rounds.

usage: random_containers.py SEED > program.c
"""
import random
import sys

PRELUDE = """\
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cairn/array.h>
#include <cairn/map.h>
#include <cairn/string.h>

typedef unsigned long ulong;
typedef struct node managed node;
typedef node *ref;
typedef const char managed *text;
typedef struct cairn_builder managed *builder;
enum kind { NOTHING, INTEGER, NUMBER, SMALL, NODE, TEXT, LIST };
struct value {
  enum kind kind;
  cairn_union(long integer; double number; float small; ref node; text text; struct values managed *list;) as;
};
struct wide { ulong weight; cairn_union(ref node; ulong word; unsigned char byte;) as; ref other; };
struct pair { ref first; ulong number; text second; };
struct node { ulong value; ref left, right; struct pair pair; struct value extra; struct wide wide; };
CAIRN_VECTOR(refs, ref);
CAIRN_VECTOR(values, struct value);
CAIRN_VECTOR(numbers, ulong);
CAIRN_VECTOR(pairs, struct pair);
CAIRN_MAP(words, text, struct value, cairn_hash_text, cairn_equal_texts)
CAIRN_MAP(counts, ulong, ref, cairn_hash_integer, cairn_equal_words)
CAIRN_MAP(objects, ref, struct pair, cairn_hash_object, cairn_equal_words)
CAIRN_WEAK_MAP(notes, ref, ref, cairn_hash_object, cairn_equal_words)
enum { CORE = 12 };
struct world {
  struct refs refs;
  struct values managed *values;
  struct numbers numbers;
  struct pairs pairs;
  struct words managed *words;
  struct counts managed *counts;
  struct objects managed *objects;
  struct notes managed *notes;
  struct cairn_builder builder;
  ref managed *array;
  ulong length;
  ref core[CORE]; /* stay, as keys of the maps by identity */
};
static ref global_ref;
static struct pair global_pair;
static struct value global_values[3];
static _Atomic(ref) shared[3];
static _Thread_local ref own_ref;
static _Thread_local struct value own_values[2];
static _Thread_local ulong sum;
static _Thread_local long fuel;

static void mix(ulong x) { sum = (sum ^ x) * 0x9e3779b97f4a7c15ul; sum ^= sum >> 29; }
static ulong number_of(ref r) { return r ? r->value + 3 * r->pair.number : 77; }
static ulong hash_of(text t) { return t ? cairn_hash_text(t) : 5; }
__attribute__((noinline)) static ref make(ulong value, ref left)
{
  ref r = cairn_new(node);
  if (left && left->left) left->left->left = NULL; /* lists stay short */
  r->value = value;
  r->left = left;
  r->wide.as.word = value * 0x9e3779b97f4a7c15ul;
  return r;
}
static text cut(text t) { return strlen(t) > 200 ? (text)cairn_slice(t + strlen(t) % 60, 100) : t; }
static text word(ulong k) { return cairn_format("w%lu", k % 97); }
static ulong place(text found, text in) { return found ? (ulong)(found - in) : 999; }
static ulong sign(long n) { return n < 0 ? 1 : n > 0 ? 2 : 3; }
static ulong digest(struct value v, int depth)
{
  switch (v.kind) {
  case INTEGER: return (ulong)v.as.integer;
  case NUMBER: return (ulong)(long)(v.as.number * 16);
  case SMALL: return (ulong)(long)(v.as.small * 4);
  case NODE: return number_of(v.as.node) + 1;
  case TEXT: return hash_of(v.as.text);
  case LIST: {
    ulong s = 13;
    for (long i = 0; depth < 3 && i < v.as.list->length; i++) s = s * 31 + digest(v.as.list->at[i], depth + 1);
    return s;
  }
  default: return 11;
  }
}
static ulong digest_pair(struct pair managed *p) { return number_of(p->first) + 3 * p->number + hash_of(p->second); }
static struct value of_integer(ulong n) { return (struct value){.kind = INTEGER, .as.integer = (long)n}; }
static struct value of_number(ulong n) { return (struct value){.kind = NUMBER, .as.number = (double)(n % 4096) * -0.25}; }
static struct value of_small(ulong n) { return (struct value){.kind = SMALL, .as.small = (float)(n % 64) * -0.5f}; }
__attribute__((noinline)) static struct value of_node(ref r) { return (struct value){.kind = NODE, .as.node = r}; }
__attribute__((noinline)) static struct value of_text(text t) { return (struct value){.kind = TEXT, .as.text = t}; }
__attribute__((noinline)) static struct value of_list(struct value a, struct value b)
{
  struct value v = {.kind = LIST};
  v.as.list = cairn_new(struct values);
  if (a.kind != LIST) cairn_push(v.as.list, a);
  if (b.kind != LIST) cairn_push(v.as.list, b);
  return v;
}
static ref node_of(struct value v, ref other) { return v.kind == NODE && v.as.node ? v.as.node : other; }
static text text_of(struct value v, text other) { return v.kind == TEXT && v.as.text ? v.as.text : other; }
__attribute__((noinline)) static void take(ref *to, ref r) { ref other = make(1, *to); *to = r ? r : other; }
__attribute__((noinline)) static void swap(ref *a, ref *b) { ref t = *a; *a = *b; *b = t; }
__attribute__((noinline)) static void take_text(text *to, text t) { *to = cut(t); }
__attribute__((noinline)) static void take_value(struct value *to, struct value v) { *to = v; }
__attribute__((noinline)) static void take_pair(struct pair *to, ref r, ulong n, text t)
{
  to->first = make(n, r);
  to->number = n;
  to->second = cairn_concat(cut(t), cairn_literal("!"));
}
__attribute__((noinline)) static struct pair pair_of(ref r, ulong n, text t) { struct pair p = {r, n, t}; mix(n); return p; }
static int by_value(const ref managed *a, const ref managed *b)
{
  return number_of(*a) < number_of(*b) ? -1 : number_of(*a) > number_of(*b);
}
/* Allocates. */
static int by_text(const struct pair managed *a, const struct pair managed *b)
{
  text x = cairn_format("%s/%lu", a->second, a->number), y = cairn_format("%s/%lu", b->second, b->number);
  return strcmp(x, y);
}
static int by_number(const ulong managed *a, const ulong managed *b) { return *a < *b ? -1 : *a > *b; }
static int by_digest(const struct value managed *a, const struct value managed *b)
{
  ulong x = digest(*a, 0), y = digest(*b, 0);
  return x < y ? -1 : x > y;
}
"""

EPILOGUE = """\
__attribute__((noinline)) static void mix_world(struct world managed *w)
{
  ulong any = 0;
  for (long i = 0; i < w->refs.length; i++) mix(number_of(w->refs.at[i]));
  for (long i = 0; i < w->values->length; i++) mix(digest(w->values->at[i], 0));
  for (long i = 0; i < w->numbers.length; i++) mix(w->numbers.at[i]);
  for (long i = 0; i < w->pairs.length; i++) mix(digest_pair(&w->pairs.at[i]));
  for (long i = -1; (i = words_next(w->words, i)) >= 0;) mix(hash_of(w->words->entries->at[i].key) + digest(w->words->entries->at[i].value, 0));
  for (long i = -1; (i = counts_next(w->counts, i)) >= 0;) mix(w->counts->entries->at[i].key + number_of(w->counts->entries->at[i].value));
  for (long i = -1; (i = objects_next(w->objects, i)) >= 0;) any += digest_pair(&w->objects->entries->at[i].value);
  for (int i = 0; i < CORE; i++) {
    ref managed *note = notes_get(w->notes, w->core[i]);
    any += note ? number_of(*note) : 3;
  }
  for (ulong i = 0; i < w->length; i++) mix(number_of(w->array[i]));
  for (int i = 0; i < 3; i++) mix(number_of(atomic_load(&shared[i])) + digest(global_values[i], 0));
  mix(any + number_of(global_ref) + number_of(own_ref) + number_of(global_pair.first) + hash_of(global_pair.second));
  mix(digest(own_values[0], 0) + 3 * digest(own_values[1], 0) + w->builder.length);
}
static struct world managed *make_world(void)
{
  struct world managed *w = cairn_new(struct world);
  w->values = cairn_new(struct values);
  w->words = words_new();
  w->counts = counts_new();
  w->objects = objects_new();
  w->notes = notes_new();
  for (int i = 0; i < CORE; i++) w->core[i] = make((ulong)i * 11, NULL);
  return w;
}
/* Nothing grows without bounds. */
static void shrink(struct world managed *w)
{
  while (w->refs.length > 40) (void)cairn_pop(&w->refs);
  while (w->values->length > 40) (void)cairn_pop(w->values);
  if (w->numbers.length > 60) { w->numbers.length = 20; }
  while (w->pairs.length > 30) cairn_remove(&w->pairs, 0);
  if (w->builder.length > 3000) mix(hash_of(cairn_builder_text(&w->builder)));
  if (words_count(w->words) > 80) w->words = words_new();
  if (counts_count(w->counts) > 80) w->counts = counts_new();
  for (long i = 0; i < w->refs.length; i++)
    if (w->refs.at[i] && w->refs.at[i]->left) w->refs.at[i]->left->left = NULL;
}
static ulong rounds;
static void *run(void *seed)
{
  struct world managed *w = make_world();
  sum = (ulong)(size_t)seed;
  for (ulong n = 0; n < rounds; n++) {
    fuel = %(fuel)d;
    switch ((n * 7 + sum) %% %(operations)d) {
%(cases)s
    }
    shrink(w);
    if (n %% 8 == 7) mix_world(w);
  }
  mix_world(w);
  printf("%%lx\\n", sum);
  return NULL;
}
int main(int argc, char **argv)
{
  rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, (void *)1) != 0) return 2;
  pthread_join(thread, NULL);
  run((void *)2);
  return 0;
}
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.out = []
        self.counter = 0
        self.operations = 0

    def pick(self, *items):
        return self.random.choice(items)

    def below(self, n):
        return self.random.randrange(n)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def line(self, depth, text):
        self.out.append("  " * depth + text)

    # ---- expressions: of the locals r, q (ref), s, t (text), u, v (value), n, k (number), p (pair)

    def n(self):
        return self.pick("n", "k", "(n + k)", str(self.below(100)), f"n * {self.pick(3, 5, 7)}ul", "p.number")

    def number(self):
        return self.pick(self.n(), self.n(), f"number_of({self.r()})", f"digest({self.v()}, 0)", f"strlen({self.t()})",
                         f"sign(strcmp({self.t()}, {self.t()}))", f"sign(strncmp({self.t()}, {self.t()}, {self.n()} % 9))",
                         f"place(strchr(s, '{self.pick('0', '1', 'w', '-', 'x')}'), s)", f"place(strrchr(t, '{self.pick('0', 'w')}'), t)",
                         f"place(strstr(s, {self.pick('t', chr(34) + 'w1' + chr(34), chr(34) + '-' + chr(34))}), s)",
                         f"place((text)memchr(s, '1', strlen(s) + 1), s)", f"sign(memcmp(s, t, strlen(s) < strlen(t) ? strlen(s) : strlen(t)))",
                         f"strspn({self.t()}, \"w0123\")", f"sign(strcmp({self.t()}, \"w{self.below(97)}\"))", f"sign(strcmp(\"w4\", {self.t()}))",
                         f"sign(strcasecmp({self.t()}, \"W{self.below(97)}\"))", "hash_of(s)", "hash_of(p.second)")

    def r(self):
        return self.pick("r", "q", "r", "q", "global_ref", "own_ref", "p.first", "w->core[n % CORE]", f"node_of({self.pick('u', 'v')}, q)",
                         "(w->refs.length ? w->refs.at[n % (ulong)w->refs.length] : r)", "atomic_load(&shared[k % 3])",
                         "(r ? r->left : q)", "(q ? q->right : r)", "(w->length ? w->array[k % w->length] : q)")

    def new(self):
        return self.pick(f"make({self.n()}, NULL)", f"make({self.n()}, r)", self.r(), self.r())

    def t(self):
        return self.pick("s", "t", "s", "t", f"word({self.n()})", f"text_of({self.pick('u', 'v')}, s)", "(p.second ? p.second : t)",
                         "cairn_literal(\"w17\")")

    def new_text(self):
        return self.pick(f"word({self.n()})", f"cairn_format(\"%s-%lu\", cut(s), {self.n()} % 1000)", "cairn_concat(cut(s), cut(t))",
                         "cairn_slice(s + strlen(s) / 2, strlen(s) - strlen(s) / 2)", f"cairn_format(\"%5.2f|%-7s|%c\", (double)(k % 50) / 4, cut(t), 'x')",
                         f"cairn_text(\"x{self.below(30)}yz\")", self.t())

    def v(self):
        return self.pick("u", "v", "u", "v", f"of_integer({self.n()})", f"of_number({self.n()})", f"of_small({self.n()})", f"of_node({self.r()})",
                         f"of_text({self.pick('s', 't')})", "global_values[n % 3]", "own_values[k & 1]", "of_list(u, v)",
                         "(w->values->length ? w->values->at[n % (ulong)w->values->length] : v)", "(r ? r->extra : u)")

    # A place of a reference that an ordinary pointer leads to.
    def address(self):
        return self.pick("&r", "&q", "&global_ref", "&own_ref", "&p.first", "&global_pair.first", "(k & 1 ? &r : &global_ref)",
                         "(n & 1 ? &own_ref : &q)", "(k % 3 ? &p.first : &global_pair.first)")

    # ---- statements

    def s_ref(self, d):
        self.line(d, self.pick(f"r = {self.new()};", f"q = {self.new()};", f"global_ref = {self.new()};", f"own_ref = {self.new()};",
                               f"if (r) r->{self.pick('left', 'right', 'pair.first')} = {self.r()};", f"if (q) q->extra = {self.v()};"))

    def s_text(self, d):
        self.line(d, f"{self.pick('s', 't')} = {self.new_text()};")

    def s_value(self, d):
        self.line(d, self.pick(f"u = {self.v()};", f"v = {self.v()};", f"global_values[k % 3] = {self.v()};", f"own_values[n & 1] = {self.v()};",
                               f"u.kind = INTEGER; u.as.integer = (long){self.n()};", f"{{ ref made = {self.new()}; v.kind = NODE; ref other = make(n, NULL); v.as.node = k & 1 ? made : other; }}",
                               f"v.kind = NUMBER; v.as.number = (double)({self.n()} % 1000) / -8;", f"u.as.text = {self.t()}; u.kind = TEXT;"))

    def s_wide(self, d):
        self.line(d, "if (r) {")
        self.line(d + 1, self.pick(f"r->wide.as.word = {self.n()} * 0x9e3779b97f4a7c15ul; mix(r->wide.as.word);",
                                   f"r->wide.as.node = {self.r()}; mix(number_of(r->wide.as.node));",
                                   f"r->wide.as.byte = (unsigned char){self.n()}; mix(r->wide.as.byte);",
                                   f"struct wide x = {{.weight = n, .as.word = ~{self.n()}}}; x.other = {self.r()}; r->wide = x; mix(r->wide.as.word + number_of(r->wide.other));"))
        self.line(d, "}")

    def s_mix(self, d):
        self.line(d, f"mix({self.number()});")

    def s_number(self, d):
        self.line(d, f"k = {self.number()} % 100003;")

    def s_pair(self, d):
        self.line(d, self.pick(f"p = pair_of({self.r()}, {self.n()}, {self.t()});", f"take_pair({self.pick('&p', '&global_pair')}, {self.r()}, {self.n()}, {self.t()});",
                               "global_pair = p;", "p = global_pair;", "if (r) r->pair = p;", "if (q) p = q->pair;"))

    def s_out(self, d):
        self.line(d, self.pick(f"take({self.address()}, {self.r()});", f"swap({self.pick('&r', '&p.first')}, {self.pick('&q', '&global_ref', '&own_ref')});",
                               f"take_text({self.pick('&s', '&t')}, {self.t()});", f"*{self.address()} = {self.new()};",
                               f"take_value({self.pick('&u', '&v', '&global_values[2]', '&own_values[0]')}, {self.v()});",
                               f"take({self.address()}, {self.r()});", f"{{ ref *where = {self.address()}; *where = make({self.n()}, *where ? NULL : q); }}"))

    def s_atomic(self, d):
        i, x = self.n(), self.fresh("x")
        self.line(d, self.pick(f"atomic_store(&shared[({i}) % 3], {self.new()});", f"q = atomic_exchange(&shared[({i}) % 3], r);",
                               f"{{ ref {x} = atomic_load(&shared[0]); ref made = {self.new()}; mix(atomic_compare_exchange_strong(&shared[0], &{x}, made)); }}"))

    def s_refs(self, d):
        self.line(d, self.pick(f"cairn_push(&w->refs, {self.new()});", f"cairn_push(&w->refs, {self.new()});", "if (w->refs.length) r = cairn_pop(&w->refs);",
                               f"cairn_insert(&w->refs, w->refs.length / 2, {self.new()});", "if (w->refs.length > 2) cairn_remove(&w->refs, 1);",
                               "if (w->refs.length) cairn_sort(w->refs.at, w->refs.length, by_value);",
                               "if (w->refs.length > 3) { ref managed *part = cairn_array_slice(w->refs.at, 1, w->refs.length - 2); mix(number_of(part[0])); q = part[1]; }",
                               "if (w->refs.length) { cairn_sort(w->refs.at, w->refs.length, by_value); ref managed *found = cairn_search(&w->refs.at[0], w->refs.at, w->refs.length, by_value); "
                               "mix(found ? number_of(*found) : 1); }"))

    def s_values(self, d):
        self.line(d, self.pick(f"cairn_push(w->values, {self.v()});", f"cairn_push(w->values, {self.v()});", "if (w->values->length) u = cairn_pop(w->values);",
                               f"cairn_insert(w->values, 0, {self.v()});", "if (w->values->length > 1) cairn_sort(w->values->at, w->values->length, by_digest);",
                               "if (w->values->length > 1) { struct value held = w->values->at[0]; w->values->at[0] = w->values->at[1]; w->values->at[1] = held; }",
                               "for (long i = 0; i < w->values->length; i++) if (w->values->at[i].kind == INTEGER) w->values->at[i].as.integer += 3;",
                               f"for (long i = 0; i < w->values->length; i++) if (w->values->at[i].kind == NODE) w->values->at[i] = {self.v()};"))

    def s_numbers(self, d):
        self.line(d, self.pick(f"for (ulong i = 0; i < k % 20; i++) cairn_push(&w->numbers, i * n % 31);",
                               "if (w->numbers.length) { cairn_sort(w->numbers.at, w->numbers.length, by_number); mix(w->numbers.at[0]); }",
                               "if (w->numbers.length) mix(cairn_pop(&w->numbers));"))

    def s_pairs(self, d):
        self.line(d, self.pick(f"cairn_push(&w->pairs, p);", f"cairn_push(&w->pairs, pair_of({self.r()}, n, cut({self.t()})));", "if (w->pairs.length) p = cairn_pop(&w->pairs);",
                               "for (long i = 0; i < w->pairs.length; i++) if (!w->pairs.at[i].second) w->pairs.at[i].second = cut(s); "
                               "if (w->pairs.length > 1) cairn_sort(w->pairs.at, w->pairs.length, by_text);",
                               "if (w->pairs.length > 2) memmove(&w->pairs.at[1], &w->pairs.at[0], 2 * sizeof(struct pair));"))

    def s_words(self, d):
        self.line(d, self.pick(f"words_put(w->words, cut({self.t()}), {self.v()});", f"words_put(w->words, word({self.n()}), {self.v()});",
                               f"mix(words_remove(w->words, {self.t()}));", f"{{ struct value managed *at = words_at(w->words, word({self.n()})); *at = of_list(*at, {self.v()}); }}",
                               f"{{ struct value managed *at = words_get(w->words, {self.t()}); if (at) v = *at; }}", "mix((ulong)words_count(w->words));",
                               "for (long i = -1; (i = words_next(w->words, i)) >= 0;) if (w->words->entries->at[i].value.kind == NODE) s = w->words->entries->at[i].key;"))

    def s_counts(self, d):
        self.line(d, self.pick(f"counts_put(w->counts, {self.n()} % 61, {self.new()});", f"{{ ref managed *at = counts_at(w->counts, {self.n()} % 61); *at = make(k, *at ? NULL : r); }}",
                               f"mix(counts_remove(w->counts, {self.n()} % 61));", f"{{ ref managed *at = counts_get(w->counts, {self.n()} % 61); if (at) q = *at; }}"))

    def s_objects(self, d):
        key = f"w->core[{self.n()} % CORE]"
        self.line(d, self.pick(f"*objects_at(w->objects, {key}) = p;", f"objects_at(w->objects, {key})->first = {self.new()};",
                               f"mix(objects_remove(w->objects, {key}));", f"{{ struct pair managed *at = objects_get(w->objects, {key}); if (at) p = *at; }}",
                               f"notes_put(w->notes, {key}, {self.new()});", f"{{ ref managed *at = notes_get(w->notes, {key}); if (at) r = *at; }}",
                               "notes_put(w->notes, make(n, NULL), r);"))

    def s_builder(self, d):
        self.line(d, self.pick(f"cairn_append(&w->builder, cut({self.t()}));", f"cairn_append_char(&w->builder, (char)('a' + n % 26));", "cairn_append_format(&w->builder, \"%lu,%s;\", k, cut(s));",
                               "s = cairn_builder_text(&w->builder);", "{ builder b = cairn_builder_new(); cairn_append(b, cut(s)); cairn_append_in(b, \"w12\", 3); t = cairn_builder_text(b); }"))

    def s_token(self, d):
        i = self.fresh("i")
        self.line(d, f"{{ size_t at = 0; int {i} = 0; for (text part; {i} < 6 && (part = cairn_token(s, &at, \"{self.pick('-', '-|', ',;')}\")); {i}++) {{ mix(hash_of(part)); t = part; }} }}")

    # A text longer than a piece of the leaves.
    def s_long(self, d):
        x = self.fresh("x")
        self.line(d, f"if (n % {self.pick(5, 9, 16)} == 3) {{")
        self.line(d + 1, f"text {x} = cairn_concat(cut(s), word(n)); while (strlen({x}) < {self.pick(300, 5000, 20000, 70000)}) {x} = cairn_concat({x}, {x});")
        self.line(d + 1, f"mix(strlen({x}) + place(strchr({x}, '?'), {x}) + place(strrchr({x}, 'w'), {x}) + place(strstr({x}, \"?!\"), {x}));")
        self.line(d + 1, self.pick(f"mix(sign(strcmp({x}, cairn_concat({x}, cairn_literal(\"+\")))));", f"mix(sign(memcmp({x}, {x} + 1, strlen({x}) - 1)));",
                                   f"mix(hash_of({x}) + sign(strncmp({x}, cairn_slice({x}, strlen({x}) / 2), strlen({x}))));"))
        self.line(d, "}")

    def s_array(self, d):
        self.line(d, self.pick(f"{{ ulong m = w->length + 1 + {self.n()} % 9; if (m < 60) {{ w->array = cairn_resize_array(w->array, m); w->length = m; w->array[m - 1] = {self.r()}; }} }}",
                               "if (w->length > 4) { w->length -= 3; w->array = cairn_resize_array(w->array, w->length); }",
                               f"if (w->length) w->array[{self.n()} % w->length] = {self.new()};", "if (w->length > 2) memmove(w->array, w->array + 1, (w->length - 1) * sizeof w->array[0]);",
                               "if (w->length > 2) memcpy(w->array, w->array + w->length / 2, w->length / 2 * sizeof w->array[0]);"))

    def s_locals(self, d):
        x = self.fresh("x")
        self.line(d, "{")
        self.line(d + 1, self.pick(f"ref {x}[4] = {{{self.r()}, {self.new()}}}; {x}[2 + (n & 1)] = {self.new()}; for (int i = 0; i < 4; i++) mix(number_of({x}[i])); q = {x}[k & 3];",
                                   f"struct pair {x}[3] = {{{{{self.r()}, n, s}}, p}}; {x}[2] = {x}[k % 3]; take({self.pick(f'&{x}[k % 3].first', f'&{x}[1].first')}, r); for (int i = 0; i < 3; i++) mix(number_of({x}[i].first) + hash_of({x}[i].second)); p = {x}[n % 3];",
                                   f"struct value {x}[3] = {{u, v}}; {x}[2] = {self.v()}; take_value(&{x}[n % 3], {self.v()}); for (int i = 0; i < 3; i++) mix(digest({x}[i], 0)); u = {x}[k % 3];",
                                   f"ulong {x}[1 + k % 9]; for (ulong i = 0; i < 1 + k % 9; i++) {{ {x}[i] = i * n; r = make({x}[i], NULL); }} mix({x}[k % 9]);",
                                   f"text {x}[3] = {{s, t, {self.t()}}}; take_text(&{x}[n % 3], {self.t()}); s = {x}[k % 3]; mix(hash_of({x}[0]) + hash_of({x}[2]));"))
        self.line(d, "}")

    def s_collect(self, d):
        self.line(d, self.pick("if (n % 29 == 1) cairn_collect();", "for (ulong i = 0; i < k % 30; i++) r = make(i, NULL);"))

    def s_call(self, d):
        if self.operations:
            self.line(d, f"if (fuel-- > 0) k = operation{self.below(self.operations)}(w, n + k % 7, {self.r()}, cut({self.t()}), {self.v()});")

    def block(self, d, count):
        for _ in range(count):
            self.statement(d)

    def s_if(self, d):
        self.line(d, f"if ({self.number()} % {self.pick(2, 3)} == 0) {{")
        self.block(d + 1, self.below(3) + 1)
        if self.below(2):
            self.line(d, "} else {")
            self.block(d + 1, self.below(3) + 1)
        self.line(d, "}")

    def s_loop(self, d):
        i = self.fresh("i")
        self.line(d, f"for (ulong {i} = 0; {i} < {self.pick('2', '3', 'n % 4', 'k % 5')} && fuel-- > 0; {i}++) {{")
        self.block(d + 1, self.below(3) + 1)
        self.line(d + 1, f"n += {i};")
        self.line(d, "}")

    def statement(self, d):
        names = ["ref"] * 3 + ["text"] * 3 + ["value"] * 3 + ["mix"] * 3 + ["out"] * 3 + [
            "wide", "number", "number", "pair", "pair", "atomic", "atomic", "refs", "refs", "values", "values", "numbers", "pairs", "words", "words",
            "counts", "objects", "objects", "builder", "token", "long", "array", "array", "locals", "locals", "collect", "call"]
        if d < 4:
            names += ["if", "if", "loop", "loop"]
        getattr(self, "s_" + self.random.choice(names))(d)

    def operation(self):
        self.out.append(f"__attribute__((noinline)) static ulong operation{self.operations}(struct world managed *w, ulong n, ref q, text t, struct value v)\n{{")
        self.line(1, f"ref r = {self.pick('make(n, q)', 'q', 'global_ref')};")
        self.line(1, f"text s = {self.pick('t', 'word(n)')};")
        self.line(1, f"struct value u = {self.pick('v', 'of_integer(n)', 'of_node(r)')};")
        self.line(1, "struct pair p = {r, n, t};")
        self.line(1, "ulong k = n;")
        self.block(1, self.below(9) + 6)
        self.line(1, "s = cut(s);")
        self.line(1, "mix(number_of(r) + 3 * number_of(q) + hash_of(s) + digest(u, 0) + digest(v, 0) + number_of(p.first));")
        self.line(1, "return k + p.number;")
        self.out.append("}")
        self.operations += 1

    def text(self):
        for _ in range(self.below(5) + 4):
            self.operation()
        cases = "\n".join(f"    case {i}: mix(operation{i}(w, n, w->core[n % CORE], word(n), of_integer(n))); break;" for i in range(self.operations))
        return (PRELUDE + "\n".join(self.out) + "\n" +
                EPILOGUE % {"operations": self.operations, "cases": cases, "fuel": self.pick(6, 12, 20)})


if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
    sys.exit(__doc__)
print(Program(int(sys.argv[1])).text(), end="")
