/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the trace of CAIRN_TRACE. Each event is one line. Its kind is "ph": B and E are the beginning and the end of
 * an interval on a thread (tid), X is a whole interval, C is a counter, i is an instant, M names a process or a thread.
 * Times are in microseconds. The file owns the trace's file, buffer and named threads (`trace_state`). Runs on any
 * thread, in any phase, under `dispatch_lock` of event_dispatch.c, one call at a time; the start of the program and the
 * child of a fork() have only one thread, and call it without the lock.
 */
#include "runtime/events/event_consumers.h"

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

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES = 1024, MAX_NAMED_THREADS = 64, LAST_STANDARD_FD = 2 };

static struct {
  int fd;       /* 0: closed */
  dev_t device; /* identifies the opened file, since the program may close the descriptor */
  ino_t file;
  int process;
  char name[PATH_MAX];
  char buffer[BUFFER_BYTES];
  size_t used;
  uint64_t written;
  bool first; /* the first event has not been written */
  int named[MAX_NAMED_THREADS];
  size_t threads;
} trace_state;

bool cn_trace_is_open(void)
{
  return trace_state.fd != 0;
}

void cn_trace_drop_file(void)
{
  if (trace_state.fd != 0)
    cn_os_file_close(trace_state.fd);
  trace_state.fd = 0;
  trace_state.used = 0;
}

static bool is_file_still_open(void)
{
  struct stat now;

  return fstat(trace_state.fd, &now) == 0 && now.st_dev == trace_state.device && now.st_ino == trace_state.file;
}

static void abandon_trace(const char *why)
{
  cn_report_print_text("cairn: CAIRN_TRACE=%s: cannot write at byte %llu: %s; the trace ends there\n", trace_state.name,
                       (unsigned long long)trace_state.written, why);
  cn_trace_drop_file();
}

void cn_trace_flush(void)
{
  size_t done = 0;

  CN_ASSERT(trace_state.used <= sizeof trace_state.buffer);
  if (trace_state.fd != 0 && !is_file_still_open()) {
    trace_state.fd = 0; /* the descriptor refers to another file now */
    abandon_trace("the program has closed it");
  }
  while (trace_state.fd != 0 && done < trace_state.used) {
    ssize_t n = cn_os_file_write(trace_state.fd, trace_state.buffer + done, trace_state.used - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      abandon_trace(n < 0 ? strerrordesc_np(errno) : "nothing is written");
      return;
    }
    done += (size_t)n;
    trace_state.written += (uint64_t)n;
  }
  trace_state.used = 0;
}

/* Append a text, which the caller has cut to the length of a line. */
__attribute__((format(printf, 1, 2))) static void append_text(const char *format, ...)
{
  va_list args;

  if (sizeof trace_state.buffer - trace_state.used < LINE_BYTES)
    cn_trace_flush();
  size_t room = sizeof trace_state.buffer - trace_state.used;
  va_start(args, format);
  int n = vsnprintf(trace_state.buffer + trace_state.used, room, format, args);
  va_end(args);
  CN_CHECK(n >= 0 && (size_t)n < room); /* a truncated text would lose half an event */
  trace_state.used += (size_t)n;
}

/* The content of a JSON string. Each byte outside ASCII becomes a question mark, since the encoding of thread names is
 * unknown. */
static const char *escape_json(const char *text, char into[LINE_BYTES / 4])
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

static void begin_json_line(const char *kind, int thread)
{
  append_text("%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", trace_state.first ? "" : ",\n", kind, trace_state.process,
              thread);
  trace_state.first = false;
}

static void append_time(const char *key, uint64_t nanoseconds)
{
  append_text(",\"%s\":%llu.%03llu", key, (unsigned long long)nanoseconds / 1000,
              (unsigned long long)nanoseconds % 1000);
}

static void begin_event(const char *kind, int thread, uint64_t time, const char *name)
{
  char text[LINE_BYTES / 4];

  CN_ASSERT(trace_state.fd != 0 && name != NULL);
  begin_json_line(kind, thread);
  append_time("ts", time);
  append_text(",\"cat\":\"gc\",\"name\":\"%s\"", escape_json(name, text));
}

static void write_name_event(const char *what, int thread, const char *name)
{
  char text[LINE_BYTES / 4];

  begin_json_line("M", thread);
  append_text(",\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", what, escape_json(name, text));
}

/* Writes a thread's name before its first event, and again if the small table has forgotten the thread. */
static void name_thread_once(int thread)
{
  char name[32];

  for (size_t i = 0; i < MAX_NAMED_THREADS; i++)
    if (trace_state.named[i] == thread)
      return;
  trace_state.named[trace_state.threads++ % MAX_NAMED_THREADS] = thread;
  cn_os_thread_read_name(thread, name, sizeof name);
  write_name_event("thread_name", thread, name);
}

static void trace_stop(const struct cairn_event *event)
{
  CN_ASSERT(event->since <= event->time && event->slowest != event->thread);
  begin_event("X", event->thread, event->since, "stopping");
  append_time("dur", event->time - event->since);
  append_text(",\"args\":{\"slowest\":%d}}", event->slowest);
  if (event->slowest != 0) {
    name_thread_once(event->slowest);
    begin_event("X", event->slowest, event->since, "awaited");
    append_time("dur", event->time - event->since);
    append_text("}");
  }
  begin_event("B", event->thread, event->time, "stopped");
  append_text("}");
}

static void trace_heap_size(const struct cairn_event *event)
{
  if (event->heap == CAIRN_EVENT_UNKNOWN)
    return;
  begin_event("C", event->thread, event->time, "heap");
  append_text(",\"args\":{\"bytes\":%llu}}", (unsigned long long)event->heap);
}

