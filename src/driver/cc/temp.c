/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes names of temporary files for all steps of cairn-cc, in one directory per process under $TMPDIR, which the first
 * name creates. Owns the name of the directory and the list of names. Installs a function at exit, and handlers of
 * fatal signals, which remove files and directory; the code of the handlers is async-signal-safe. Prints errors on
 * stderr.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/cc/process.h"
#include "driver/tool.h"

/* A signal handler reads these variables, so an entry is complete before `count` includes it. */
static char *temporary_directory;
static struct {
  const char *at[4096];
  volatile sig_atomic_t count;
} temporary_files;

/* Async-signal-safe. */
static void remove_files_and_directory(void)
{
  for (int i = 0; i < temporary_files.count; i++)
    unlink(temporary_files.at[i]);
  temporary_files.count = 0;
  if (temporary_directory)
    rmdir(temporary_directory);
}

/* Remove the directory at a normal exit, with the files that clang put beside its output. */
static void remove_directory_at_exit(void)
{
  DIR *open_directory = temporary_directory ? opendir(temporary_directory) : NULL;

  for (struct dirent *entry; open_directory && (entry = readdir(open_directory));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(open_directory), entry->d_name, 0);
  if (open_directory)
    closedir(open_directory);
  remove_files_and_directory();
}

static void remove_files_on_signal(int number)
{
  remove_files_and_directory();
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_fatal_signals(void)
{
  static const int numbers[] = {SIGHUP,  SIGINT,  SIGTERM, SIGQUIT, SIGPIPE, SIGXCPU,
                                SIGABRT, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE};
  struct sigaction action = {.sa_handler = remove_files_on_signal, .sa_flags = SA_NODEFER};

  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old;
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

/* Make the directory with all signals blocked until the handler's variable has its name. */
static bool make_signal_safe_directory(char *name)
{
  sigset_t all, before;

  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  catch_fatal_signals();
  temporary_directory = mkdtemp(name);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return temporary_directory != NULL;
}

static bool make_temporary_directory(void)
{
  const char *parent = getenv("TMPDIR");
  CN_CHECK(temporary_directory == NULL && temporary_files.count == 0);
  char *name = cn_format("%s/cairn-cc-XXXXXX", parent && *parent ? parent : P_tmpdir);

  if (!make_signal_safe_directory(name)) {
    cn_tool_error("cannot make a temporary directory '%s': %s", name, strerror(errno));
    free(name);
    return false;
  }
  atexit(remove_directory_at_exit);
  return true;
}

/* True for a file directly in the temporary directory. A signal handler passes the names to unlink(). */
static bool is_in_temporary_directory(const char *name)
{
  size_t length = strlen(temporary_directory);

  return strncmp(name, temporary_directory, length) == 0 && name[length] == '/' && name[length + 1] &&
         !strchr(name + length + 1, '/');
}

const char *cn_temp_make_file_name(const char *stem, const char *suffix)
{
  CN_CHECK(!strchr(stem, '/') && *suffix == '.');
  if (!temporary_directory && !make_temporary_directory())
    return NULL;
  CN_CHECK(temporary_files.count >= 0);
  if (temporary_files.count == sizeof temporary_files.at / sizeof *temporary_files.at) {
    cn_tool_error("too many temporary files");
    return NULL;
  }
  const char *name =
      cn_command_format_string("%s/%s-%d%s", temporary_directory, stem, (int)temporary_files.count, suffix);
  CN_CHECK(is_in_temporary_directory(name));
  temporary_files.at[temporary_files.count] = name;
  temporary_files.count = temporary_files.count + 1;
  return name;
}
