/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the trace. An event of the format is one line. "ph" is its kind: B and E begin and end something on a
 * thread (tid), X is both, C is a counter, M names a process or a thread. Times are microseconds.
 */
#include "runtime/events/event_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/os/os.h"

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES = 1024, MAX_NAMED_THREADS = 64, ABOVE = 2 };

static struct {
  int fd;       /* 0: closed */
  dev_t device; /* the file that was opened: the program may close files of others */
  ino_t file;
  int process;
  char name[PATH_MAX];
  char buffer[BUFFER_BYTES];
  size_t used;
  uint64_t written;
  bool first; /* the first event is yet to be written */
  int named[MAX_NAMED_THREADS];
  size_t threads;
} trace;

bool cn_trace_is_open(void)
{
  return trace.fd != 0;
}

void cn_trace_drop(void)
{
  if (trace.fd != 0)
    cn_os_file_close(trace.fd);
  trace.fd = 0;
  trace.used = 0;
}

static bool is_there(void)
{
  struct stat now;

  return fstat(trace.fd, &now) == 0 && now.st_dev == trace.device && now.st_ino == trace.file;
}

static void give_up(const char *why)
{
  cn_report_text("cairn: CAIRN_TRACE=%s: cannot write at byte %llu: %s; the trace ends there\n", trace.name,
                 (unsigned long long)trace.written, why);
  cn_trace_drop();
}

void cn_trace_flush(void)
{
  size_t done = 0;

  CN_ASSERT(trace.used <= sizeof trace.buffer);
  if (trace.fd != 0 && !is_there()) {
    trace.fd = 0; /* the descriptor is another file's by now */
    give_up("the program has closed it");
  }
  while (trace.fd != 0 && done < trace.used) {
    ssize_t n = cn_os_file_write(trace.fd, trace.buffer + done, trace.used - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      give_up(n < 0 ? strerrordesc_np(errno) : "nothing is written");
      return;
    }
    done += (size_t)n;
    trace.written += (uint64_t)n;
  }
  trace.used = 0;
}

/* The caller cuts a text that is longer than a line. */
__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
  va_list args;

  if (sizeof trace.buffer - trace.used < LINE_BYTES)
    cn_trace_flush();
  size_t room = sizeof trace.buffer - trace.used;
  va_start(args, format);
  int n = vsnprintf(trace.buffer + trace.used, room, format, args);
  va_end(args);
  CN_CHECK(n >= 0 && (size_t)n < room); /* otherwise half an event is lost */
  trace.used += (size_t)n;
}

/* The inside of a string of JSON. Bytes outside ASCII are names of other languages' threads, in any code: they
 * become question marks. */
static const char *escape(const char *text, char into[LINE_BYTES / 4])
{
  size_t used = 0;

  for (; *text != 0 && used + 2 < LINE_BYTES / 4; text++) {
    if (*text == '"' || *text == '\\')
      into[used++] = '\\';
    into[used++] = *text >= ' ' && *text < 127 ? *text : '?';
  }
  into[used] = 0;
  return into;
}

static void begin_line(const char *kind, int thread)
{
  add("%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", trace.first ? "" : ",\n", kind, trace.process, thread);
  trace.first = false;
}

static void add_time(const char *key, uint64_t nanoseconds)
{
  add(",\"%s\":%llu.%03llu", key, (unsigned long long)nanoseconds / 1000, (unsigned long long)nanoseconds % 1000);
}

static void begin_event(const char *kind, int thread, uint64_t time, const char *name)
{
  char text[LINE_BYTES / 4];

  CN_ASSERT(trace.fd != 0 && name != NULL);
  begin_line(kind, thread);
  add_time("ts", time);
  add(",\"cat\":\"gc\",\"name\":\"%s\"", escape(name, text));
}

static void name_it(const char *what, int thread, const char *name)
{
  char text[LINE_BYTES / 4];

  begin_line("M", thread);
  add(",\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", what, escape(name, text));
}

/* Once for each thread. Of many, those that were met long ago are named again. */
static void name_thread(int thread)
{
  char name[32];

  for (size_t i = 0; i < MAX_NAMED_THREADS; i++)
    if (trace.named[i] == thread)
      return;
  trace.named[trace.threads++ % MAX_NAMED_THREADS] = thread;
  cn_os_thread_name(thread, name, sizeof name);
  name_it("thread_name", thread, name);
}

