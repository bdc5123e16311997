/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds clang and LLVM's tools, runs programs as child processes and waits for them, or replaces this process by a
 * program. Runs at each step that needs a program. Prints commands to the caller's stream and errors on stderr. A
 * command that is too long is passed in a temporary response file. The file holds no state.
 */
#include "driver/cc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver/tool.h"

extern char **environ;

/* The maximum size of a command without a response file. The kernel's limit is far higher. */
enum { MAX_COMMAND_BYTES = 256 * 1024 };

const char *cn_process_clang_path(void)
{
  return access(CAIRN_CLANG, X_OK) == 0 ? CAIRN_CLANG : "clang-22";
}

static const char *find_in_path(const char *name)
{
  const char *at = getenv("PATH");

  while (at && *at) {
    size_t length = strcspn(at, ":");
    const char *path = cn_command_format_string("%.*s/%s", (int)length, at, name);
    if (length && access(path, X_OK) == 0)
      return path;
    at += length + (at[length] == ':');
  }
  return NULL;
}

const char *cn_process_find_llvm_tool(const char *name, const char *why, const char *package)
{
  static const char clang[] = CAIRN_CLANG;

  CN_CHECK(strcmp(clang + sizeof clang - sizeof "clang", "clang") == 0);
  const char *beside =
      cn_command_format_string("%.*s%s", (int)(strlen(CAIRN_CLANG) - strlen("clang")), CAIRN_CLANG, name);
  const char *found = access(beside, X_OK) == 0 ? beside : find_in_path(cn_command_format_string("%s-22", name));

  if (!found)
    cn_tool_error("%s needs '%s' of LLVM 22, which is not installed (Debian: %s)", why, name, package);
  return found;
}

static void print_quoted_word(const char *word, FILE *out)
{
  putc('"', out);
  for (; *word; word++) {
    if (strchr("\"\\$", *word))
      putc('\\', out);
    putc(*word, out);
  }
  putc('"', out);
}

void cn_process_print_command(const struct cn_words *words, FILE *out)
{
  for (size_t i = 0; i < words->count; i++) {
    putc(' ', out);
    print_quoted_word(words->at[i], out);
  }
  putc('\n', out);
}

static const char *write_response_file(const struct cn_words *words)
{
  const char *path = cn_temp_make_file_name("arguments", ".rsp");
  FILE *file = path ? fopen(path, "w") : NULL;

  if (!file)
    return NULL;
  for (size_t i = 1; i < words->count; i++) {
    putc('"', file);
    for (const char *c = words->at[i]; *c; c++) {
      if (strchr("\"\\", *c))
        putc('\\', file);
      putc(*c, file);
    }
    fputs("\"\n", file);
  }
  return fclose(file) == 0 ? path : NULL;
}

/* Make a null-terminated vector for exec. *shortened says that the vector names a response file. */
static char **make_exec_vector(const struct cn_words *words, bool *shortened)
{
  size_t bytes = 0;

  CN_CHECK(words->count && words->at[0]);
  for (size_t i = 0; i < words->count; i++) {
    CN_CHECK(words->at[i]); /* a null would end the command early */
    bytes += strlen(words->at[i]) + 1;
  }
  *shortened = bytes > MAX_COMMAND_BYTES;
  if (*shortened) {
    const char *path = write_response_file(words);
    char **argv = cn_alloc(3 * sizeof *argv);
    argv[0] = (char *)words->at[0];
    argv[1] = (char *)cn_command_format_string("@%s", path ? path : "");
    return argv;
  }
  char **argv = cn_alloc((words->count + 1) * sizeof *argv);
  memcpy(argv, words->at, words->count * sizeof *argv);
  CN_CHECK(argv[words->count] == NULL);
  return argv;
}

static int wait_for_child(pid_t child)
{
  int status;

  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      return CN_EXIT_FAILED;
  }
  CN_CHECK(WIFEXITED(status) || WIFSIGNALED(status)); /* waitpid() reports only ended processes */
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int report_start_failure(const char *program, int error)
{
  cn_tool_error("cannot run '%s': %s", program, strerror(error));
  return 127;
}

static int run_process(const struct cn_words *words, const posix_spawn_file_actions_t *actions)
{
  bool shortened;
  char **argv = make_exec_vector(words, &shortened);
  pid_t child;

  fflush(NULL);
  int error = posix_spawnp(&child, argv[0], actions, NULL, argv, environ);
  int status = error ? report_start_failure(argv[0], error) : wait_for_child(child);
  free(argv);
  return status;
}

int cn_process_run(const struct cn_words *words)
{
  return run_process(words, NULL);
}

static void redirect_to_file(posix_spawn_file_actions_t *actions, int fd, const char *path)
{
  if (path)
    CN_CHECK(posix_spawn_file_actions_addopen(actions, fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0);
}

int cn_process_run_redirected(const struct cn_words *words, const char *output, const char *errors)
{
  posix_spawn_file_actions_t actions;

  CN_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  redirect_to_file(&actions, STDOUT_FILENO, output);
  redirect_to_file(&actions, STDERR_FILENO, errors);
  int status = run_process(words, &actions);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

int cn_process_exec(const struct cn_words *words)
{
  bool shortened;
  char **argv = make_exec_vector(words, &shortened);

  if (shortened) { /* the response file must exist until the command ends */
    free(argv);
    return cn_process_run(words);
  }
  fflush(NULL);
  execvp(argv[0], argv);
  int status = report_start_failure(argv[0], errno);
  free(argv);
  return status;
}
