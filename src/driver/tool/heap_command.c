/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn heap`: reads heap dumps, and prints tables, a path or the differences of two dumps on stdout, or writes a page
 * for browsers (heap_page.c). The dumps stay unchanged. Errors and progress go to stderr. The state of a run is in
 * struct heap_request and struct loaded_heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "driver/tool/heap_page.h"
#include "dump/dump_report.h"
#include "object/elf/input.h"

static const char help_text[] =
    "usage: cairn heap [--most=N] DUMP [top]\n"
    "       cairn heap DUMP path OBJECT\n"
    "       cairn heap [--most=N] DUMP diff DUMP\n"
    "       cairn heap DUMP --html=OUT\n\n"
    "Print what is in a heap dump (cairn_heap_dump(), CAIRN_DUMP), garbage left out: the types with the\n"
    "most bytes and the objects that retain the most; what keeps an object alive, which is named by its\n"
    "address or by its type (then that which retains the most); how one dump differs from another. What an\n"
    "object retains would be garbage without it. '-' is standard input or output.\n\n"
    "  --most=N          so many rows (default 20)\n"
    "  --html=OUT        a page for browsers, in one file: a map of the types, and tables\n"
    "  --progress        say on standard error what is being done (default: on a terminal)\n"
    "  --help, --version\n";

struct heap_request {
  size_t most;
  const char *page;
  bool progress;
};

struct loaded_heap {
  struct cn_input_file file;
  struct cn_dump dump;
  struct cn_graph graph;
};

static void print_progress(const struct heap_request *request, const char *what, const char *path)
{
  if (request->progress)
    fprintf(stderr, "cairn heap: %s %s\n", what, path);
}

static bool load_heap(struct loaded_heap *heap, const struct heap_request *request, const char *path)
{
  char *error = NULL;

  print_progress(request, "reading", path);
  if (cn_input_open(&heap->file, path, NULL, &error)) {
    cn_tool_error("'%s': %s", path, error);
    free(error);
    return false;
  }
  bool read = cn_dump_read(&heap->dump, heap->file.bytes, heap->file.size, &error) == 0;
  cn_input_close(&heap->file);
  if (!read) {
    cn_tool_error("'%s': %s", path, error);
    free(error);
    cn_dump_free(&heap->dump);
    return false;
  }
  print_progress(request, "finding what keeps what in", path);
  cn_graph_make(&heap->graph, &heap->dump);
  return true;
}

static void unload_heap(struct loaded_heap *heap)
{
  cn_graph_free(&heap->graph);
  cn_dump_free(&heap->dump);
}

static int print_path_to_object(const struct loaded_heap *heap, const char *which)
{
  char *error = NULL;

  if (cn_report_print_path(stdout, &heap->graph, which, &error) == 0)
    return CN_EXIT_OK;
  cn_tool_error("%s", error);
  free(error);
  return CN_EXIT_FAILED;
}

static int print_diff(const struct loaded_heap *heap, const struct heap_request *request, const char *path)
{
  struct loaded_heap other;

  if (!load_heap(&other, request, path))
    return CN_EXIT_FAILED;
  cn_report_print_diff(stdout, &heap->graph, &other.graph, request->most);
  unload_heap(&other);
  return CN_EXIT_OK;
}

/* `operands` are the dump and the request. */
static int run_request(const struct heap_request *request, char **operands, int count)
{
  const char *what = count > 1 ? operands[1] : "top";
  struct loaded_heap heap;
  int status = CN_EXIT_OK;

  CN_CHECK(count > 0);
  if (!load_heap(&heap, request, operands[0]))
    return CN_EXIT_FAILED;
  if (request->page != NULL)
    status = cn_heap_page_write(&heap.graph, request->page) ? CN_EXIT_OK : CN_EXIT_FAILED;
  else if (strcmp(what, "top") == 0)
    cn_report_print_top(stdout, &heap.graph, request->most);
  else if (strcmp(what, "path") == 0)
    status = print_path_to_object(&heap, operands[2]);
  else
    status = print_diff(&heap, request, operands[2]);
  unload_heap(&heap);
  return status;
}

static bool are_operands_valid(const struct heap_request *request, char **operands, int count)
{
  if (count < 1)
    return false;
  if (request->page != NULL || count == 1)
    return count == 1;
  if (strcmp(operands[1], "top") == 0)
    return count == 2;
  return count == 3 && (strcmp(operands[1], "path") == 0 || strcmp(operands[1], "diff") == 0);
}

static int apply_option(void *env, int letter, const char *name)
{
  struct heap_request *request = env;
  char *end;

  (void)name;
  if (letter == 'p') {
    request->progress = true;
    return CN_EXIT_OK;
  }
  if (letter == 'w') {
    request->page = optarg;
    return CN_EXIT_OK;
  }
  request->most = strtoull(optarg, &end, 10);
  if (*optarg >= '0' && *optarg <= '9' && !*end)
    return CN_EXIT_OK;
  cn_tool_error("--most takes a number, not '%s'", optarg);
  return CN_EXIT_USAGE;
}

int cn_heap_main(int argc, char **argv)
{
  static const struct option options[] = {{"most", required_argument, NULL, 'm'},
                                          {"html", required_argument, NULL, 'w'},
                                          {"progress", no_argument, NULL, 'p'},
                                          CN_ARGUMENTS_COMMON};
  static char name[] = "cairn heap";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "h", .options = options, .take = apply_option};
  struct heap_request request = {.most = 20, .progress = isatty(STDERR_FILENO)};
  int status = cn_arguments_parse(argc, argv, &arguments, &request);

  if (status >= 0)
    return status;
  if (!are_operands_valid(&request, argv + optind, argc - optind)) {
    cn_tool_error("a dump is needed, and one of top, path OBJECT, diff DUMP (see --help)");
    return CN_EXIT_USAGE;
  }
  return run_request(&request, argv + optind, argc - optind);
}
