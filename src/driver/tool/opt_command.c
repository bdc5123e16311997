/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn opt`: runs passes of Cairn or LLVM by name, in the given order, after it has imported functions of other
 * modules. Then writes the changed module to a file or stdout. Checks the names of passes and analyses first. Printed
 * analyses and help go to stdout, diagnostics, dumps (pass_dump.c) and times to stderr. The state of a run is in struct
 * opt_request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "base/vector.h"
#include "driver/times.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "driver/tool/pass_dump.h"

struct opt_request {
  const char *input, *output;
  bool text, silent;
  CN_VECTOR(const char *) passes;   /* the arguments of -p */
  CN_VECTOR(const char *) analyses; /* --print */
  CN_VECTOR(const char *) imports;  /* --import */
  struct cairn_compile_options compile;
  struct cn_pass_times times;
  struct cn_pass_dump dump;
};

static const char help_text[] =
    "usage: cairn opt -p PASSES [options] IN.{ll,bc}|-\n\n"
    "  -p PASSES             comma-separated, run in this order; a name that is not listed "
    "below\n"
    "                        goes to LLVM's pass pipeline parser, e.g. "
    "'function(sroa,instcombine)'\n"
    "  -o FILE               write the module there (default: standard output)\n"
    "  -S                    write text, not bitcode\n"
    "  --disable-output      write no module\n"
    "  --print=ANALYSIS      print an analysis, listed below, to standard output, after the passes;\n"
    "                        the module only goes to -o then\n"
    "  --explain-calls       --print=calls\n"
    "  --print-after=PASS    print the module to standard error after each run of PASS, a name as -p\n"
    "                        has it; all: after every pass\n"
    "  --print-changed       print to standard error, after each pass, the functions that it changed\n"
    "  --verify-each         LLVM's verifier after each pass, and verify-safepoints where there are\n"
    "                        statepoints; the error names the pass\n"
    "  --manage-all          as for C: every definition is managed\n"
    "  --safepoints=WHEN     late, early or none: what the passes take the pipeline to be\n"
    "  --time-passes         say on standard error how long each pass took\n"
    "  --shared              the code may end in a shared object\n"
    "  --without=NAME,...    rewrite-statepoints and place-safepoints without these optimisations,\n"
    "                        listed below\n"
    "  --slots=WHEN          references in slots of the frame instead of relocated values: auto\n"
    "                        (per function, by cost), never or always\n"
    "  --slot-budget=N       auto: above so many safepoints x live references\n"
    "  --roots=pairs         every root a base/derived pair, as LLVM has them; what cannot be one is\n"
    "                        refused, and there is no slot mode (default: all)\n"
    "  --barriers=KIND       insert-barriers and what follows it: cards (default), snapshot, loads,\n"
    "                        custom, the module's own, or none\n"
    "  --inline-max=BYTES    allocate: no larger blocks in line; 0: none (default: 8184)\n"
    "  --note-stores         note-stores: the runtime is told of each store of references\n"
    "  --address-spaces=N,.. which address spaces are managed (default: 1)\n"
    "  --strategy=NAME,...   further names of gc strategies of managed functions\n"
    "  --words=REF:INT       words are references or integers, told apart by their low bits, as in\n"
    "                        0:1 (docs/words.md)\n"
    "  --check-polls         verify-safepoints: a loop without a safepoint is an error\n"
    "  --tolerate=stack-references  verify-safepoints: the runtime finds references in locals that no\n"
    "                        statepoint describes; Cairn's runtime does not\n"
    "  --polls=NAME,...      place-safepoints: where, of the places listed below; none: nowhere\n"
    "  --poll=stack          polls compare the stack pointer with a limit, which finds stack\n"
    "                        overflow too (default: word, a load and compare)\n"
    "  --poll-budget=N       microseconds of work between two polls, about (default: 20)\n"
    "  --report              the passes tell what they did, as remarks on standard error\n"
    "  --import=FILE         before the passes: take over what place-safepoints found out of the\n"
    "                        functions that FILE (a module) defines and IN declares\n"
    "  --help, --version\n";

static void print_names_with_help(const char *title, const char *const *name)
{
  printf("\n%s:\n", title);
  for (; *name; name += 2)
    printf("  %-21s %s\n", name[0], name[1]);
}

static void print_pass_names_and_options(void)
{
  print_names_with_help("passes", cairn_compile_pass_names());
  print_names_with_help("analyses", cairn_compile_analysis_names());
  print_names_with_help("optimisations", cairn_compile_relocation_names());
  print_names_with_help("optimisations of place-safepoints", cairn_compile_placement_names());
  print_names_with_help("places of polls (default: entry,backedge,call)", cairn_compile_polls_names());
}

static bool is_cairn_pass(const char *name)
{
  for (const char *const *known = cairn_compile_pass_names(); *known; known += 2)
    if (strcmp(*known, name) == 0)
      return true;
  return false;
}

/* The length of the first name in `list`, which ends at a comma outside brackets. 0 if `list` is empty or its brackets
 * are unbalanced. */
static size_t first_name_length(const char *list)
{
  int depth = 0;
  size_t i;

  for (i = 0; list[i] && (list[i] != ',' || depth > 0); i++) {
    if (strchr("(<", list[i]))
      depth++;
    else if (strchr(")>", list[i]) && --depth < 0)
      return 0;
  }
  return depth == 0 ? i : 0;
}

static bool is_pass_list_valid(const char *list)
{
  if (!*list)
    return false;
  while (*list) {
    size_t length = first_name_length(list);
    if (length == 0 || (list[length] == ',' && !list[length + 1]))
      return false;
    list += length + (list[length] == ',');
  }
  return true;
}

/* True if the module is valid after a pass. LLVM's verifier has already run after a pass of Cairn. */
static bool check_module_after_pass(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *name,
                                    const struct opt_request *opt)
{
  bool ok = true;

  if (!is_cairn_pass(name)) {
    char *what = cn_format("pass '%s' left a broken module", name);
    ok = cn_module_verify(module, opt->input, what);
    free(what);
  }
  return ok && (!opt->dump.verify || cn_pass_dump_verify_module(module, machine, name, &opt->compile));
}

/* Run one pass of Cairn and LLVM's verifier, or run a list of LLVM's passes. */
static bool run_pass(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *name,
                     const struct opt_request *opt)
{
  LLVMModuleRef before = cn_pass_dump_copy_before(&opt->dump, module);

  if (cairn_compile_pass(module, machine, name, &opt->compile) != CAIRN_OK) {
    if (before)
      LLVMDisposeModule(before);
    return false;
  }
  cn_pass_dump_print_after(&opt->dump, name, before, module);
  return check_module_after_pass(module, machine, name, opt);
}

/* Run the passes of `list`. Consecutive passes of LLVM run together and keep their analyses, unless an option applies
 * to single passes. */
static bool run_pass_list(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *list,
                          const struct opt_request *opt)
{
  char *llvm = cn_strdup("");
  bool ok = true;

  CN_CHECK(is_pass_list_valid(list)); /* apply_option() */
  while (ok && *list) {
    size_t length = first_name_length(list);
    CN_ASSERT(length > 0);
    char *name = cn_format("%.*s", (int)length, list);
    if (is_cairn_pass(name) || cn_pass_dump_is_wanted(&opt->dump)) {
      ok = (!*llvm || run_pass(module, machine, llvm, opt)) && run_pass(module, machine, name, opt);
      *llvm = 0;
    } else {
      char *longer = cn_format("%s%s%s", llvm, *llvm ? "," : "", name);
      free(llvm);
      llvm = longer;
    }
    free(name);
    list += length + (list[length] == ',');
  }
  ok = ok && (!*llvm || run_pass(module, machine, llvm, opt));
  free(llvm);
  return ok;
}

/* ---- names for --print and --print-after ---- */

static char *append_name(char *list, const char *name, size_t length)
{
  char *longer = cn_format("%s%s%.*s", list, *list ? ", " : "", (int)length, name);

  CN_ASSERT(length > 0 && length <= strlen(name));
  free(list);
  return longer;
}

static bool check_analysis_name(const char *name)
{
  for (const char *const *known = cairn_compile_analysis_names(); *known; known += 2)
    if (strcmp(*known, name) == 0)
      return true;
  char *all = cn_strdup("");
  for (const char *const *known = cairn_compile_analysis_names(); *known; known += 2)
    all = append_name(all, *known, strlen(*known));
  cn_tool_error("--print: no analysis '%s'; there are %s", name, all);
  free(all);
  return false;
}

/* True if -p names the pass; without this check, --print-after could print nothing. */
static bool check_pass_is_run(const struct opt_request *opt, const char *pass)
{
  char *all = cn_strdup("");
  bool found = strcmp(pass, "all") == 0;

  for (size_t i = 0; !found && i < opt->passes.count; i++)
    for (const char *list = opt->passes.at[i]; *list && !found;) {
      size_t length = first_name_length(list);
      found = strlen(pass) == length && memcmp(list, pass, length) == 0;
      all = append_name(all, list, length);
      list += length + (list[length] == ',');
    }
  if (!found)
    cn_tool_error("--print-after: -p does not run '%s'; it runs %s", pass, *all ? all : "nothing");
  free(all);
  return found;
}

static int check_printed_names(const struct opt_request *opt)
{
  bool ok = true;

  for (size_t i = 0; i < opt->analyses.count; i++)
    ok &= check_analysis_name(opt->analyses.at[i]);
  for (size_t i = 0; i < opt->dump.after.count; i++)
    ok &= check_pass_is_run(opt, opt->dump.after.at[i]);
  return ok ? CN_EXIT_OK : CN_EXIT_USAGE;
}

/* ---- the run ---- */

static void print_analyses(LLVMModuleRef module, const struct opt_request *opt)
{
  for (size_t i = 0; i < opt->analyses.count; i++) {
    char *text;
    CN_CHECK(cairn_compile_print(module, opt->analyses.at[i], &opt->compile, &text) == CAIRN_OK);
    fputs(text, stdout);
    free(text);
  }
}

static bool run_passes_and_write(LLVMModuleRef module, const struct opt_request *opt)
{
  struct cn_machine_options how = {.opt_level = 2, .reloc = LLVMRelocPIC, .code_model = LLVMCodeModelDefault};
  /* Passes can run for a target without a port, but there is no target machine. */
  bool ported = cn_module_has_port(module);
  LLVMTargetMachineRef machine = ported ? cn_module_make_machine(module, opt->input, &how) : NULL;
  bool ok = machine || !ported;

  CN_CHECK(opt->input != NULL);
  for (size_t i = 0; ok && i < opt->passes.count; i++)
    ok = run_pass_list(module, machine, opt->passes.at[i], opt);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  if (!ok)
    return false;
  print_analyses(module, opt);
  if (opt->silent)
    return true;
  if (opt->output)
    return cn_module_write(module, opt->output, opt->text);
  return opt->analyses.count > 0 || cn_module_write(module, "-", opt->text);
}

/* Numbers of long options. OPT_COMPILE_OPTION is an option of cairn_compile_set() with the same name. */
enum {
  OPT_PRINT_ANALYSIS = 256,
  OPT_IMPORT,
  OPT_EXPLAIN_CALLS,
  OPT_COMPILE_OPTION,
  OPT_TIME_PASSES,
  OPT_DISABLE_OUTPUT,
  OPT_PRINT_AFTER,
  OPT_PRINT_CHANGED,
  OPT_VERIFY_EACH
};

static const struct option long_options[] = {{"passes", required_argument, NULL, 'p'},
                                             {"import", required_argument, NULL, OPT_IMPORT},
                                             {"print", required_argument, NULL, OPT_PRINT_ANALYSIS},
                                             {"print-after", required_argument, NULL, OPT_PRINT_AFTER},
                                             {"print-changed", no_argument, NULL, OPT_PRINT_CHANGED},
                                             {"verify-each", no_argument, NULL, OPT_VERIFY_EACH},
                                             {"explain-calls", no_argument, NULL, OPT_EXPLAIN_CALLS},
                                             {"manage-all", no_argument, NULL, OPT_COMPILE_OPTION},
                                             {"safepoints", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"shared", no_argument, NULL, OPT_COMPILE_OPTION},
                                             {"without", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"slots", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"slot-budget", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"roots", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"address-spaces", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"words", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"strategy", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"tolerate", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"check-polls", no_argument, NULL, OPT_COMPILE_OPTION},
                                             {"polls", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"poll", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"poll-budget", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"barriers", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"inline-max", required_argument, NULL, OPT_COMPILE_OPTION},
                                             {"note-stores", no_argument, NULL, OPT_COMPILE_OPTION},
                                             {"report", no_argument, NULL, OPT_COMPILE_OPTION},
                                             {"disable-output", no_argument, NULL, OPT_DISABLE_OUTPUT},
                                             {"time-passes", no_argument, NULL, OPT_TIME_PASSES},
                                             CN_ARGUMENTS_COMMON};

static int apply_option(void *env, int letter, const char *name)
{
  struct opt_request *opt = env;

  switch (letter) {
  case 'p':
    if (!is_pass_list_valid(optarg)) {
      cn_tool_error("-p: '%s' is not a list of passes", optarg);
      return CN_EXIT_USAGE;
    }
    cn_push(&opt->passes, optarg);
    return CN_EXIT_OK;
  case 'S':
    opt->text = true;
    return CN_EXIT_OK;
  case 'o':
    opt->output = optarg;
    return CN_EXIT_OK;
  case OPT_IMPORT:
    cn_push(&opt->imports, optarg);
    return CN_EXIT_OK;
  case OPT_PRINT_ANALYSIS:
    cn_push(&opt->analyses, optarg);
    return CN_EXIT_OK;
  case OPT_EXPLAIN_CALLS:
    cn_push(&opt->analyses, "calls");
    return CN_EXIT_OK;
  case OPT_PRINT_AFTER:
    cn_push(&opt->dump.after, optarg);
    return CN_EXIT_OK;
  case OPT_PRINT_CHANGED:
    opt->dump.changed = true;
    return CN_EXIT_OK;
  case OPT_VERIFY_EACH:
    opt->dump.verify = true;
    return CN_EXIT_OK;
  case OPT_DISABLE_OUTPUT:
    opt->silent = true;
    return CN_EXIT_OK;
  case OPT_TIME_PASSES:
    opt->compile.timer = cn_times_add_run;
    opt->compile.timer_env = &opt->times;
    return CN_EXIT_OK;
  default:
    return cn_arguments_set_compile_option(&opt->compile, name);
  }
}

static int run_opt(struct opt_request *opt)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = cn_module_read(context, opt->input);
  bool ok = module != NULL;

  for (size_t i = 0; ok && i < opt->imports.count; i++)
    ok = cn_module_import_functions(module, opt->imports.at[i]);
  ok = ok && run_passes_and_write(module, opt);

  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  if (opt->compile.timer)
    cn_times_print(&opt->times, stderr);
  return ok ? CN_EXIT_OK : CN_EXIT_FAILED;
}

static int check_arguments(const struct opt_request *opt, int operands)
{
  if (operands != 1) {
    cn_tool_error(operands ? "more than one input (see --help)" : "no input (see --help)");
    return CN_EXIT_USAGE;
  }
  if (check_printed_names(opt) != CN_EXIT_OK)
    return CN_EXIT_USAGE;
  if (!opt->text && !opt->output && !opt->silent && !opt->analyses.count && isatty(STDOUT_FILENO)) {
    cn_tool_error("bitcode is not for a terminal: give -S or -o FILE");
    return CN_EXIT_USAGE;
  }
  return CN_EXIT_OK;
}

static void free_opt_request(struct opt_request *opt)
{
  cn_times_free(&opt->times);
  cn_free(&opt->passes);
  cn_free(&opt->analyses);
  cn_free(&opt->dump.after);
  cn_free(&opt->imports);
  free((void *)opt->compile.address_spaces);
  free((void *)opt->compile.strategies);
}

int cn_opt_main(int argc, char **argv)
{
  static char name[] = "cairn opt";
  struct cn_arguments arguments = {.name = name,
                                   .help = help_text,
                                   .more = print_pass_names_and_options,
                                   .letters = "hp:So:",
                                   .options = long_options,
                                   .take = apply_option};
  struct opt_request opt = {.compile = {.opt_level = 3, .diagnose = cn_tool_print_diagnostic}};

  cairn_compile_init();
  int status = cn_arguments_parse(argc, argv, &arguments, &opt);
  if (status < 0 && (status = check_arguments(&opt, argc - optind)) == CN_EXIT_OK) {
    opt.input = argv[optind];
    opt.compile.env = argv[optind];
    status = run_opt(&opt);
  }
  free_opt_request(&opt);
  return status;
}
