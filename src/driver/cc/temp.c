/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes temporary files: one directory per process under $TMPDIR, cleared and removed at every end of the process.
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

/* A signal handler reads these: an entry is complete before `count` includes it. */
static char *directory;
static struct {
  const char *at[4096];
  volatile sig_atomic_t count;
} files;

/* Async-signal-safe. */
static void remove_all(void)
{
  for (int i = 0; i < files.count; i++)
    unlink(files.at[i]);
  files.count = 0;
  if (directory)
    rmdir(directory);
}

/* At an ordinary exit: also remove the files that clang put beside its output. */
static void remove_directory(void)
{
  DIR *open_directory = directory ? opendir(directory) : NULL;

  for (struct dirent *entry; open_directory && (entry = readdir(open_directory));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(open_directory), entry->d_name, 0);
  if (open_directory)
    closedir(open_directory);
  remove_all();
}

static void on_signal(int number)
{
  remove_all();
  signal(number, SIG_DFL);
  raise(number);
}

/* Signals that end a process, crashes of this one among them. */
static void catch_signals(void)
{
  static const int numbers[] = {SIGHUP,  SIGINT,  SIGTERM, SIGQUIT, SIGPIPE, SIGXCPU,
                                SIGABRT, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};

  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old;
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

/* Block signals until their handler knows the directory. */
static bool make_known_directory(char *name)
{
  sigset_t all, before;

  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  catch_signals();
  directory = mkdtemp(name);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return directory != NULL;
}

static bool make_directory(void)
{
  const char *parent = getenv("TMPDIR");
  CN_CHECK(directory == NULL && files.count == 0);
  char *name = cn_format("%s/cairn-cc-XXXXXX", parent && *parent ? parent : P_tmpdir);

  if (!make_known_directory(name)) {
    cn_tool_error("cannot make a temporary directory '%s': %s", name, strerror(errno));
    free(name);
    return false;
  }
  atexit(remove_directory);
  return true;
}

/* True for a file of the directory. The names go to unlink() in a signal handler. */
static bool is_ours(const char *name)
{
  size_t length = strlen(directory);

  return strncmp(name, directory, length) == 0 && name[length] == '/' && name[length + 1] &&
         !strchr(name + length + 1, '/');
}

const char *cn_temp_file(const char *stem, const char *suffix)
{
  CN_CHECK(!strchr(stem, '/') && *suffix == '.');
  if (!directory && !make_directory())
    return NULL;
  CN_CHECK(files.count >= 0);
  if (files.count == sizeof files.at / sizeof *files.at) {
    cn_tool_error("too many temporary files");
    return NULL;
  }
  const char *name = cn_command_text("%s/%s-%d%s", directory, stem, (int)files.count, suffix);
  CN_CHECK(is_ours(name));
  files.at[files.count] = name;
  files.count = files.count + 1;
  return name;
}
