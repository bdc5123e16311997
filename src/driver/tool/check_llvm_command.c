/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn check-llvm`: tries known defects of LLVM's statepoints (llvm_defects.def) on any `opt` and `llc`, and prints a
 * line for each on stdout. Each small input goes to the tools' standard input; the output is compared with regular
 * expressions. An input that would crash or hang a tool is not tried: the tool's version decides. Errors go to stderr.
 * The file holds no state.
 */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"

extern char **environ;

static const char help_text[] =
    "usage: cairn check-llvm [OPT [LLC]]\n\n"
    "Try known defects of LLVM's statepoints (docs/llvm-22.md, docs/field.md) on the programs OPT\n"
    "and LLC (default: those of the LLVM that cairn was built with). A line for each defect has its\n"
    "name, what goes wrong, and the answer: bites, does not bite, or, for inputs that would crash or\n"
    "hang the program, decided by version. Cairn has a remedy for each defect.\n\n"
    "  --help, --version\n";

/* A defect that small inputs show. */
struct defect {
  const char *id, *help, *passes, *flag, *llc, *input, *shown, *sound;
};
static const struct defect defects[] = {
#define CN_DEFECT(id, help, passes, flag, llc, input, shown, sound) {id, help, passes, flag, llc, input, shown, sound},
#define CN_DEFECT_BY_VERSION(id, help, tool, first, last)
#include "driver/tool/llvm_defects.def"
#undef CN_DEFECT
#undef CN_DEFECT_BY_VERSION
};

/* A defect that the version decides. */
static const struct version_defect {
  const char *id, *help, *tool;
  unsigned first, last;
} version_defects[] = {
#define CN_DEFECT(id, help, passes, flag, llc, input, shown, sound)
#define CN_DEFECT_BY_VERSION(id, help, tool, first, last) {id, help, tool, first, last},
#include "driver/tool/llvm_defects.def"
#undef CN_DEFECT
#undef CN_DEFECT_BY_VERSION
};

struct llvm_tools {
  const char *opt, *llc;
  unsigned opt_version, llc_version; /* major */
};

/* ---- running a tool ---- */

/* Run a program with `input` as its standard input. Returns its standard output, which the caller frees, or null if it
 * could not be run; *status is then 127, and otherwise the program's status. */
static char *run_tool(char *const *words, const char *input, int *status)
{
  FILE *in = tmpfile(), *out = tmpfile();
  posix_spawn_file_actions_t actions;
  char *text = NULL;
  pid_t child;

  *status = 127;
  if (!in || !out || fwrite(input, 1, strlen(input), in) != strlen(input) || fflush(in) || fseek(in, 0, SEEK_SET)) {
    cn_tool_error("no temporary file: %s", strerror(errno));
    exit(CN_EXIT_FAILED);
  }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (posix_spawnp(&child, words[0], &actions, NULL, words, environ) == 0) {
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
      ;
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    fseek(out, 0, SEEK_END);
    long size = ftell(out);
    rewind(out);
    text = cn_alloc((size_t)size + 1);
    text[fread(text, 1, (size_t)size, out)] = 0;
  }
  posix_spawn_file_actions_destroy(&actions);
  fclose(in);
  fclose(out);
  return text;
}

/* The major version of a tool of LLVM, or 0 after a message. */
static unsigned version_of(const char *tool)
{
  char option[] = "--version";
  char *words[] = {(char *)tool, option, NULL};
  int status;
  char *text = run_tool(words, "", &status);
  const char *found = text ? strstr(text, "LLVM version ") : NULL;
  unsigned version = found ? (unsigned)strtoul(found + strlen("LLVM version "), NULL, 10) : 0;

  if (!version)
    cn_tool_error("'%s' is no tool of LLVM: --version %s", tool, text ? "names no version" : "cannot be run");
  free(text);
  return version;
}

/* ---- defects ---- */

enum answer { BITES, DOES_NOT_BITE, NOT_SHOWN };

static bool matches(const char *pattern, const char *text)
{
  regex_t regex;

  CN_CHECK(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) == 0);
  bool found = regexec(&regex, text, 0, NULL, 0) == 0;
  regfree(&regex);
  return found;
}

/* The output of the tools for the defect's input, which the caller frees; *status is that of the last tool. */
static char *run_defect(const struct llvm_tools *tools, const struct defect *d, int *status)
{
  char *passes = cn_format("-passes=%s", d->passes ? d->passes : "");
  char text[] = "-S", unverified[] = "-disable-verify", from[] = "-", to[] = "-o", standard[] = "-";
  char *opt[] = {(char *)tools->opt, passes, text, unverified, from, to, standard, (char *)d->flag, NULL};
  char *llc[] = {(char *)tools->llc, (char *)d->llc, from, to, standard, NULL};
  char *output = d->passes ? run_tool(opt, d->input, status) : cn_strdup(d->input);

  if (d->llc && output && (!d->passes || *status == 0)) {
    char *ir = output;
    output = run_tool(llc, ir, status);
    free(ir);
  }
  free(passes);
  return output;
}

/* An error of LLVM, whose status is 1 or that of abort(), means that the tool refuses the input. */
static enum answer try_defect(const struct llvm_tools *tools, const struct defect *d)
{
  int status = 0;
  char *output = run_defect(tools, d, &status);
  bool refused = status == 1 || status == 128 + SIGABRT;
  enum answer answer = refused                                                ? DOES_NOT_BITE
                       : status != 0 || !output || !matches(d->shown, output) ? NOT_SHOWN
                       : matches(d->sound, output)                            ? DOES_NOT_BITE
                                                                              : BITES;
  free(output);
  return answer;
}

static void print_version_answer(const struct llvm_tools *tools, const struct version_defect *d)
{
  unsigned version = strcmp(d->tool, "llc") == 0 ? tools->llc_version : tools->opt_version;
  bool known = d->first <= version && version <= d->last;

  printf("%-18s%s: decided by version: %s LLVM %u\n", d->id, d->help, known ? "bites in" : "not known of", version);
}

static int check_tools(const struct llvm_tools *tools)
{
  static const char *const answers[] = {"bites", "does not bite", "not shown by the output"};
  int status = CN_EXIT_OK;

  printf("opt %s: LLVM %u; llc %s: LLVM %u\n", tools->opt, tools->opt_version, tools->llc, tools->llc_version);
  for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
    enum answer answer = try_defect(tools, &defects[i]);
    printf("%-18s%s: %s\n", defects[i].id, defects[i].help, answers[answer]);
    if (answer == NOT_SHOWN)
      status = CN_EXIT_FAILED;
  }
  for (size_t i = 0; i < sizeof version_defects / sizeof *version_defects; i++)
    print_version_answer(tools, &version_defects[i]);
  return status;
}

/* ---- the command ---- */

/* The path of a tool beside the clang that Cairn was built with, which the caller frees; else the name of LLVM 22's. */
static char *default_tool(const char *name)
{
  const char *slash = strrchr(CAIRN_CLANG, '/');
  char *path = cn_format("%.*s/%s", slash ? (int)(slash - CAIRN_CLANG) : 0, CAIRN_CLANG, name);

  if (access(path, X_OK) == 0)
    return path;
  free(path);
  return cn_format("%s-22", name);
}

static int refuse_option(void *env, int letter, const char *name)
{
  (void)env;
  (void)letter;
  (void)name;
  return CN_EXIT_USAGE;
}

int cn_check_llvm_main(int argc, char **argv)
{
  static const struct option options[] = {CN_ARGUMENTS_COMMON};
  static char name[] = "cairn check-llvm";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "h", .options = options, .take = refuse_option};
  int status = cn_arguments_parse(argc, argv, &arguments, NULL);

  if (status >= 0)
    return status;
  if (argc - optind > 2) {
    cn_tool_error("at most two programs are tried (see --help)");
    return CN_EXIT_USAGE;
  }
  char *opt = optind < argc ? cn_strdup(argv[optind]) : default_tool("opt");
  char *llc = optind + 1 < argc ? cn_strdup(argv[optind + 1]) : default_tool("llc");
  struct llvm_tools tools = {.opt = opt, .llc = llc, .opt_version = version_of(opt)};
  tools.llc_version = tools.opt_version ? version_of(llc) : 0;
  status = tools.llc_version ? check_tools(&tools) : CN_EXIT_FAILED;
  free(opt);
  free(llc);
  return status;
}
