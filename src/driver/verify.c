/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn verify`: is there a path on which a reference is used after it may have moved?
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/tool.h"

static const char help[] =
    "usage: cairn verify [options] IN.{ll,bc}|- ...\n\n"
    "Check that every managed function of the modules, rewritten already, uses no reference after\n"
    "a safepoint that may have moved it. Each finding names rule, function, values, and the blocks\n"
    "from the safepoint to the use.\n\n"
    "  --json                findings as JSON on standard output, one object per line\n"
    "  --check-polls         a loop without a safepoint is a finding\n"
    "  --address-spaces=N,.. which address spaces are managed (default: 1)\n"
    "  --safepoints=early    the optimiser has run since: it may have made two live values one\n"
    "  --help, --version\n\n"
    "Exit status: 0; 1 if there are findings or a file is no module; 2 for bad usage.\n";

/* ---- JSON ---- */

static void print_string(const char *text)
{
  putchar('"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

/* Absent fields are left out. */
static void print_field(const char *name, const char *value)
{
  if (!value)
    return;
  printf(", \"%s\": ", name);
  print_string(value);
}

/* `env` is the path of the module. */
static void print_json(void *env, const struct cairn_diagnostic *d)
{
  static const char *const words[] = {"error", "warning", "remark", "note"};

  printf("{\"severity\": \"%s\"", words[d->severity]);
  print_field("module", env);
  print_field("rule", d->rule);
  print_field("function", d->function);
  print_field("message", d->message);
  print_field("value", d->value);
  print_field("other", d->other);
  print_field("file", d->file);
  print_field("directory", d->directory);
  if (d->line)
    printf(", \"line\": %u", d->line);
  if (d->column)
    printf(", \"column\": %u", d->column);
  for (size_t i = 0; i < d->path_count; i++) {
    fputs(i ? ", " : ", \"path\": [", stdout);
    print_string(d->path[i]);
  }
  puts(d->path_count ? "]}" : "}");
}

/* ---- the command line ---- */

enum { OPT_JSON = 256, OPT_SET, OPT_VERSION };

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"check-polls", no_argument, NULL, OPT_SET},
    {"address-spaces", required_argument, NULL, OPT_SET},
    {"safepoints", required_argument, NULL, OPT_SET},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0}};

static int set_option(struct cairn_compile_options *options, const char *name)
{
  if (strcmp(name, "address-spaces") == 0) {
    free((void *)options->address_spaces);
    options->address_spaces = NULL;
  }
  char *wrong = cairn_compile_set(options, name, optarg);

  if (!wrong)
    return CN_EXIT_OK;
  cn_tool_error("--%s", wrong);
  free(wrong);
  return CN_EXIT_USAGE;
}

static bool verify(const char *path, const struct cairn_compile_options *options)
{
  struct cairn_compile_options own = *options;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = cn_module_read(context, path);

  own.env = (void *)path;
  bool ok = module && cairn_compile_pass(module, NULL, "verify-safepoints", &own);
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return ok;
}

static int run(int argc, char **argv, struct cairn_compile_options *options)
{
  int letter, which = 0, status = CN_EXIT_OK;

  while ((letter = getopt_long(argc, argv, "h", long_options, &which)) != -1) {
    if (letter == 'h')
      return fputs(help, stdout), CN_EXIT_OK;
    if (letter == OPT_VERSION)
      return cn_tool_print_version(), CN_EXIT_OK;
    if (letter == OPT_JSON)
      options->diagnose = print_json;
    else if (letter != OPT_SET || set_option(options, long_options[which].name))
      return CN_EXIT_USAGE;
  }
  if (optind == argc) {
    cn_tool_error("no file given (see --help)");
    return CN_EXIT_USAGE;
  }
  cairn_compile_init();
  for (int i = optind; i < argc; i++)
    if (!verify(argv[i], options))
      status = CN_EXIT_FAILED;
  return status;
}

int cn_verify_main(int argc, char **argv)
{
  struct cairn_compile_options options = {.diagnose = cn_tool_diagnose};
  char name[] = "cairn verify"; /* getopt puts it before what it says */

  cn_tool_name = argv[0] = name;
  int status = run(argc, argv, &options);
  free((void *)options.address_spaces);
  return status;
}
