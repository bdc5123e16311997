/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements services for threads: waiting for a word and waking, fences on all threads, bounds of stacks, numbers,
 * clocks, names and signals of threads, and the start and end of threads of the runtime. Runs on any thread, in any
 * phase; starting a thread and finding the bounds of a stack call malloc(). Owns the command and the page of fences,
 * which cn_os_prepare_thread_fence() sets at the start and in a child of fork().
 */
#include "runtime/os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/check.h"

static struct timespec timespec_of(uint64_t nanoseconds)
{
  return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000u), .tv_nsec = (long)(nanoseconds % 1000000000u)};
}

/* Uses FUTEX_WAIT_BITSET because its timeout is a time of the monotonic clock; the timeout of FUTEX_WAIT is a
 * duration. */
bool cn_os_wait_on_word(_Atomic uint32_t *word, uint32_t value, uint64_t deadline)
{
  struct timespec until = timespec_of(deadline);

  return syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline == UINT64_MAX ? NULL : &until, NULL,
                 FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

void cn_os_wake_all(_Atomic uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void cn_os_wake_one(_Atomic uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool cn_os_take_inheriting_word(_Atomic uint32_t *word)
{
  return syscall(SYS_futex, word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0;
}

bool cn_os_release_inheriting_word(_Atomic uint32_t *word)
{
  return syscall(SYS_futex, word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0;
}

/* The command of membarrier(2): the process's barrier or, if the kernel lacks it, the slower barrier of the whole
 * system. If the kernel denies both (Linux before 4.3, or a filter of system calls), a page is made unreadable, where
 * this interrupts each processor that runs a thread of the process: the interrupt orders the thread's accesses. */
static int fence_command;
static void *fence_page;

void cn_os_prepare_thread_fence(bool protection_interrupts)
{
  if (protection_interrupts && fence_page == NULL) /* now, since the program may deny itself the call later */
    fence_page = cn_os_resize_mapping(NULL, 0, cn_os_page_bytes());
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
  fence_command = MEMBARRIER_CMD_PRIVATE_EXPEDITED;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
    return;
  fence_command = MEMBARRIER_CMD_GLOBAL;
}

static bool interrupt_all_processors(void)
{
  if (fence_page == NULL || mprotect(fence_page, cn_os_page_bytes(), PROT_READ | PROT_WRITE) != 0)
    return false;
  *(volatile char *)fence_page = 1; /* maps the page, so that the kernel must interrupt other processors */
  return mprotect(fence_page, cn_os_page_bytes(), PROT_NONE) == 0;
}

void cn_os_fence_all_threads(void)
{
  static const char text[] = "cairn: fatal: the system denies membarrier(), and mprotect() cannot replace it: a "
                             "stop would miss threads that run managed code\n";

  if (syscall(SYS_membarrier, fence_command, 0, 0) == 0 || interrupt_all_processors())
    return;
  cn_os_write_message(text, sizeof text - 1);
  abort();
}

/* The interrupt of the fallback also synchronises the instructions of its processor. */
void cn_os_synchronise_code(void)
{
  static const char text[] = "cairn: fatal: the system denies membarrier(), and mprotect() cannot replace it: a "
                             "thread could run code from before a patch\n";

  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0 || interrupt_all_processors())
    return;
  cn_os_write_message(text, sizeof text - 1);
  abort();
}

bool cn_os_find_stack_bounds(uintptr_t *bottom, uintptr_t *end)
{
  pthread_attr_t attributes;
  void *at;
  size_t bytes;

  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return false;
  bool found = pthread_attr_getstack(&attributes, &at, &bytes) == 0 && bytes != 0;
  pthread_attr_destroy(&attributes);
  *bottom = (uintptr_t)at;
  *end = (uintptr_t)at + bytes;
  CN_ASSERT(!found || *bottom < *end);
  return found;
}

int cn_os_thread(void)
{
  return (int)syscall(SYS_gettid);
}

int cn_os_main_thread(void)
{
  return getpid();
}

/* Computes the clock's number from the thread's number, like pthread_getcpuclockid() (Linux's posix-timers.h). */
uint64_t cn_os_thread_processor_time(int thread)
{
  struct timespec now = {0};
  enum { PER_THREAD_CLOCK = 4, SCHEDULER_CLOCK = 2 };

  clock_gettime((clockid_t)(~(unsigned)thread << 3 | PER_THREAD_CLOCK | SCHEDULER_CLOCK), &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t cn_os_involuntary_switches(void)
{
  struct rusage usage = {0};

  getrusage(RUSAGE_THREAD, &usage);
  return (uint64_t)usage.ru_nivcsw;
}

void cn_os_thread_send_signal(int thread, int signal)
{
  syscall(SYS_tgkill, getpid(), thread, signal);
}

size_t cn_os_list_threads(int *threads, size_t size)
{
  _Alignas(struct dirent64) char entries[4096];
  int directory = cn_os_file_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  ssize_t bytes;
  size_t count = 0;

  CN_CHECK(threads != NULL);
  while (directory >= 0 && (bytes = getdents64(directory, entries, sizeof entries)) > 0)
    for (ssize_t at = 0; at < bytes;) {
      const struct dirent64 *entry = (const struct dirent64 *)&entries[at];
      int thread = atoi(entry->d_name); /* 0 for the two folders */
      CN_ASSERT(entry->d_reclen != 0 && at + entry->d_reclen <= bytes);
      if (thread > 0 && count < size)
        threads[count++] = thread;
      at += entry->d_reclen;
    }
  if (directory >= 0)
    cn_os_file_close(directory);
  return count;
}

/* The number after `label` in the kernel's file about a thread; `otherwise` if the file lacks it. */
static uint64_t read_status(int thread, const char *label, int base, uint64_t otherwise)
{
  char path[64], text[4096];
  const char *found = NULL;

  snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
  int fd = cn_os_file_open(path, O_RDONLY | O_CLOEXEC, 0);
  ssize_t n = fd < 0 ? -1 : cn_os_file_read(fd, text, sizeof text - 1);
  if (fd >= 0)
    cn_os_file_close(fd);
  if (n > 0) {
    text[n] = 0;
    found = strstr(text, label);
  }
  return found ? strtoull(found + strlen(label), NULL, base) : otherwise;
}

uint64_t cn_os_thread_blocked_signals(int thread)
{
  return read_status(thread, "\nSigBlk:", 16, UINT64_MAX);
}

bool cn_os_has_tracer(void)
{
  return read_status(cn_os_thread(), "\nTracerPid:", 10, 0) != 0;
}

void cn_os_thread_make_precise(const char *name)
{
  prctl(PR_SET_NAME, name);
  prctl(PR_SET_TIMERSLACK, 1);
}

static int policy_of(int thread)
{
  return sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
}

int cn_os_thread_urgency(int thread)
{
  struct sched_param parameter = {0};

  if (policy_of(thread) == SCHED_IDLE)
    return 0;
  return sched_getparam(thread, &parameter) == 0 ? 1 + parameter.sched_priority : 1;
}

void cn_os_thread_leave_real_time(void)
{
  static const struct sched_param none;
  int own = policy_of(0), main = policy_of(cn_os_main_thread()),
      wanted = main == SCHED_IDLE || main == SCHED_BATCH ? main : SCHED_OTHER;

  if (own != wanted)
    sched_setscheduler(0, wanted, &none);
}

/* The thread's stack has a constant size, independent of the program's limits. */
bool cn_os_thread_start(struct cn_os_thread *thread, void *(*function)(void *), void *argument)
{
  enum { THREAD_STACK_BYTES = 1 << 20 };
  sigset_t all, old;
  pthread_attr_t attributes;
  pthread_t handle;

  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool done = pthread_create(&handle, &attributes, function, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (done)
    *thread = (struct cn_os_thread){.handle = (uintptr_t)handle, .process = getpid()};
  return done;
}

void cn_os_thread_join(struct cn_os_thread *thread)
{
  int cancellation;

  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  if (thread->process == getpid())
    pthread_join((pthread_t)thread->handle, NULL);
  pthread_setcancelstate(cancellation, NULL);
  thread->process = 0;
}

void cn_os_thread_read_name(int thread, char *buffer, size_t size)
{
  char path[64];

  snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
  int fd = cn_os_file_open(path, O_RDONLY | O_CLOEXEC, 0);
  ssize_t n = fd < 0 ? 0 : cn_os_file_read(fd, buffer, size - 1);
  if (fd >= 0)
    cn_os_file_close(fd);
  buffer[n > 0 ? n : 0] = 0;
  buffer[strcspn(buffer, "\n")] = 0;
}
