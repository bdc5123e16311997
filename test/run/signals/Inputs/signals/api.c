/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that a program may ask of signal handlers, answered as by clang's build: it prints what it
 * sees. Handlers are managed: they allocate, and collect.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};
static struct cell managed *seen;
static volatile int last, depth, deepest, tally;
static volatile long sum;

static void note(int number)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = number;
  cell->next = seen;
  seen = cell;
  last = number;
  tally++;
}

static void plain(int number)
{
  note(number);
  cairn_collect();
}

/* The program counter of interrupted code. */
#if defined(__aarch64__)
#define PC_OF(context) ((context)->uc_mcontext.pc)
#else
#define PC_OF(context) ((context)->uc_mcontext.gregs[REG_RIP])
#endif

static void with_info(int number, siginfo_t *info, void *context)
{
  ucontext_t *c = context;

  note(number);
  printf("info: signal %d, number %d, code %d, value %d, own %d, context %d\n", number, info->si_signo,
         info->si_code, info->si_value.sival_int, info->si_pid == getpid(),
         c != NULL && PC_OF(c) != 0);
}

/* What sigaction() says: handlers by name. */
static void show(const char *what, int number)
{
  struct sigaction action;
  const char *handler = "?";

  if (sigaction(number, NULL, &action) != 0)
    printf("%s: error %d\n", what, errno);
  else {
    if (action.sa_handler == SIG_DFL)
      handler = "default";
    else if (action.sa_handler == SIG_IGN)
      handler = "ignore";
    else if (action.sa_handler == plain)
      handler = "plain";
    else if (action.sa_sigaction == with_info)
      handler = "with_info";
    printf("%s: %s, flags %x, masks USR2 %d and itself %d\n", what, handler, action.sa_flags,
           sigismember(&action.sa_mask, SIGUSR2), sigismember(&action.sa_mask, number));
  }
}

static void queries(void)
{
  struct sigaction action = {.sa_sigaction = with_info}, before;

  show("at first", SIGUSR1);
  printf("signal: %d\n", signal(SIGUSR1, plain) == SIG_DFL);
  show("signal", SIGUSR1);
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR2);
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGUSR1, &action, &before);
  printf("before: %d %x\n", before.sa_handler == plain, before.sa_flags);
  show("sigaction", SIGUSR1);
  printf("sigset: %d\n", (void (*)(int))with_info == (void *)sigset(SIGUSR1, plain));
  show("sigset", SIGUSR1);
  printf("hold: %d\n", sigset(SIGUSR1, SIG_HOLD) == plain);
  raise(SIGUSR1);
  printf("held: %d\n", tally);
  printf("released: %d\n", sigset(SIGUSR1, plain) == SIG_HOLD);
  printf("came: %d\n", tally);
  siginterrupt(SIGUSR1, 1);
  signal(SIGUSR1, plain);
  show("interrupting", SIGUSR1);
  siginterrupt(SIGUSR1, 0);
  show("restarting", SIGUSR1);
  printf("ignore: %d\n", signal(SIGUSR1, SIG_IGN) == plain);
  show("ignored", SIGUSR1);
  raise(SIGUSR1);
  errno = 0;
  printf("kill: %d %d\n", signal(SIGKILL, plain) == SIG_ERR, errno);
  errno = 0;
  printf("65: %d %d\n", signal(65, plain) == SIG_ERR, errno);
  show("0", 0);
}

static void once(void)
{
  struct sigaction action = {.sa_handler = plain, .sa_flags = SA_RESETHAND};

  sigaction(SIGUSR1, &action, NULL);
  show("once", SIGUSR1);
  tally = 0;
  raise(SIGUSR1);
  show("after once", SIGUSR1);
  printf("once: %d\n", tally);
  sysv_signal(SIGUSR1, plain);
  show("sysv", SIGUSR1);
  raise(SIGUSR1);
  show("after sysv", SIGUSR1);
}

static void infos(void)
{
  struct sigaction action = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO};
  union sigval value = {.sival_int = 42};

  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGRTMIN, &action, NULL);
  sigqueue(getpid(), SIGUSR1, value);
  for (value.sival_int = 1; value.sival_int <= 3; value.sival_int++)
    sigqueue(getpid(), SIGRTMIN, value);
  kill(getpid(), SIGUSR1);
}

