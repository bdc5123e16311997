// Loads and runs code that a profiler is to name, prints what the files must have, and does so again in a child.
#define _GNU_SOURCE
#include <cairn/cairn.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loader.h"

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static void native_hook(void)
{
}

static void *find(const char *name)
{
  return strcmp(name, "native_hook") == 0 ? (void *)native_hook : dlsym(RTLD_DEFAULT, name);
}

static void show(const struct loaded *loaded)
{
  const struct cairn_code_names *names = &loaded->code.names;

  for (size_t i = 0; i < names->count; i++) {
    printf("function %lx %zx %s ", (unsigned long)names->functions[i].start, names->functions[i].size,
           names->functions[i].name);
    for (size_t k = 0; k < names->functions[i].size; k++)
      printf("%02x", ((const unsigned char *)names->functions[i].start)[k]);
    printf("\n");
  }
}

static struct cairn_registered_code *load_one(struct loaded *loaded, const char *path)
{
  struct cairn_registered_code *registered;
  char fault[200];

  load(loaded, path, find);
  EXPECT(cairn_code_register(&loaded->code, &registered, fault, sizeof fault) == CAIRN_OK);
  return registered;
}

int main(int argc, char **argv)
{
  struct loaded first, second, third;
  char link[100];

  snprintf(link, sizeof link, "/tmp/perf-%d.map", (int)getpid());
  EXPECT(argc == 2 || symlink(argv[2], link) == 0);
  load_one(&first, argv[1]);
  struct cairn_registered_code *registered = load_one(&second, argv[1]);
  printf("process %d\n", (int)getpid());
  show(&first);
  show(&second);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    EXPECT(cairn_code_withdraw(registered) == CAIRN_OK);
    load_one(&third, argv[1]);
    printf("process %d\n", (int)getpid());
    show(&first);
    show(&third);
    fflush(stdout);
    _exit(0);
  }
  int status;
  EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  ((long (*)(long))address_of(&first, "spin"))(argc == 2 ? 100000000 : 1);
  return 0;
}
