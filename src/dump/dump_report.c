/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the summary, tables, paths and differences of `cairn heap` as text, to the caller's stream, and finds their
 * rows, also for the page (driver/tool/heap_page.c). Runs after the dump is read and its graph is made. Leaves both
 * unchanged; the caller owns the rows, and the file holds no state.
 */
#include "dump/dump_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* ---- rows ---- */

static int by_name(const struct cn_kind_row *a, const struct cn_kind_row *b)
{
  return strcmp(a->name, b->name);
}

static int by_bytes(const void *a, const void *b)
{
  const struct cn_kind_row *x = a, *y = b;

  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return by_name(x, y);
}

struct cn_kind_row *cn_report_make_kind_rows(const struct cn_graph *graph, size_t *count)
{
  const struct cn_dump *dump = graph->dump;
  size_t kinds = dump->kinds.count, kept = 0;
  struct cn_kind_row *rows = cn_alloc((kinds + 1) * sizeof *rows);
  uint64_t *retained = cn_graph_sum_retained_by_kind(graph);

  for (size_t i = 0; i < kinds; i++)
    rows[i] = (struct cn_kind_row){dump->kinds.at[i], 0, 0, retained[i]};
  for (uint32_t n = 2; n <= graph->reached; n++) {
    const struct cn_dump_object *object = &dump->objects.at[graph->order[n]];
    struct cn_kind_row *row = &rows[dump->types.at[object->type].kind];
    row->objects++;
    row->bytes += object->bytes;
  }
  for (size_t i = 0; i < kinds; i++)
    if (rows[i].objects != 0)
      rows[kept++] = rows[i];
  qsort(rows, kept, sizeof *rows, by_bytes);
  free(retained);
  *count = kept;
  return rows;
}

static bool retains_more(const struct cn_graph *graph, uint32_t a, uint32_t b)
{
  if (graph->retained[a] != graph->retained[b])
    return graph->retained[a] > graph->retained[b];
  return a < b;
}

/* Insert each object that is large enough at its place in a short, sorted list. */
uint32_t *cn_report_find_top_objects(const struct cn_graph *graph, size_t most, size_t *count)
{
  size_t room = most < graph->reached ? most : graph->reached, kept = 0;
  uint32_t *objects = cn_alloc((room + 1) * sizeof *objects);

  for (uint32_t n = 2; room != 0 && n <= graph->reached; n++) {
    uint32_t object = graph->order[n];
    size_t at = kept < room ? kept++ : room;
    for (; at > 0 && retains_more(graph, object, objects[at - 1]); at--)
      if (at < room)
        objects[at] = objects[at - 1];
    if (at < room)
      objects[at] = object;
  }
  CN_ASSERT(kept <= room);
  *count = kept;
  return objects;
}

/* The name of a root that points to the object, or null if no root points directly to it. */
static const char *root_place_of(const struct cn_dump *dump, uint32_t object)
{
  for (size_t i = 0; i < dump->roots.count; i++)
    if (dump->roots.at[i].to == object)
      return dump->places.at[dump->roots.at[i].place];
  return NULL;
}

/* ---- top ---- */

void cn_report_print_summary(FILE *out, const struct cn_graph *graph)
{
  const struct cn_dump *dump = graph->dump;

  fprintf(out,
          "%s (%s), after %" PRIu64 " collections: %" PRIu32 " objects of %" PRIu64 " bytes alive, %zu of %" PRIu64
          " bytes garbage; %zu roots",
          dump->program, dump->collector, dump->collections, graph->reached - 1, graph->live,
          dump->objects.count - (graph->reached - 1), dump->bytes - graph->live, dump->roots.count);
  if (dump->weak != 0)
    fprintf(out, ", %" PRIu64 " weak references", dump->weak);
  if (dump->astray != 0)
    fprintf(out, ", %" PRIu64 " references to no object", dump->astray);
  fputc('\n', out);
}

void cn_report_print_top(FILE *out, const struct cn_graph *graph, size_t most)
{
  const struct cn_dump *dump = graph->dump;
  size_t kinds, objects;
  struct cn_kind_row *rows = cn_report_make_kind_rows(graph, &kinds);
  uint32_t *tops = cn_report_find_top_objects(graph, most, &objects);

  cn_report_print_summary(out, graph);
  fprintf(out, "\n%12s %14s %14s  %s\n", "objects", "bytes", "retained", "type");
  for (size_t i = 0; i < kinds && i < most; i++)
    fprintf(out, "%12" PRIu64 " %14" PRIu64 " %14" PRIu64 "  %s\n", rows[i].objects, rows[i].bytes, rows[i].retained,
            rows[i].name);
  if (kinds > most)
    fprintf(out, "%12s %zu more types\n", "", kinds - most);
  fprintf(out, "\n%14s %14s  %s\n", "retained", "bytes", "object");
  for (size_t i = 0; i < objects; i++) {
    const struct cn_dump_object *object = &dump->objects.at[tops[i]];
    const char *root = root_place_of(dump, tops[i]);
    fprintf(out, "%14" PRIu64 " %14" PRIu64 "  0x%" PRIx64 " %s%s%s\n", graph->retained[tops[i]], object->bytes,
            object->address, cn_dump_type_name_of(dump, tops[i]), root ? " from " : "", root ? root : "");
  }
  free(rows);
  free(tops);
}

/* ---- path ---- */

