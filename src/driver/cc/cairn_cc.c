/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn-cc`, a C compiler driver that replaces clang.
 *
 *   .c    clang to bitcode | Cairn and LLVM's code generator, in process | object with frame maps
 *         clang alone, if the unit handles no reference
 *   .ll .bc                 the same from the second step on
 *   .s    clang assembles  | stack maps become frame maps
 *   then  clang links, with the runtime for executables
 *
 * Commands that neither compile nor link (-E, -M, -fsyntax-only, ...) go to clang unchanged, and so do commands with
 * errors, which clang reports. Cairn adds a line to --version.
 *
 * main() reads the command, plans and compiles all units, joins bitcode, makes and runs the link, and writes the report
 * and the times. Errors and times go to stderr, help and version to stdout. The command and its plan live in main() and
 * run_command(); the file holds no other state.
 */
#include <string.h>
#include <unistd.h>
#include "driver/cc/cc_options.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/rules.h"
#include "driver/tool.h"

static const char help_text[] =
    "cairn-cc: a C compiler in clang's place, with a precise, relocating garbage collector\n\n"
    "usage: cairn-cc [any clang option] FILE...      .c .ll .bc .s .S .o .a\n\n"
    "  -fcairn-safepoints=late   insert safepoints after the optimiser (default)\n"
    "  -fcairn-safepoints=early  before it\n"
    "  -fcairn-safepoints=none   not at all: the program never collects\n"
    "  -fcairn-manage=references C functions are managed in units that handle references; clang\n"
    "                            compiles the others, as native code (default)\n"
    "  -fcairn-manage=all        they are in every unit\n"
    "  -fcairn-manage=marked     only those with a gc strategy: C code that is to stay native\n"
    "  -fcairn-slots=auto        functions with very many references keep them in frame slots "
    "(default)\n"
    "  -fcairn-slots=always      all functions do\n"
    "  -fcairn-slots=never       no function does\n"
    "  -fcairn-slot-budget=N     safepoints times live references above which auto does\n"
    "  -fcairn-roots=pairs       every root is a base/derived pair of the stack map, or refused; no\n"
    "                            frame slots (default: all)\n"
    "  -fcairn-barriers=KIND     code for the collector at loads and stores of references: cards (default),\n"
    "                            none, snapshot, loads or custom; one kind per program\n"
    "  -fcairn-collector=NAME    generational (default), semispace, or the program's own, which is called\n"
    "                            cairn_collector_NAME; with the barriers that these two need\n"
    "  -fcairn-inline-max=BYTES  allocate no larger blocks in line, 0: none (default: 8184); for\n"
    "                            collectors that are to see the others\n"
    "  -fcairn-note-stores       tell the runtime of each store of references, for CAIRN_VERIFY=stores\n"
    "  -fcairn-live-outs         records of patchpoints list the registers that are live after them\n"
    "                            (docs/patching.md)\n"
    "  -fcairn-words=REF:INT     words are references or integers, told apart by their low bits:\n"
    "                            0:1, 1:0 or 000:10, for instance (docs/words.md)\n"
    "  -fcairn-strategy=NAME,... further names of gc strategies of managed functions, in IR\n"
    "  -fcairn-without=NAME      without this optimisation (see cairn opt --help)\n"
    "  -fcairn-polls=NAME,...    where safepoint polls are placed (see cairn opt --help)\n"
    "  -fcairn-poll=stack        polls compare the stack pointer with a limit: a stack overflow is\n"
    "                            an error with a message (default: word)\n"
    "  -fcairn-poll-budget=N     microseconds of work between two polls, about (default: 20)\n"
    "  -fcairn-import=FILE       take over what is known of functions that FILE, IR that cairn-cc made\n"
    "                            of another unit, defines and this one calls\n"
    "  --target=TRIPLE           compile and link for another target than the host (docs/driver.md)\n"
    "  -shared-libcairn          use the runtime in libcairn.so, in an executable or with -shared;\n"
    "                            when compiling and linking (default: -static-libcairn)\n"
    "  -flto                     make one unit of all at the link (needs lld)\n"
    "  -fcairn-remarks           tell when a module was optimised with less freedom, and why\n"
    "  -fcairn-report[=FILE]     tell by function what safepoints it has, and what was done about\n"
    "                            loops (default: to standard error)\n"
    "  --explain=RULE            print the text of a rule that an error names in brackets\n"
    "  -fdiagnostics-format=sarif   write errors and warnings as SARIF, Cairn's after clang's\n"
    "  -fcairn-times             tell on standard error how long each step took\n"
    "  -###                      print the commands and passes, run nothing\n"
    "  -v                        print them as they run\n\n"
    "C++ and other languages are compiled by clang as native code. Not supported yet: -flto=thin,\n"
    "and in managed units profiling and coverage, address, memory and thread sanitizers, OpenMP.\n\n"
    "A page docs/NAME.md is 'man cairn-NAME'; packages have it in /usr/share/doc/cairn/docs, too. The\n"
    "compiled program reads variables: CAIRN_HELP=1 lists them, CAIRN_STATS=1 prints statistics, and\n"
    "CAIRN_STRESS=1 moves all objects at each safepoint, to find lost references.\n\n"
    "Options of clang:\n\n";

/* ---- commands for clang alone ---- */

static bool is_option_of_cairn(const char *word)
{
  const struct cn_option *row = cn_options_find(word);

  return row && (row->effect == CN_EFFECT_OWN || row->effect == CN_EFFECT_SHARED_RUNTIME ||
                 row->effect == CN_EFFECT_STATIC_RUNTIME);
}

/* Add the command's arguments for clang, without Cairn's options. */
static void add_clang_arguments(const struct cn_command *command, struct cn_words *words)
{
  for (size_t i = 0; i < command->args.count; i++)
    if (!is_option_of_cairn(command->args.at[i]))
      cn_push(words, command->args.at[i]);
}

static int pass_command_to_clang(const struct cn_command *command, bool with_environment)
{
  struct cn_words words = {0};
  bool preprocesses = false;

  cn_push(&words, cn_process_clang_path());
  for (size_t i = 0; i < command->items.count; i++)
    preprocesses |= command->items.at[i].input && cn_languages_needs_preprocessor(&command->items.at[i]);
  if (with_environment && preprocesses)
    cn_frontend_add_cpp_options(&words);
  add_clang_arguments(command, &words);
  if (command->verbose && !command->dry_run)
    cn_process_print_command(&words, stderr);
  if (!command->preprocess || command->imports.count == 0 || command->dry_run)
    return cn_process_exec(&words);
  int status = cn_process_run(&words);
  cn_free(&words);
  return status == CN_EXIT_OK && !cn_imports_append(command) ? CN_EXIT_FAILED : status;
}

/* Print clang's lines first, because build systems read them. */
static int print_version(const struct cn_command *command)
{
  struct cn_words words = {0};

  cn_push(&words, cn_process_clang_path());
  add_clang_arguments(command, &words);
  int status = cn_process_run(&words);
  cn_free(&words);
  if (status == 0)
    printf("Cairn version %s\n", CAIRN_VERSION);
  return status;
}

/* True if clang runs alone, because the command neither compiles nor links, or because clang reports an error of the
 * command line. */
static bool is_for_clang_alone(const struct cn_command *command)
{
  size_t sources = 0, inputs = 0;

  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    if (!item->input)
      continue;
    if (item->language == CN_LANG_HEADER || (strcmp(item->words[0], "-") != 0 && access(item->words[0], F_OK) != 0))
      return true;
    inputs++;
    sources += item->language != CN_LANG_FOR_LINKER;
  }
  if (command->mode == CN_MODE_CLANG_ALONE || command->incomplete || inputs == 0)
    return true;
  if (command->mode == CN_MODE_LINK)
    return command->emit_llvm;
  return sources == 0 || (command->output && sources > 1);
}

/* True if the command has a source that is certain to be managed. A unit of C may be native. */
static bool has_managed_sources(const struct cn_command *command)
{
  bool native = command->native_units && !command->lto;

  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    if (item->input && (item->language == CN_LANG_IR || (item->language == CN_LANG_C && !native)))
      return true;
  }
  return false;
}

/* ---- the complete command ---- */

struct command_plan {
  CN_VECTOR(struct cn_unit) units;
  struct cn_words link;
};

static bool plan_units(const struct cn_command *command, struct command_plan *plan)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    struct cn_unit unit;
    if (!item->input || item->language == CN_LANG_FOR_LINKER)
      continue;
    if (!cn_unit_plan(command, item, &unit))
      return false;
    CN_ASSERT_VALID(cn_unit_wrong(&unit));
    cn_push(&plan->units, unit);
  }
  return true;
}

/* Compile every unit, even after a failure, as clang does. The first failure is the command's status. */
static int compile_units(const struct cn_command *command, struct command_plan *plan)
{
  int status = CN_EXIT_OK;

  for (size_t i = 0; i < plan->units.count; i++) {
    struct cn_unit *unit = &plan->units.at[i];
    int own = cn_unit_compile(command, unit);
    status = status ? status : own;
  }
  return status;
}

static int join_lto_units(const struct cn_command *command, const struct command_plan *plan,
                          struct cn_joined_bitcode *joined)
{
  if (!cn_lto_plan_join(command, plan->units.at, plan->units.count, joined))
    return CN_EXIT_FAILED;
  if (command->verbose || command->dry_run) {
    cn_process_print_command(&joined->command, stderr);
    cn_unit_print_passes(command, CAIRN_PART_JOINED);
  }
  return command->dry_run ? CN_EXIT_OK : cn_lto_join_and_compile(command, joined);
}

static int run_link(const struct cn_command *command, struct command_plan *plan)
{
  struct cn_joined_bitcode joined = {0};
  int status = cn_lto_is_wanted(command) ? join_lto_units(command, plan, &joined) : CN_EXIT_OK;

  cn_free(&joined.command);
  if (status != CN_EXIT_OK)
    return status;
  if (!cn_link_make_command(command, plan->units.at, plan->units.count, &joined, &plan->link))
    return CN_EXIT_FAILED;
  if (command->verbose || command->dry_run)
    cn_process_print_command(&plan->link, stderr);
  if (command->dry_run)
    return CN_EXIT_OK;
  struct cairn_pass_time start = cn_times_start_step(&command->compile);
  status = cn_link_run(command, &plan->link);
  cn_times_stop_step(&command->compile, &start, "link");
  if (status != CN_EXIT_OK)
    cn_link_explain_errors(&plan->link);
  return status == CN_EXIT_OK && !cn_link_check_output(command) ? CN_EXIT_FAILED : status;
}

static int run_command(const struct cn_command *command)
{
  struct command_plan plan = {0};
  CN_ASSERT_VALID(cn_command_wrong(command));
  CN_CHECK(command->mode != CN_MODE_CLANG_ALONE);
  int status = plan_units(command, &plan) ? compile_units(command, &plan) : CN_EXIT_FAILED;

  if (status == CN_EXIT_OK && command->mode == CN_MODE_LINK)
    status = run_link(command, &plan);
  if (!cn_function_report_write(command->report && *command->report ? command->report : NULL) && !status)
    status = CN_EXIT_FAILED;
  for (size_t i = 0; i < plan.units.count; i++)
    cn_unit_free(&plan.units.at[i]);
  cn_free(&plan.units);
  cn_free(&plan.link);
  cn_backend_print_explain_note();
  if (!cn_sarif_is_empty())
    cn_sarif_write(stderr);
  if (command->compile.timer)
    cn_times_print(&command->times, stderr);
  return status;
}

static int dispatch_command(struct cn_command *command)
{
  if (!cn_command_parse(command))
    return CN_EXIT_FAILED;
  if (command->explain)
    return cn_rules_explain(command->explain, "no rule");
  if (command->help)
    fputs(help_text, stdout);
  if (command->version && !command->help)
    return print_version(command);
  if (command->help || command->items.count == 0)
    return pass_command_to_clang(command, false);
  if (command->refused_lto) {
    cn_tool_error("not supported yet: '%s' (-flto, which is -flto=full, joins all units into one)",
                  command->refused_lto);
    return CN_EXIT_FAILED;
  }
  if (is_for_clang_alone(command))
    return pass_command_to_clang(command, command->mode != CN_MODE_LINK);
  if (has_managed_sources(command) && !cn_command_can_manage(command))
    return CN_EXIT_FAILED;
  return run_command(command);
}

int main(int argc, char **argv)
{
  struct cn_command command = {0};

  cn_tool_name = "cairn-cc";
  command.front_end = cn_clang_compile;
  cn_response_expand_arguments(argc, argv, &command.args);
  int status = dispatch_command(&command);
  cn_command_free(&command);
  return status;
}
