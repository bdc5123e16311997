/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn frames`: prints frame maps or points on stdout, as text or as JSON. With --rewrite, writes the object to
 * another file or to stdout, with frame maps in place of stack maps; with --format, also with the maps in the format of
 * another runtime. The input stays unchanged. Errors go to stderr. The file holds no state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/object.h>
#include "base/check.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "object/elf/input.h"
#include "object/export/export.h"
#include "object/print/frames_print.h"

static const char help_text[] =
    "usage: cairn frames [--points] [--json] FILE\n"
    "       cairn frames --rewrite OBJECT -o OUT\n"
    "       cairn frames --format=FORMAT [--symbol=NAME] OBJECT -o OUT\n\n"
    "Print the frame maps (sections cairn_frames and cairn_details) of an object, executable or\n"
    "shared object, or of an archive's members; or make them: replace .llvm_stackmaps of a\n"
    "relocatable object, as cairn-cc does with every object. '-' is standard input or output.\n\n"
    "  --points          the points (section cairn_points), which a runtime may patch\n"
    "  --json            one JSON document (its members: see cairn(1))\n"
    "  --rewrite         write the object with frame maps in place of its stack maps\n"
    "  --format=ocaml    write the object with frame maps, and with a frame table of OCaml 4.13 or\n"
    "                    4.14 under the global name cairn_frametable\n"
    "  --format=stackmap3  likewise with a stack map of LLVM's version 3, in a writable section, so\n"
    "                    that position-independent programs link\n"
    "  --symbol=NAME     with --format: the global name of the table\n"
    "  --help, --version\n";

struct frames_request {
  const char *output, *format, *symbol;
  bool rewrites, json, points;
};

/* The formats of --format, with the default names of their tables. */
static const struct format_name {
  const char *name, *symbol;
  enum cn_export_format format;
} format_names[] = {{"ocaml", "cairn_frametable", CN_EXPORT_OCAML}, {"stackmap3", NULL, CN_EXPORT_STACKMAP3}};

static const struct format_name *find_format(const char *name)
{
  for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++)
    if (strcmp(format_names[i].name, name) == 0)
      return &format_names[i];
  return NULL;
}

/* Replace *bytes, or `object` if *bytes is null, by an object that also has the maps in the requested format. */
static enum cairn_status export_maps(const struct frames_request *request, const void *object, size_t object_size,
                                     void **bytes, size_t *size, char **error)
{
  const struct format_name *format = find_format(request->format);
  void *before = *bytes;

  CN_CHECK(format != NULL); /* apply_option() */
  enum cairn_status status = cn_export_frames(before ? before : object, before ? *size : object_size, format->format,
                                              request->symbol ? request->symbol : format->symbol, bytes, size, error);
  free(before);
  return status;
}

static int rewrite_object_file(const char *path, const struct frames_request *request)
{
  CN_CHECK(path && request->output);
  struct cn_input_file object;
  char *error = NULL;
  void *bytes = NULL;
  size_t size = 0;
  int status = CN_EXIT_FAILED;

  if (cn_input_open(&object, path, cn_input_is_binary, &error) ||
      cairn_object_rewrite(object.bytes, object.size, &bytes, &size, &error) ||
      (request->format && export_maps(request, object.bytes, object.size, &bytes, &size, &error))) {
    cn_tool_error("'%s': %s", path, error ? error : "cannot be rewritten");
  } else {
    bool ok = bytes ? cn_output_write(request->output, bytes, size)
                    : cn_output_write(request->output, object.bytes, object.size);
    status = ok ? CN_EXIT_OK : CN_EXIT_FAILED;
  }
  free(bytes);
  free(error);
  cn_input_close(&object);
  return status;
}

static int apply_option(void *env, int letter, const char *name)
{
  struct frames_request *request = env;

  if (letter == 'f' && !find_format(optarg)) {
    cn_tool_error("--%s: '%s' is not ocaml or stackmap3", name, optarg);
    return CN_EXIT_USAGE;
  }
  if (letter == 'f')
    request->format = optarg;
  else if (letter == 's')
    request->symbol = optarg;
  else if (letter == 'r')
    request->rewrites = true;
  else if (letter == 'j')
    request->json = true;
  else if (letter == 'p')
    request->points = true;
  else
    request->output = optarg;
  return CN_EXIT_OK;
}

int cn_frames_main(int argc, char **argv)
{
  static const struct option options[] = {
      {"rewrite", no_argument, NULL, 'r'},      {"json", no_argument, NULL, 'j'},
      {"points", no_argument, NULL, 'p'},       {"format", required_argument, NULL, 'f'},
      {"symbol", required_argument, NULL, 's'}, CN_ARGUMENTS_COMMON};
  static char name[] = "cairn frames";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "ho:", .options = options, .take = apply_option};
  struct frames_request request = {0};
  int status = cn_arguments_parse(argc, argv, &arguments, &request);

  if (status >= 0)
    return status;
  bool writes = request.rewrites || request.format;
  if (argc - optind != 1 || writes != (request.output != NULL) || (writes && (request.json || request.points)) ||
      (request.symbol && !request.format)) {
    cn_tool_error("one file is needed, -o with --rewrite or --format only, --json and --points without, --symbol with "
                  "--format (see --help)");
    return CN_EXIT_USAGE;
  }
  if (writes)
    return rewrite_object_file(argv[optind], &request);
  int failed = request.points ? cairn_points_print_file(argv[optind], request.json, stdout, stderr)
                              : cairn_frames_print_file(argv[optind], request.json, stdout, stderr);
  return failed ? CN_EXIT_FAILED : CN_EXIT_OK;
}
