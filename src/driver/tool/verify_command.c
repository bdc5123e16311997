/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn verify`: finds uses of references that may have moved, in modules that are already rewritten, or bounds the
 * times to safepoints (verify_time.c). The modules stay unchanged. Findings go to stderr, or to stdout as JSON; other
 * errors go to stderr. The state of a run is in struct verify_request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "driver/tool/verify_time.h"
#include "object/print/json_out.h"

static const char help_text[] =
    "usage: cairn verify [options] IN.{ll,bc}|- ...\n\n"
    "Check that every managed function of the modules, rewritten already, uses no reference after\n"
    "a safepoint that may have moved it. Each finding names rule, function, values, and the blocks\n"
    "from the safepoint to the use. Functions that are not looked at are named: with a gc strategy\n"
    "that Cairn does not know, and without one where they keep references.\n\n"
    "  --time-to-safepoint   instead: how long each function may run without a safepoint, and the\n"
    "                        loops and calls without a bound (or of a second or more),\n"
    "                        which are findings\n"
    "  --poll-budget=N       there: and what takes longer than twice N microseconds\n"
    "  --json                findings as JSON on standard output, one object per line\n"
    "  --check-polls         a loop without a safepoint is a finding\n"
    "  --barriers=KIND       also: each load or store of a reference has the barrier of the kind, as a\n"
    "                        call of @cairn.barrier.store, .range or .load, or needs none\n"
    "  --address-spaces=N,.. which address spaces are managed (default: 1)\n"
    "  --strategy=NAME,...   further names of gc strategies of managed functions\n"
    "  --tolerate=stack-references  the runtime finds references in locals that no statepoint\n"
    "                        describes, by itself; Cairn's runtime does not\n"
    "  --safepoints=early    the optimiser has run since: it may have made two live values one\n"
    "  --help, --version\n\n"
    "Exit status: 0; 1 if there are findings, references or safepoints that were not looked at, or a\n"
    "file is no module; 2 for bad usage.\n";

/* ---- JSON ---- */

/* `env` is the path of the module. */
static void print_finding_as_json(void *env, const struct cairn_diagnostic *d)
{
  static const char *const words[] = {"error", "warning", "remark", "note"};

  struct cn_json_writer json = {.out = stdout};

  CN_CHECK(d->severity < sizeof words / sizeof *words && d->message);
  cn_json_out_open_on_line(&json, NULL, '{');
  CN_MEMBERS(&json, CN_STRING("severity", words[d->severity]), CN_STRING_OR_NOT("module", env),
             CN_STRING_OR_NOT("rule", d->rule), CN_STRING_OR_NOT("function", d->function),
             CN_STRING("message", d->message), CN_STRING_OR_NOT("value", d->value), CN_STRING_OR_NOT("other", d->other),
             CN_STRING_OR_NOT("file", d->file), CN_STRING_OR_NOT("directory", d->directory),
             CN_NUMBER_OR_NOT("line", d->line), CN_NUMBER_OR_NOT("column", d->column));
  if (d->path_count)
    cn_json_out_open_bracket(&json, "path", '[');
  for (size_t i = 0; i < d->path_count; i++)
    cn_json_out_write_string(&json, NULL, d->path[i]);
  if (d->path_count)
    cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
}

/* ---- the command line ---- */

enum { OPT_JSON = 256, OPT_COMPILE_OPTION, OPT_TIME_TO_SAFEPOINT };

struct verify_request {
  struct cairn_compile_options options;
  bool json, time;
};

static const struct option long_options[] = {{"json", no_argument, NULL, OPT_JSON},
                                             {"time-to-safepoint", no_argument, NULL, OPT_TIME_TO_SAFEPOINT},
                                             {"poll-budget", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"check-polls", no_argument, NULL, OPT_COMPILE_OPTION},
                                             {"barriers", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"address-spaces", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"safepoints", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"strategy", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"tolerate", required_argument, NULL, OPT_COMPILE_OPTION},
                                             CN_ARGUMENTS_COMMON};

static int set_compile_option(struct cairn_compile_options *options, const char *name)
{
  if (strcmp(name, "address-spaces") == 0) {
    free((void *)options->address_spaces);
    options->address_spaces = NULL;
  }
  return cn_arguments_set_compile_option(options, name);
}

static bool verify_module(LLVMModuleRef module, const char *path, const struct verify_request *request)
{
  struct cairn_compile_options own = request->options;

  own.env = (void *)path;
  if (request->json)
    own.diagnose = print_finding_as_json;
  if (request->time)
    return cairn_time_to_safepoint(module, &own, request->json ? cn_verify_print_time_json : cn_verify_print_time,
                                   own.env) == CAIRN_OK;
  bool seen = cairn_compile_pass(module, NULL, "verify-unmanaged", &own) == CAIRN_OK;
  seen &= cairn_compile_pass(module, NULL, "verify-safepoints", &own) == CAIRN_OK;
  return cairn_compile_pass(module, NULL, "verify-barriers", &own) == CAIRN_OK && seen;
}

static bool verify_file(const char *path, const struct verify_request *request)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = cn_module_read(context, path);
  bool ok = module && verify_module(module, path, request);

  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return ok;
}

static int apply_option(void *env, int letter, const char *name)
{
  struct verify_request *request = env;

  switch (letter) {
  case OPT_JSON:
    request->json = true;
    return CN_EXIT_OK;
  case OPT_TIME_TO_SAFEPOINT:
    request->time = true;
    return CN_EXIT_OK;
  default:
    return set_compile_option(&request->options, name);
  }
}

static int verify_files(char **paths, const struct verify_request *request)
{
  int status = CN_EXIT_OK;

  if (!*paths) {
    cn_tool_error("no file given (see --help)");
    return CN_EXIT_USAGE;
  }
  cairn_compile_init();
  for (; *paths; paths++)
    if (!verify_file(*paths, request))
      status = CN_EXIT_FAILED;
  return status;
}

int cn_verify_main(int argc, char **argv)
{
  static char name[] = "cairn verify";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "h", .options = long_options, .take = apply_option};
  struct verify_request request = {.options = {.barriers = CAIRN_BARRIERS_NONE, .diagnose = cn_tool_print_diagnostic}};
  int status = cn_arguments_parse(argc, argv, &arguments, &request);

  if (status < 0)
    status = verify_files(argv + optind, &request);
  free((void *)request.options.address_spaces);
  free((void *)request.options.strategies);
  return status;
}
