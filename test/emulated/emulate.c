/* SPDX-License-Identifier: Apache-2.0
 *
 * A library to preload that runs programs for another machine by an emulator, as the kernel does with binfmt_misc,
 * which not every system has. Each way to execute a file looks at it first. The environment has:
 *
 *   TEST_EMULATOR   the emulator, an absolute path, and its options, separated by spaces
 *   TEST_MACHINE    the machine, as in the header of ELF files (e_machine)
 *   TEST_PRELOAD    the path of this library
 *
 * The emulated program does not get this library: programs that it executes in turn need binfmt_misc.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_OPTIONS = 16 };

static bool is_emulated(const char *path)
{
  const char *machine = getenv("TEST_MACHINE");
  Elf64_Ehdr header = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t bytes;

  if (fd < 0)
    return false;
  bytes = read(fd, &header, sizeof header);
  close(fd);
  return bytes == (ssize_t)sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && machine &&
         header.e_machine == atoi(machine);
}

static size_t length(char *const list[])
{
  size_t n = 0;

  while (list && list[n])
    n++;
  return n;
}

/* Fill `new_argv` and `new_envp` for the emulator, and return its path. Libraries that the program preloads are for the
 * program alone. `words` has the copy of TEST_EMULATOR, and `preload` the option of that variable. */
static const char *emulate(const char *path, char *const argv[], char *const envp[], char **new_argv, char **new_envp,
                           char *words, char *preload)
{
  const char *ours = getenv("TEST_PRELOAD");
  size_t n = 0, variables = 0;

  for (char *word = strtok(words, " "); word && n < MAX_OPTIONS; word = strtok(NULL, " "))
    new_argv[n++] = word;
  for (size_t i = 0; envp && envp[i]; i++) {
    if (strncmp(envp[i], "LD_PRELOAD=", 11) != 0) {
      new_envp[variables++] = envp[i];
    } else if (!ours || strcmp(envp[i] + 11, ours) != 0) {
      new_argv[n++] = (char *)"-E";
      new_argv[n++] = strcpy(preload, envp[i]);
    }
  }
  new_envp[variables] = NULL;
  new_argv[n++] = (char *)"-0";
  new_argv[n++] = argv[0] ? argv[0] : (char *)path;
  new_argv[n++] = (char *)path;
  for (size_t i = 1; argv[0] && argv[i]; i++)
    new_argv[n++] = argv[i];
  new_argv[n] = NULL;
  return new_argv[0];
}

/* Replace path, argv and envp by those of the emulator if the file is for the other machine. A child of vfork()
 * executes this, so that all is on the stack. */
#define REPLACE(path, argv, envp)                                                                                \
  if (getenv("TEST_EMULATOR") && is_emulated(path)) {                                                            \
    char **argv_ = alloca((length(argv) + MAX_OPTIONS + 8) * sizeof *argv_);                                     \
    char **envp_ = alloca((length(envp) + 1) * sizeof *envp_);                                                   \
    char *words_ = strcpy(alloca(strlen(getenv("TEST_EMULATOR")) + 1), getenv("TEST_EMULATOR"));                 \
    char *preload_ = alloca(longest(envp) + 1);                                                                  \
                                                                                                                 \
    path = emulate(path, argv, envp, argv_, envp_, words_, preload_);                                            \
    argv = argv_;                                                                                                \
    envp = envp_;                                                                                                \
  }

static size_t longest(char *const list[])
{
  size_t most = 0;

  for (size_t i = 0; list && list[i]; i++)
    if (strlen(list[i]) > most)
      most = strlen(list[i]);
  return most;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
  REPLACE(path, argv, envp)
  return (int)syscall(SYS_execve, path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
  return execve(path, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
  int (*next)(const char *, char *const[], char *const[]) =
    (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");

  if (strchr(file, '/'))
    REPLACE(file, argv, envp)
  return next(file, argv, envp);
}

int execvp(const char *file, char *const argv[])
{
  return execvpe(file, argv, environ);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
  int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
              char *const[]) =
    (int (*)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
             char *const[]))dlsym(RTLD_NEXT, "posix_spawn");

  REPLACE(path, argv, envp)
  return next(pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
  int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
              char *const[]) =
    (int (*)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
             char *const[]))dlsym(RTLD_NEXT, "posix_spawnp");

  if (strchr(file, '/'))
    REPLACE(file, argv, envp)
  return next(pid, file, actions, attributes, argv, envp);
}