static void trace_collection_begin(const struct cairn_event *event)
{
  CN_ASSERT(event->asked != NULL && event->collection != 0);
  begin_event("B", event->thread, event->time, "collection");
  append_text(",\"args\":{\"number\":%llu,\"cause\":\"%s\",\"extent\":\"%s\",\"wanted\":%zu}}",
              (unsigned long long)event->collection, cn_event_cause_name(event->asked->cause),
              cn_event_extent_name(event->asked->extent), event->asked->bytes_needed);
  trace_heap_size(event);
}

static void trace_collection_end(const struct cairn_event *event)
{
  trace_heap_size(event);
  begin_event("E", event->thread, event->time, "collection");
  append_text(",\"args\":{\"frames\":%llu,\"roots\":%llu,\"objects moved\":%llu,\"bytes moved\":%llu}}",
              (unsigned long long)event->frames, (unsigned long long)event->roots,
              (unsigned long long)event->objects_moved, (unsigned long long)event->bytes_moved);
}

static void trace_named_event(const char *kind, const struct cairn_event *event, const char *name)
{
  begin_event(kind, event->thread, event->time, name);
  append_text("}");
}

/* An instant on the thread's line. */
static void trace_deoptimisation(const struct cairn_event *event, const char *what)
{
  char text[LINE_BYTES / 4];

  begin_event("i", event->thread, event->time, what);
  append_text(",\"s\":\"t\",\"args\":{");
  if (event->name != NULL)
    append_text("\"name\":\"%s\",", escape_json(event->name, text));
  append_text("\"activations\":%llu,\"marked\":%llu,\"reason\":%llu", (unsigned long long)event->activations,
              (unsigned long long)event->marked, (unsigned long long)event->reason);
  if (event->reason_text != NULL)
    append_text(",\"text\":\"%s\"", escape_json(event->reason_text, text));
  append_text("}}");
}

static void trace_compilation(const struct cairn_event *event)
{
  char text[LINE_BYTES / 4];

  begin_event("X", event->thread, event->since, "compiled");
  append_time("dur", event->time - event->since);
  append_text(",\"args\":{\"name\":\"%s\"", escape_json(event->name, text));
  append_text(",\"tier\":\"%s\"}}", escape_json(event->tier, text));
}

void cn_trace_write_event(const struct cairn_event *event)
{
  if (trace_state.fd == 0)
    return;
  name_thread_once(event->thread);
  switch (event->kind) {
  case CAIRN_EVENT_STOPPED:
    trace_stop(event);
    break;
  case CAIRN_EVENT_COLLECTION_BEGINS:
    trace_collection_begin(event);
    break;
  case CAIRN_EVENT_PHASE_BEGINS:
    trace_named_event("B", event, event->phase);
    break;
  case CAIRN_EVENT_PHASE_ENDS:
    trace_named_event("E", event, event->phase);
    break;
  case CAIRN_EVENT_COLLECTION_ENDS:
    trace_collection_end(event);
    break;
  case CAIRN_EVENT_STOP_ENDS:
    trace_named_event("E", event, "stopped");
    break;
  case CAIRN_EVENT_DEOPTIMISED:
    trace_deoptimisation(event, "deoptimised");
    break;
  case CAIRN_EVENT_INVALIDATED:
    trace_deoptimisation(event, "invalidated");
    break;
  case CAIRN_EVENT_COMPILED:
    trace_compilation(event);
    break;
  }
}

/* Replace "%p" by the process's number. False: the name is too long. */
static bool expand_file_name(const char *name)
{
  size_t used = 0;

  for (; *name != 0 && used < sizeof trace_state.name; name++) {
    bool number = name[0] == '%' && name[1] == 'p';
    int n = number ? snprintf(trace_state.name + used, sizeof trace_state.name - used, "%d", trace_state.process)
                   : snprintf(trace_state.name + used, sizeof trace_state.name - used, "%c", *name);
    used += (size_t)n;
    name += number;
  }
  errno = ENAMETOOLONG;
  return used < sizeof trace_state.name;
}

/* Opens the file above the standard descriptors, which a program may close and use for other files. */
static int open_above_standard_fds(void)
{
  int fd = cn_os_open_device(trace_state.name);
  if (fd < 0 && errno == ENOENT)
    fd = cn_os_make_new_file(trace_state.name);
  int above = fd;
  if (fd >= 0 && fd <= LAST_STANDARD_FD) {
    above = fcntl(fd, F_DUPFD_CLOEXEC, LAST_STANDARD_FD + 1);
    cn_os_file_close(fd);
  }
  return above;
}

bool cn_trace_open(const char *name)
{
  struct stat now;
  char program[32];

  CN_CHECK(trace_state.fd == 0);
  trace_state.process = getpid();
  int fd = expand_file_name(name) ? open_above_standard_fds() : -1;
  if (fd < 0 || fstat(fd, &now) != 0) {
    cn_report_print_text("cairn: CAIRN_TRACE=%.500s: cannot open it: %s\n", name, cn_os_describe_open_error(errno));
    return false;
  }
  CN_CHECK(fd > LAST_STANDARD_FD);
  trace_state.fd = fd;
  trace_state.device = now.st_dev;
  trace_state.file = now.st_ino;
  trace_state.first = true;
  append_text("[\n");
  cn_os_thread_read_name(trace_state.process, program, sizeof program); /* libc sets the program's name later */
  write_name_event("process_name", trace_state.process, program);
  cn_trace_flush();
  return true;
}

void cn_trace_close(void)
{
  if (trace_state.fd == 0)
    return;
  append_text("\n]\n");
  cn_trace_flush();
  cn_trace_drop_file();
}
