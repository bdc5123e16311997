/* SPDX-License-Identifier: Apache-2.0
 *
 * The system gives the runtime no memory, for once: FAIL_AT=n fails the n-th call of mmap(), mremap(), mprotect() and
 * madvise(), FAIL_MANY=m that and those that follow, m in all. libc's own calls do not come here.
 *
 * FAIL_IN=place: only calls count that come there: "program", "beside" and "worker" (the runtime's threads), or, within
 * a collection, its extent and the innermost phase, as "young/trace"; "young/" before and after its phases. When one
 * has failed, the file FAIL_NOTE is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cairn/events.h>

enum { DEEP = 8 };

static _Atomic long calls;
static long first, many = 1, begun;
static const char *wanted, *note;

/* ---- where the program is ---- */

static const char *_Atomic extent; /* null: in no collection */
static const char *_Atomic phases[DEEP];
static atomic_uint depth;

static void listen(void *env, const struct cairn_event *event)
{
  static const char *const extents[] = {"young", "full", "move"};

  (void)env;
  if (event->kind == CAIRN_EVENT_COLLECTION_BEGINS)
    extent = extents[event->asked->extent];
  else if (event->kind == CAIRN_EVENT_COLLECTION_ENDS)
    extent = NULL;
  else if (event->kind == CAIRN_EVENT_PHASE_BEGINS && depth < DEEP)
    phases[depth++] = event->phase;
  else if (event->kind == CAIRN_EVENT_PHASE_ENDS)
    depth--;
}

static void say_where(char place[64])
{
  char thread[16] = "";
  const char *within = extent;
  unsigned deep = depth;

  prctl(PR_GET_NAME, thread);
  if (strcmp(thread, "cairn-service") == 0)
    strcpy(place, "beside");
  else if (strncmp(thread, "cairn-worker", 12) == 0)
    strcpy(place, "worker");
  else if (within == NULL)
    strcpy(place, "program");
  else
    snprintf(place, 64, "%s/%s", within, deep > 0 ? phases[deep - 1] : "");
}

static int is_there(void)
{
  char place[64];

  if (wanted == NULL)
    return 1;
  say_where(place);
  return strcmp(place, wanted) == 0;
}

/* ---- calls ---- */

__attribute__((constructor(101))) static void begin(void)
{
  first = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
  many = getenv("FAIL_MANY") ? atol(getenv("FAIL_MANY")) : 1;
  wanted = getenv("FAIL_IN");
  note = getenv("FAIL_NOTE");
  if (wanted)
    cairn_listen(listen, NULL);
  begun = 1;
}

__attribute__((destructor)) static void end(void)
{
  if (getenv("FAIL_COUNT"))
    fprintf(stderr, "calls %ld\n", calls);
}

static int fails(void)
{
  long call = begun && is_there() ? ++calls : 0;

  if (first == 0 || call < first || call >= first + many)
    return 0;
  if (note)
    close(open(note, O_CREAT | O_WRONLY, 0600));
  errno = ENOMEM;
  return 1;
}

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
  return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, access, flags, file, offset);
}

int mprotect(void *at, size_t bytes, int access)
{
  return fails() ? -1 : (int)syscall(SYS_mprotect, at, bytes, access);
}

void *mremap(void *at, size_t bytes, size_t wanted, int flags, ...)
{
  va_list rest;

  va_start(rest, flags);
  void *to = va_arg(rest, void *);
  va_end(rest);
  return fails() ? MAP_FAILED : (void *)syscall(SYS_mremap, at, bytes, wanted, flags, to);
}

int madvise(void *at, size_t bytes, int advice)
{
  return fails() ? -1 : (int)syscall(SYS_madvise, at, bytes, advice);
}