static void trace_stopped(const struct cairn_event *event)
{
  CN_ASSERT(event->since <= event->time && event->slowest != event->thread);
  begin_event("X", event->thread, event->since, "stopping");
  add_time("dur", event->time - event->since);
  add(",\"args\":{\"slowest\":%d}}", event->slowest);
  if (event->slowest != 0) {
    name_thread(event->slowest);
    begin_event("X", event->slowest, event->since, "awaited");
    add_time("dur", event->time - event->since);
    add("}");
  }
  begin_event("B", event->thread, event->time, "stopped");
  add("}");
}

static void trace_heap(const struct cairn_event *event)
{
  if (event->heap == CAIRN_EVENT_UNKNOWN)
    return;
  begin_event("C", event->thread, event->time, "heap");
  add(",\"args\":{\"bytes\":%llu}}", (unsigned long long)event->heap);
}

static void trace_collection(const struct cairn_event *event)
{
  CN_ASSERT(event->asked != NULL && event->collection != 0);
  begin_event("B", event->thread, event->time, "collection");
  add(",\"args\":{\"number\":%llu,\"cause\":\"%s\",\"extent\":\"%s\",\"wanted\":%zu}}",
      (unsigned long long)event->collection, cn_event_cause(event->asked->cause), cn_event_extent(event->asked->extent),
      event->asked->bytes_needed);
  trace_heap(event);
}

static void trace_collection_end(const struct cairn_event *event)
{
  trace_heap(event);
  begin_event("E", event->thread, event->time, "collection");
  add(",\"args\":{\"frames\":%llu,\"roots\":%llu,\"objects moved\":%llu,\"bytes moved\":%llu}}",
      (unsigned long long)event->frames, (unsigned long long)event->roots, (unsigned long long)event->objects_moved,
      (unsigned long long)event->bytes_moved);
}

static void trace_plain(const char *kind, const struct cairn_event *event, const char *name)
{
  begin_event(kind, event->thread, event->time, name);
  add("}");
}

void cn_trace_event(const struct cairn_event *event)
{
  if (trace.fd == 0)
    return;
  name_thread(event->thread);
  switch (event->kind) {
  case CAIRN_EVENT_STOPPED:
    trace_stopped(event);
    break;
  case CAIRN_EVENT_COLLECTION_BEGINS:
    trace_collection(event);
    break;
  case CAIRN_EVENT_PHASE_BEGINS:
    trace_plain("B", event, event->phase);
    break;
  case CAIRN_EVENT_PHASE_ENDS:
    trace_plain("E", event, event->phase);
    break;
  case CAIRN_EVENT_COLLECTION_ENDS:
    trace_collection_end(event);
    break;
  case CAIRN_EVENT_STOP_ENDS:
    trace_plain("E", event, "stopped");
    break;
  }
}

/* Put the process's number in the place of "%p". False: too long. */
static bool expand(const char *name)
{
  size_t used = 0;

  for (; *name != 0 && used < sizeof trace.name; name++) {
    bool number = name[0] == '%' && name[1] == 'p';
    int n = number ? snprintf(trace.name + used, sizeof trace.name - used, "%d", trace.process)
                   : snprintf(trace.name + used, sizeof trace.name - used, "%c", *name);
    used += (size_t)n;
    name += number;
  }
  errno = ENAMETOOLONG;
  return used < sizeof trace.name;
}

/* Above the standard streams: a program that has closed one opens another in its place. */
static int open_above(void)
{
  int fd = cn_os_open_device(trace.name);
  if (fd < 0 && errno == ENOENT)
    fd = cn_os_new_file(trace.name);
  int above = fd;
  if (fd >= 0 && fd <= ABOVE) {
    above = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE + 1);
    cn_os_file_close(fd);
  }
  return above;
}

bool cn_trace_open(const char *name)
{
  struct stat now;
  char program[32];

  CN_CHECK(trace.fd == 0);
  trace.process = getpid();
  int fd = expand(name) ? open_above() : -1;
  if (fd < 0 || fstat(fd, &now) != 0) {
    cn_report_text("cairn: CAIRN_TRACE=%.500s: cannot open it: %s\n", name, cn_os_open_error(errno));
    return false;
  }
  CN_CHECK(fd > ABOVE);
  trace.fd = fd;
  trace.device = now.st_dev;
  trace.file = now.st_ino;
  trace.first = true;
  add("[\n");
  cn_os_thread_name(trace.process, program, sizeof program); /* libc learns it later */
  name_it("process_name", trace.process, program);
  cn_trace_flush();
  return true;
}

void cn_trace_close(void)
{
  if (trace.fd == 0)
    return;
  add("\n]\n");
  cn_trace_flush();
  cn_trace_drop();
}
