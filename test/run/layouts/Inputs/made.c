/* Makes layouts at run time, and allocates with them. `form` and `wrong` end the program with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/heap.h>

struct pair {
  long number;
  struct pair managed *other;
};
struct table {
  struct pair managed *first;
  long count;
  struct pair managed *at[];
};
void managed *make(const struct cairn_layout *layout);
void managed *make_array(const struct cairn_layout *layout, long n);
void managed *make_flexible(const struct cairn_layout *layout, long n);
void managed *make_bytes(const struct cairn_layout *layout, long n);
void managed *make_named(void);

static const struct cairn_layout *define(struct cairn_layout_description d)
{
  const struct cairn_layout *layout;
  char fault[300] = "";

  d.size = d.size ? d.size : sizeof d;
  enum cairn_status status = cairn_layout_make(&d, &layout, fault, sizeof fault);
  if (status)
    printf("%s: %s\n", cairn_status_text(status), fault);
  return layout;
}

static const uint32_t at_8[] = {8}, at_0_0[] = {0, 0}, unordered[] = {8, 8}, odd[] = {12}, far[] = {16}, weak[] = {9};

#define NAMED(text) .name = text, .base_size = 16, .base_refs = 1, .offsets = at_8

static void wrong_descriptions(void)
{
  define((struct cairn_layout_description){NAMED("pair"), .size = 8});
  define((struct cairn_layout_description){.base_size = 16});
  define((struct cairn_layout_description){.name = "a\nb", .base_size = 16});
  define((struct cairn_layout_description){.name = "empty"});
  define((struct cairn_layout_description){.name = "huge", .base_size = UINT64_MAX});
  define((struct cairn_layout_description){.name = "odd", .base_size = 24, .base_refs = 1, .offsets = odd});
  define((struct cairn_layout_description){.name = "far", .base_size = 16, .base_refs = 1, .offsets = far});
  define((struct cairn_layout_description){.name = "twice", .base_size = 16, .base_refs = 2, .offsets = unordered});
  define((struct cairn_layout_description){.name = "none", .base_size = 16, .base_refs = 1});
  define((struct cairn_layout_description){.name = "many", .base_size = 16, .base_refs = SIZE_MAX, .offsets = at_8});
  define((struct cairn_layout_description){.name = "late", .elem_size = 8, .elem_offset = 8});
  define((struct cairn_layout_description){.name = "short", .elem_size = 12, .elem_refs = 1, .offsets = at_0_0});
  define((struct cairn_layout_description){.name = "stray", .base_size = 8, .elem_refs = 1, .offsets = at_0_0});
  define((struct cairn_layout_description){NAMED("pair"), .flags = 1 << 20});
  define((struct cairn_layout_description){NAMED("pair"), .flags = CAIRN_ABI_LAYOUT_EPHEMERON});
  define((struct cairn_layout_description){.name = "pair", .base_size = 24, .base_refs = 1, .offsets = at_8});
}

/* Makes `count` layouts, and finds each one again. */
static long make_many(long count)
{
  long found = 0;
  char name[20];

  for (long i = 0; i < 2 * count; i++) {
    snprintf(name, sizeof name, "many %ld", i % count);
    uint64_t size = 8 + (uint64_t)(i % count);
    const struct cairn_layout *made = define((struct cairn_layout_description){.name = name, .base_size = size});
    found += made && made == cairn_layout_find(name) && made->base_size == size;
  }
  return found + (cairn_layout_find("many") == NULL);
}

static struct pair managed *list;
static struct table managed *table;

static void fill(const struct cairn_layout *pair, const struct cairn_layout *pairs, const struct cairn_layout *flexible)
{
  table = make_flexible(flexible, 100);
  for (long i = 0; i < 100; i++) {
    struct pair managed *p = i % 3 == 0 ? make_array(pairs, 3) : i % 3 == 1 ? make(pair) : make_named();
    p->number = i;
    p->other = list;
    list = table->at[i] = p;
  }
  table->first = list;
}

static void check(const struct cairn_layout *bytes, const struct cairn_layout *weak_pair)
{
  long sum = 0;
  char managed *text = make_bytes(bytes, 10);
  struct pair managed *holder = make(weak_pair);

  text[9] = 7;
  holder->other = make_named();
  cairn_collect();
  for (struct pair managed *p = list; p; p = p->other)
    sum += p->number + (table->at[p->number] == p);
  printf("sum %ld, first %d, text %d, weak %s\n", sum, table->first == list, text[9], holder->other ? "kept" : "null");
}

int main(int argc, char **argv)
{
  static const uint32_t flexible[] = {0, 0};
  const struct cairn_layout *pair = define((struct cairn_layout_description){NAMED("pair")});
  const struct cairn_layout *pairs = define(
      (struct cairn_layout_description){.name = "pair[]", .elem_size = 16, .elem_refs = 1, .offsets = at_8});
  const struct cairn_layout *tables =
      define((struct cairn_layout_description){.name = "table", .base_size = 16, .elem_size = 8, .elem_offset = 16,
                                               .base_refs = 1, .elem_refs = 1, .offsets = flexible});
  const struct cairn_layout *bytes = define((struct cairn_layout_description){.name = "byte[]", .elem_size = 1});
  const struct cairn_layout *weak_pair = define(
      (struct cairn_layout_description){.name = "weak pair", .base_size = 16, .base_refs = 1, .offsets = weak});
  char type[50];

  define((struct cairn_layout_description){NAMED("named")});
  if (argc > 1)
    make(strcmp(argv[1], "form") == 0 ? pairs : (const void *)define);
  wrong_descriptions();
  cairn_layout_type(pairs, type, sizeof type);
  printf("%s, the same: %d\n", type, define((struct cairn_layout_description){NAMED("pair")}) == pair);
  fill(pair, pairs, tables);
  check(bytes, weak_pair);
  check(bytes, weak_pair);
  printf("found %ld\n", make_many(20000));
  return 0;
}
