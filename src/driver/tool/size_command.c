/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn size`: prints the sizes of sections `cairn_frames`, `cairn_details`, `cairn_points` and `.llvm_stackmaps` by
 * function and kind on stdout, as text or as JSON, with a total of several inputs. The files stay unchanged. Errors go
 * to stderr. The state of a run is in struct size_totals.
 */
#include "object/print/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "object/elf/archive.h"
#include "object/elf/elf_file.h"
#include "object/elf/input.h"
#include "object/print/json_out.h"

static const char help_text[] =
    "usage: cairn size [--json] [--functions[=N]] FILE...\n\n"
    "Count the bytes of frame maps, of details and of points (sections cairn_frames, cairn_details and\n"
    "cairn_points) in objects, executables, shared objects, or an archive's members: by kind, per\n"
    "safepoint, and beside the code;\n"
    "of several, a total too. Of an object with LLVM's stack maps: of these, and of the frame maps that\n"
    "it would get.\n"
    "'-' is standard input.\n\n"
    "  --functions[=N]  also by function, largest first: the first N, or all\n"
    "  --json           a JSON object per line: one per file (functions included if asked for)\n"
    "  --help, --version\n";

struct size_settings {
  bool json, functions;
  uint64_t most;
};

static double ratio_of(uint64_t part, uint64_t whole)
{
  return whole ? (double)part / (double)whole : 0;
}

static void print_function_sizes(const struct cn_file_map_size *size, uint64_t most)
{
  printf("  %10s %10s %10s %10s  function\n", "frames", "details", "safepoints", "code");
  for (size_t i = 0; i < size->functions.count && i < most; i++) {
    const struct cn_function_map_size *f = &size->functions.at[i];
    printf("  %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %s\n", cn_size_sum_frame_maps(f->bytes),
           cn_size_sum_details(f->bytes), f->safepoints, f->code, f->name);
  }
}

static void print_sizes_as_text(const char *name, const struct cn_file_map_size *size, const struct size_settings *how)
{
  uint64_t frames = cn_size_sum_frame_maps(size->bytes), details = cn_size_sum_details(size->bytes);

  CN_CHECK(name && size->stack_maps + size->text >= size->text);
  printf("%s: %zu functions, %" PRIu64 " safepoints, %" PRIu64 " bytes of code\n", name, size->functions.count,
         size->safepoints, size->text);
  printf("  %10" PRIu64 "  frame maps: %.1f per safepoint, %.1f %% of the code\n", frames,
         ratio_of(frames, size->safepoints), 100 * ratio_of(frames, size->text));
  printf("  %10" PRIu64 "  details: %.1f per safepoint\n", details, ratio_of(details, size->safepoints));
  if (size->bytes[CN_SIZE_POINTS])
    printf("  %10" PRIu64 "  points\n", size->bytes[CN_SIZE_POINTS]);
  if (size->stack_maps)
    printf("  %10" PRIu64 "  LLVM's stack maps: %.1f per safepoint; frame maps are 1/%.1f of that\n", size->stack_maps,
           ratio_of(size->stack_maps, size->safepoints), ratio_of(size->stack_maps, frames));
  for (unsigned kind = 0; kind < CN_SIZE_POINTS; kind++)
    if (size->bytes[kind])
      printf("    %10" PRIu64 "  %s%s%s%s\n", size->bytes[kind], cn_size_kind_names[kind],
             *cn_size_kind_help[kind] ? " (" : "", cn_size_kind_help[kind], *cn_size_kind_help[kind] ? ")" : "");
  if (how->functions)
    print_function_sizes(size, how->most);
}

static void print_counts_as_json(struct cn_json_writer *json, uint64_t safepoints, uint64_t code,
                                 const uint64_t bytes[CN_SIZE_COUNT])
{
  CN_MEMBERS(json, CN_NUMBER("safepoints", safepoints), CN_NUMBER("code", code),
             CN_NUMBER("frames", cn_size_sum_frame_maps(bytes)), CN_NUMBER("details", cn_size_sum_details(bytes)));
  cn_json_out_open_bracket(json, "kinds", '{');
  for (unsigned kind = 0; kind < CN_SIZE_COUNT; kind++)
    cn_json_out_write_number(json, cn_size_kind_names[kind], bytes[kind]);
  cn_json_out_close_bracket(json);
}

static void print_sizes_as_json(const char *name, const struct cn_file_map_size *size, const struct size_settings *how)
{
  struct cn_json_writer json = {.out = stdout};

  cn_json_out_open_on_line(&json, NULL, '{');
  CN_MEMBERS(&json, CN_STRING("file", name), CN_NUMBER("stack_maps", size->stack_maps), CN_NUMBER("text", size->text));
  print_counts_as_json(&json, size->safepoints, size->code, size->bytes);
  if (how->functions)
    cn_json_out_open_bracket(&json, "functions", '[');
  for (size_t i = 0; how->functions && i < size->functions.count && i < how->most; i++) {
    const struct cn_function_map_size *f = &size->functions.at[i];
    cn_json_out_open_bracket(&json, NULL, '{');
    cn_json_out_write_string(&json, "name", f->name);
    print_counts_as_json(&json, f->safepoints, f->code, f->bytes);
    cn_json_out_close_bracket(&json);
  }
  if (how->functions)
    cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
}

/* The sums over several files. */
struct size_totals {
  const struct size_settings *how;
  const char *path; /* of the current file */
  struct cn_file_map_size size;
  bool all_have_stack_maps; /* otherwise the two sums would cover different files */
  size_t files;
};

static void add_to_totals(struct size_totals *totals, const struct cn_file_map_size *size)
{
  struct cn_file_map_size *total = &totals->size;

  CN_ASSERT_VALID(cn_size_wrong(size));
  for (size_t i = 0; i < size->functions.count; i++)
    cn_push(&total->functions, size->functions.at[i]); /* their names stay unused */
  total->code += size->code;
  total->safepoints += size->safepoints;
  total->text += size->text;
  total->stack_maps += size->stack_maps;
  totals->all_have_stack_maps &= size->stack_maps != 0;
  totals->files++;
  for (unsigned kind = 0; kind < CN_SIZE_COUNT; kind++)
    total->bytes[kind] += size->bytes[kind];
}

/* Count an object and print its sizes. Archive members without maps are skipped. */
static int count_and_print_object(void *env, const char *member, const void *bytes, size_t length, char **error)
{
  struct size_totals *totals = env;
  struct cn_file_map_size size;

  if (member && !cn_elf_has_section(bytes, length, "cairn_frames") &&
      !cn_elf_has_section(bytes, length, ".llvm_stackmaps"))
    return 1;
  if (cn_size_count_maps(&size, bytes, length, error))
    return -1;
  char *name = member ? cn_format("%s(%s)", totals->path, member) : cn_strdup(totals->path);
  (totals->how->json ? print_sizes_as_json : print_sizes_as_text)(name, &size, totals->how);
  add_to_totals(totals, &size);
  cn_size_free_counts(&size);
  free(name);
  return 0;
}

static bool count_and_print_file(struct size_totals *totals, const char *path)
{
  struct cn_input_file file;
  char *error = NULL;
  int status = cn_input_open(&file, path, cn_input_is_binary, &error);

  totals->path = path;
  if (!status)
    status = cn_archive_visit_members(file.bytes, file.size, "maps", count_and_print_object, totals, &error);
  if (status)
    cn_tool_error("'%s': %s", path, error);
  free(error);
  cn_input_close(&file);
  return !status;
}

static int count_and_print_files(char **paths, const struct size_settings *how)
{
  struct size_settings without = {.json = how->json};
  struct size_totals totals = {.how = how, .all_have_stack_maps = true};
  bool ok = true;

  for (size_t i = 0; paths[i]; i++)
    ok &= count_and_print_file(&totals, paths[i]);
  if (!totals.all_have_stack_maps)
    totals.size.stack_maps = 0;
  if (totals.files > 1) {
    CN_ASSERT_VALID(cn_size_wrong(&totals.size));
    (how->json ? print_sizes_as_json : print_sizes_as_text)("total", &totals.size, &without);
  }
  cn_free(&totals.size.functions);
  return ok ? CN_EXIT_OK : CN_EXIT_FAILED;
}

static int apply_option(void *env, int letter, const char *name)
{
  struct size_settings *how = env;
  char *end = NULL;

  (void)name;
  if (letter == 'j') {
    how->json = true;
    return CN_EXIT_OK;
  }
  how->functions = true;
  if (!optarg)
    return CN_EXIT_OK;
  how->most = strtoull(optarg, &end, 10);
  if (*optarg >= '0' && *optarg <= '9' && !*end)
    return CN_EXIT_OK;
  cn_tool_error("--functions takes a number, not '%s'", optarg);
  return CN_EXIT_USAGE;
}

int cn_size_main(int argc, char **argv)
{
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'}, {"functions", optional_argument, NULL, 'f'}, CN_ARGUMENTS_COMMON};
  static char name[] = "cairn size";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "h", .options = options, .take = apply_option};
  struct size_settings how = {.most = UINT64_MAX};
  int status = cn_arguments_parse(argc, argv, &arguments, &how);

  if (status >= 0)
    return status;
  if (optind == argc) {
    cn_tool_error("at least one file is needed (see --help)");
    return CN_EXIT_USAGE;
  }
  return count_and_print_files(argv + optind, &how);
}