static uint32_t find_object(const struct cn_graph *graph, const char *which, char **error)
{
  const struct cn_dump *dump = graph->dump;
  uint32_t best = CN_GRAPH_NONE;
  char *end;

  if (strncmp(which, "0x", 2) == 0) {
    uint64_t address = strtoull(which, &end, 16);
    best = *end == 0 ? cn_dump_object_at(dump, address) : CN_GRAPH_NONE;
    if (best == CN_GRAPH_NONE)
      *error = cn_format("no object at %s", which);
    return best;
  }
  for (uint32_t i = 0; i < dump->objects.count; i++)
    if (strcmp(cn_dump_type_name_of(dump, i), which) == 0 &&
        (best == CN_GRAPH_NONE || graph->retained[i] > graph->retained[best]))
      best = i;
  if (best == CN_GRAPH_NONE)
    *error = cn_format("no object of type '%s'; an address begins with 0x", which);
  return best;
}

char *cn_report_format_step(const struct cn_graph *graph, uint32_t from, uint32_t to)
{
  const struct cn_dump *dump = graph->dump;
  uint64_t end = from == graph->root ? 0 : cn_dump_edges_end_of(dump, from), edge = 0;
  char *name = NULL;

  if (from != graph->root) {
    for (edge = dump->objects.at[from].edges; edge < end && dump->edges.at[edge].to != to;)
      edge++;
    CN_CHECK(edge < end);
    name = cn_dump_format_field_name(dump, from, dump->edges.at[edge].slot);
  }
  char *step = cn_format("%s -> 0x%" PRIx64 " %s, %" PRIu64 " bytes, retains %" PRIu64,
                         name ? name : root_place_of(dump, to), dump->objects.at[to].address,
                         cn_dump_type_name_of(dump, to), dump->objects.at[to].bytes, graph->retained[to]);
  free(name);
  return step;
}

static void print_step(FILE *out, const struct cn_graph *graph, uint32_t from, uint32_t to)
{
  char *step = cn_report_format_step(graph, from, to);

  fprintf(out, "%s\n", step);
  free(step);
}

int cn_report_print_path(FILE *out, const struct cn_graph *graph, const char *which, char **error)
{
  uint32_t object = find_object(graph, which, error);
  CN_VECTOR(uint32_t) steps = {0};

  if (object == CN_GRAPH_NONE)
    return -1;
  uint32_t *from = cn_graph_find_shortest_paths(graph->dump);
  for (uint32_t at = object; at != graph->root && at != CN_GRAPH_NONE; at = from[at])
    cn_push(&steps, at);
  if (from[object] == CN_GRAPH_NONE)
    *error = cn_format("0x%" PRIx64 " (%s) is garbage: no root leads to it", graph->dump->objects.at[object].address,
                       cn_dump_type_name_of(graph->dump, object));
  else
    for (size_t i = steps.count; i-- > 0;)
      print_step(out, graph, from[steps.at[i]], steps.at[i]);
  bool alive = from[object] != CN_GRAPH_NONE;
  free(from);
  cn_free(&steps);
  return alive ? 0 : -1;
}

/* ---- diff ---- */

struct kind_change {
  const char *name;
  int64_t objects, bytes;
};

static int by_changed_bytes(const void *a, const void *b)
{
  const struct kind_change *x = a, *y = b;
  uint64_t left = (uint64_t)llabs(x->bytes), right = (uint64_t)llabs(y->bytes);

  if (left != right)
    return left < right ? 1 : -1;
  return strcmp(x->name, y->name);
}

static int by_name_for_qsort(const void *a, const void *b)
{
  return by_name(a, b);
}

/* Merge two lists that are sorted by name. */
static struct kind_change *find_kind_changes(struct cn_kind_row *old, size_t olds, struct cn_kind_row *new, size_t news,
                                             size_t *count)
{
  struct kind_change *changes = cn_alloc((olds + news + 1) * sizeof *changes);
  size_t o = 0, n = 0, kept = 0;

  qsort(old, olds, sizeof *old, by_name_for_qsort);
  qsort(new, news, sizeof *new, by_name_for_qsort);
  while (o < olds || n < news) {
    int order = o == olds ? 1 : n == news ? -1 : by_name(&old[o], &new[n]);
    struct kind_change change = {order <= 0 ? old[o].name : new[n].name, 0, 0};
    if (order >= 0) {
      change.objects += (int64_t)new[n].objects;
      change.bytes += (int64_t)new[n++].bytes;
    }
    if (order <= 0) {
      change.objects -= (int64_t)old[o].objects;
      change.bytes -= (int64_t)old[o++].bytes;
    }
    if (change.objects != 0 || change.bytes != 0)
      changes[kept++] = change;
  }
  qsort(changes, kept, sizeof *changes, by_changed_bytes);
  *count = kept;
  return changes;
}

void cn_report_print_diff(FILE *out, const struct cn_graph *before, const struct cn_graph *after, size_t most)
{
  size_t olds, news, count;
  struct cn_kind_row *old = cn_report_make_kind_rows(before, &olds), *new = cn_report_make_kind_rows(after, &news);
  struct kind_change *changes = find_kind_changes(old, olds, new, news, &count);

  fprintf(out, "%12s %14s  %s\n", "objects", "bytes", "type");
  for (size_t i = 0; i < count && i < most; i++)
    fprintf(out, "%+12" PRId64 " %+14" PRId64 "  %s\n", changes[i].objects, changes[i].bytes, changes[i].name);
  if (count > most)
    fprintf(out, "%12s %zu more types\n", "", count - most);
  fprintf(out, "%+12" PRId64 " %+14" PRId64 "  in all\n", (int64_t)after->reached - (int64_t)before->reached,
          (int64_t)(after->live - before->live));
  free(old);
  free(new);
  free(changes);
}
