/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn frames`: prints frame maps or points on stdout, as text or as JSON. With --rewrite, writes the object to
 * another file or to stdout, with frame maps in place of stack maps. The input stays unchanged. Errors go to stderr.
 * The file holds no state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/object.h>
#include "base/check.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "object/elf/input.h"
#include "object/print/frames_print.h"

static const char help_text[] =
    "usage: cairn frames [--points] [--json] FILE\n"
    "       cairn frames --rewrite OBJECT -o OUT\n\n"
    "Print the frame maps (sections cairn_frames and cairn_details) of an object, executable or\n"
    "shared object, or of an archive's members; or make them: replace .llvm_stackmaps of a\n"
    "relocatable object, as cairn-cc does with every object. '-' is standard input or output.\n\n"
    "  --points          the points (section cairn_points), which a runtime may patch\n"
    "  --json            one JSON document (its members: see cairn(1))\n"
    "  --help, --version\n";

static int rewrite_object_file(const char *path, const char *output)
{
  CN_CHECK(path && output);
  struct cn_input_file object;
  char *error = NULL;
  void *bytes = NULL;
  size_t size = 0;
  int status = CN_EXIT_FAILED;

  if (cn_input_open(&object, path, cn_input_is_binary, &error) ||
      cairn_object_rewrite(object.bytes, object.size, &bytes, &size, &error)) {
    cn_tool_error("'%s': %s", path, error ? error : "cannot be rewritten");
  } else {
    bool ok = bytes ? cn_output_write(output, bytes, size) : cn_output_write(output, object.bytes, object.size);
    status = ok ? CN_EXIT_OK : CN_EXIT_FAILED;
  }
  free(bytes);
  free(error);
  cn_input_close(&object);
  return status;
}

struct frames_request {
  const char *output;
  bool rewrites, json, points;
};

static int apply_option(void *env, int letter, const char *name)
{
  struct frames_request *request = env;

  (void)name;
  if (letter == 'r')
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
  static const struct option options[] = {{"rewrite", no_argument, NULL, 'r'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"points", no_argument, NULL, 'p'},
                                          CN_ARGUMENTS_COMMON};
  static char name[] = "cairn frames";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "ho:", .options = options, .take = apply_option};
  struct frames_request request = {0};
  int status = cn_arguments_parse(argc, argv, &arguments, &request);

  if (status >= 0)
    return status;
  if (argc - optind != 1 || request.rewrites != (request.output != NULL) ||
      (request.rewrites && (request.json || request.points))) {
    cn_tool_error("one file is needed, -o with --rewrite only, --json and --points without (see --help)");
    return CN_EXIT_USAGE;
  }
  if (request.rewrites)
    return rewrite_object_file(argv[optind], request.output);
  int failed = request.points ? cairn_points_print_file(argv[optind], request.json, stdout, stderr)
                              : cairn_frames_print_file(argv[optind], request.json, stdout, stderr);
  return failed ? CN_EXIT_FAILED : CN_EXIT_OK;
}
