/* Where a session's code lies: in shared mappings that are never writable and executable, of which a child of fork()
 * has its own. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *ref;

static struct cairn_jit *session;

static uint64_t add(int number)
{
  char text[1024], *error = NULL;
  uint64_t module;
  int length = snprintf(text, sizeof text,
                        "%%cell = type { ptr addrspace(1), i64 }\n"
                        "@cell.layout = internal constant %%cell zeroinitializer\n"
                        "@last = internal global ptr addrspace(1) null\n"
                        "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
                        "define ptr addrspace(1) @cons_%1$d(ptr addrspace(1) %%next) gc \"statepoint-example\" {\n"
                        "  %%cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n"
                        "  %%field = getelementptr %%cell, ptr addrspace(1) %%cell, i64 0, i32 1\n"
                        "  store i64 %1$d, ptr addrspace(1) %%field\n"
                        "  store ptr addrspace(1) %%next, ptr addrspace(1) %%cell\n"
                        "  store ptr addrspace(1) %%cell, ptr @last\n"
                        "  ret ptr addrspace(1) %%cell\n"
                        "}\n",
                        number);

  check(cairn_jit_add_ir(session, text, (size_t)length, &module, &error), error);
  return module;
}

typedef ref cons_function(ref next);

static cons_function *find(int number)
{
  char name[32], *error = NULL;
  void *address;

  snprintf(name, sizeof name, "cons_%d", number);
  check(cairn_jit_look_up(session, name, &address, &error), error);
  return (cons_function *)address;
}

static void drop(uint64_t module)
{
  char *error = NULL;

  check(cairn_jit_remove(session, module, &error), error);
}

static long sum(ref list)
{
  long all = 0;

  for (; list; list = list->next)
    all += list->value;
  return all;
}

/* ---- mappings ---- */

/* Count the mappings, and those with both of `w` and `x`. */
static int mappings(int *bad)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], permissions[5];
  int count = 0;

  *bad = 0;
  while (fgets(line, sizeof line, maps)) {
    count++;
    if (sscanf(line, "%*s %4s", permissions) == 1)
      *bad += strchr(permissions, 'w') && strchr(permissions, 'x');
  }
  fclose(maps);
  return count;
}

static void many(int modules)
{
  int bad, before = 0;
  ref list = NULL;

  for (int i = 1; i <= modules; i++) {
    add(i);
    list = find(i)(list);
    if (i == 20)
      before = mappings(&bad);
  }
  cairn_collect();
  int grown = mappings(&bad) - before;
  printf("sum: %ld\n", sum(list));
  printf("mappings: %s, both writable and executable: %d\n", grown < 60 ? "flat" : "grow", bad);
}

/* ---- fork() ---- */

/* The child's code and constants stay, while the parent frees and reuses its own, and the child links more. */
static int run_child(int ready, cons_function *old, ref list)
{
  char byte;

  if (read(ready, &byte, 1) != 1)
    return 1;
  for (int i = 0; i < 100; i++)
    list = old(list);
  cairn_collect();
  for (int i = 0; i < 8; i++) {
    add(3000 + i);
    list = find(3000 + i)(list);
  }
  cairn_collect();
  printf("child: %ld\n", sum(list));
  fflush(stdout);
  return 0;
}

static void forks(void)
{
  int ready[2], status = -1;
  uint64_t module = add(2007);
  cons_function *old = find(2007);
  ref list = old(NULL);

  if (pipe(ready))
    abort();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit(run_child(ready[0], old, list));
  drop(module);
  list = NULL;
  cairn_collect();
  while (cairn_jit_pending(session, NULL, NULL))
    cairn_collect();
  for (int i = 0; i < 8; i++) {
    add(2010 + i);
    list = find(2010 + i)(list);
  }
  if (write(ready[1], "", 1) != 1 || waitpid(child, &status, 0) != child || status != 0)
    printf("child: status %x\n", status);
  cairn_collect();
  printf("parent: %ld\n", sum(list));
}

/* Each full collection lets the session's thread look at the module, whose object lives. */
static void *collect(void *stop)
{
  while (!atomic_load((atomic_bool *)stop))
    cairn_collect();
  return NULL;
}

/* A child finds the session unlocked, whatever the session's thread does at the fork. */
static void forks_while_the_thread_looks(int count)
{
  uint64_t module = add(2100);
  ref object = find(2100)(NULL);
  atomic_bool stop = false;
  int failed = 0, status;
  pthread_t thread;

  drop(module);
  if (pthread_create(&thread, NULL, collect, &stop))
    abort();
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      add(2101);
      _exit(find(2101)(object)->value == 2101 ? 0 : 1);
    }
    failed += waitpid(child, &status, 0) != child || status != 0;
  }
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  printf("children that failed: %d, object %ld\n", failed, object->value);
}

/* ---- systems that refuse ---- */

static void forbid_gain_of_execution(void)
{
  if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) != 0)
    printf("no PR_SET_MDWE\n");
}

static void forbid_memfd(void)
{
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    abort();
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 1}};
  char *error = NULL;

  if (argc > 2 && strcmp(argv[2], "mdwe") == 0)
    forbid_gain_of_execution();
  if (argc > 2 && strcmp(argv[2], "denied") == 0)
    forbid_memfd();
  check(cairn_jit_new(&options, &session, &error), error);
  many(atoi(argv[1]));
  forks();
  forks_while_the_thread_looks(12);
  cairn_jit_dispose(session);
  return 0;
}
