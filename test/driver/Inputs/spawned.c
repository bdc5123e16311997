/* Preloaded into cairn-cc: prints the name of each program that starts as a child process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
  int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
              char *const[]) = dlsym(RTLD_NEXT, "posix_spawnp");
  const char *slash = strrchr(file, '/');

  fprintf(stderr, "spawned %s\n", slash ? slash + 1 : file);
  return real(child, file, actions, attributes, argv, environment);
}
