/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a heap dump as a page for browsers, from heap_page.html, with the data as JSON, to a file or to stdout. Runs
 * in `cairn heap --html`, after the dump's graph is made, and leaves the graph unchanged. Errors go to stderr. All
 * state is local. Names come from programs, so the data are written without '<', which could end the element.
 */
#include "driver/tool/heap_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/tool.h"
#include "dump/dump_report.h"
#include "object/print/json_out.h"

enum { MAX_KIND_ROWS = 1000, MAX_OBJECT_ROWS = 200, MAX_PATH_STEPS = 40 };

static void put_kinds(FILE *out, const struct cn_graph *graph)
{
  size_t count;
  struct cn_kind_row *rows = cn_report_make_kind_rows(graph, &count);

  fputs(",\n\"kinds\": [", out);
  for (size_t i = 0; i < count && i < MAX_KIND_ROWS; i++) {
    fputs(i ? ",\n[" : "[", out);
    cn_json_out_write_text(out, rows[i].name);
    fprintf(out, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", rows[i].objects, rows[i].bytes, rows[i].retained);
  }
  fputc(']', out);
  free(rows);
}

static void put_step(FILE *out, const struct cn_graph *graph, uint32_t from, uint32_t to)
{
  char *step = cn_report_format_step(graph, from, to);

  cn_json_out_write_text(out, step);
  free(step);
}

/* Write a path of references to an object; of a long path, write the last steps. */
static void put_path(FILE *out, const struct cn_graph *graph, const uint32_t *from, uint32_t object)
{
  CN_VECTOR(uint32_t) steps = {0};
  uint32_t at = object;

  for (; at != graph->root && steps.count < MAX_PATH_STEPS; at = from[at])
    cn_push(&steps, at);
  fputs(", [", out);
  if (at != graph->root)
    cn_json_out_write_text(out, "...");
  for (size_t i = steps.count; i-- > 0;) {
    fputs(at != graph->root || i + 1 < steps.count ? ", " : "", out);
    put_step(out, graph, from[steps.at[i]], steps.at[i]);
  }
  fputc(']', out);
  cn_free(&steps);
}

static void put_objects(FILE *out, const struct cn_graph *graph)
{
  const struct cn_dump *dump = graph->dump;
  size_t count;
  uint32_t *objects = cn_report_find_top_objects(graph, MAX_OBJECT_ROWS, &count),
           *from = cn_graph_find_shortest_paths(dump);

  fputs(",\n\"objects\": [", out);
  for (size_t i = 0; i < count; i++) {
    const struct cn_dump_object *object = &dump->objects.at[objects[i]];
    fprintf(out, "%s[\"0x%" PRIx64 "\", ", i ? ",\n" : "", object->address);
    cn_json_out_write_text(out, cn_dump_type_name_of(dump, objects[i]));
    fprintf(out, ", %" PRIu64 ", %" PRIu64, object->bytes, graph->retained[objects[i]]);
    put_path(out, graph, from, objects[i]);
    fputc(']', out);
  }
  fputc(']', out);
  free(objects);
  free(from);
}

static void put_page_data(FILE *out, const struct cn_graph *graph)
{
  char *summary = NULL;
  size_t length = 0;
  FILE *text = open_memstream(&summary, &length);

  CN_CHECK(text != NULL);
  cn_report_print_summary(text, graph);
  fclose(text);
  fputs("{\"program\": ", out);
  cn_json_out_write_text(out, graph->dump->program);
  fputs(", \"summary\": ", out);
  cn_json_out_write_text(out, summary);
  put_kinds(out, graph);
  put_objects(out, graph);
  fputs("}\n", out);
  free(summary);
}

static void put_escaped_json(FILE *out, const char *data, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (data[i] == '<')
      fputs("\\u003c", out);
    else
      fputc(data[i], out);
}

bool cn_heap_page_write(const struct cn_graph *graph, const char *path)
{
  static const char mark[] = "@HEAP@";
  const char *place = strstr(cn_heap_page_text, mark);
  char *data = NULL, *page = NULL;
  size_t data_length = 0, length = 0;
  FILE *out = open_memstream(&data, &data_length);

  CN_CHECK(place != NULL && out != NULL);
  put_page_data(out, graph);
  fclose(out);
  out = open_memstream(&page, &length);
  CN_CHECK(out != NULL);
  fwrite(cn_heap_page_text, 1, (size_t)(place - cn_heap_page_text), out);
  put_escaped_json(out, data, data_length);
  fputs(place + sizeof mark - 1, out);
  fclose(out);
  bool written = cn_output_write(path, page, length);
  free(data);
  free(page);
  return written;
}