static void nested(int number)
{
  note(number);
  if (++depth > deepest)
    deepest = depth;
  if (depth < 5 && tally < 12)
    raise(number);
  cairn_collect();
  depth--;
}

static void masks(void)
{
  struct sigaction action = {.sa_handler = nested, .sa_flags = SA_NODEFER};
  sigset_t set, pending;
  siginfo_t info;

  sigaction(SIGUSR1, &action, NULL);
  tally = 0;
  raise(SIGUSR1);
  printf("nested: %d\n", deepest);
  deepest = depth = 0;
  action.sa_flags = 0;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  printf("deferred: %d, %d times\n", deepest, tally);
  signal(SIGUSR2, plain);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  tally = 0;
  raise(SIGUSR2);
  sigpending(&pending);
  printf("blocked: %d, pending %d\n", tally, sigismember(&pending, SIGUSR2));
  printf("waited for: %d\n", sigwaitinfo(&set, &info) == SIGUSR2);
  raise(SIGUSR2);
  int fd = signalfd(-1, &set, 0);
  struct signalfd_siginfo read_info;
  printf("read: %d %d\n", read(fd, &read_info, sizeof read_info) == sizeof read_info,
         read_info.ssi_signo == SIGUSR2);
  close(fd);
  raise(SIGUSR2);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("unblocked: %d\n", tally);
}

static sigjmp_buf back;

static void jumps(int number)
{
  note(number);
  siglongjmp(back, number);
}

static char stack[64 << 10];

static void on_stack(int number)
{
  char here;

  note(number);
  cairn_collect();
  printf("stack: %d\n", &here >= stack && &here < stack + sizeof stack);
}

cairn_unmanaged static int caught(int number)
{
  switch (sigsetjmp(back, 1)) {
  case 0:
    if (number == SIGSEGV)
      *(volatile int *)8 = 0;
    else if (number == SIGABRT)
      abort();
    raise(number);
    return 0;
  default:
    return 1;
  }
}

static void jumping(void)
{
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = jumps};

  for (int round = 0; round < 3; round++) {
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    printf("jumped: %d %d %d\n", caught(SIGUSR1), caught(SIGSEGV), caught(SIGABRT));
    cairn_collect();
    sigaltstack(&other, NULL);
    action.sa_flags = SA_ONSTACK;
  }
  action.sa_handler = on_stack;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGABRT, SIG_DFL);
}

/* One signal, a while from now. A timer that repeats would leave the program no time at all when handler
   and collection take longer than its period: fork() starts again at each signal. */
static void soon(void)
{
  struct itimerval timer = {{0, 0}, {0, 5000}};

  setitimer(ITIMER_REAL, &timer, NULL);
}

static volatile int ticking;

static void ticks(int number)
{
  plain(number);
  if (ticking)
    soon();
}

static void timers(void)
{
  int pipes[2], status;
  char c;

  signal(SIGALRM, ticks);
  tally = 0;
  ticking = 1;
  soon();
  while (tally < 3)
    pause();
  tally = 0;
  while (tally < 20)
    sum++;
  siginterrupt(SIGALRM, 1);
  if (pipe(pipes) != 0)
    return;
  errno = 0;
  printf("read: %zd, interrupted %d\n", read(pipes[0], &c, 1), errno == EINTR);
  pid_t child = fork();
  if (child == 0) {
    tally = 0;
    ticking = 0;
    raise(SIGALRM);
    _exit(tally >= 1 ? 7 : 8);
  }
  while (waitpid(child, &status, 0) < 0)
    ;
  printf("child: %d\n", WEXITSTATUS(status));
  ticking = 0;
}

int main(void)
{
  struct cell managed *kept = NULL;
  long values = 0;

  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < 100; i++) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->value = i;
    cell->next = kept;
    kept = cell;
  }
  queries();
  once();
  infos();
  masks();
  jumping();
  timers();
  for (; kept != NULL; kept = kept->next)
    values += kept->value;
  printf("kept: %ld, last %d\n", values, last);
  return 0;
}
