/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the files of Linux's perf for code that a program makes. `/tmp/perf-PID.map` has a line "START SIZE NAME" for
 * each function; `perf report` reads it. `/tmp/jit-PID.dump` also has the code and its time ("jitdump"), so that `perf
 * inject --jit` keeps the names of different functions at one address apart. A file is made when the process names its
 * first code; a child of fork() makes new files, with all names so far. Each addition opens the file again, since
 * programs close descriptors. Owns the numbers of the processes that made the files, under CN_LOCK_CODE. Runs on any
 * thread in phase MUTATE.
 */
#include "runtime/code/tools.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"

enum { PATH_BYTES = 64, BUFFER_BYTES = 4096 };

/* ---- files ---- */

/* A file of one kind, and the process that made it; 0: not yet; -1: writing has failed. */
struct profile {
  const char *format;
  int process;
};
static struct profile perf_map = {.format = "/tmp/perf-%d.map"}, jit_dump = {.format = "/tmp/jit-%d.dump"};

struct output {
  struct profile *profile;
  char path[PATH_BYTES];
  int file;
  size_t used;
  char bytes[BUFFER_BYTES];
};

static void give_up(struct output *out, int error)
{
  cn_report_print_text("cairn: CAIRN_CODE: %s cannot be written: %s\n", out->path, cn_os_describe_open_error(error));
  out->profile->process = -1;
  if (out->file >= 0)
    cn_os_file_close(out->file);
  out->file = -1;
}

static void write_bytes(struct output *out, const void *bytes, size_t size)
{
  for (size_t done = 0; out->file >= 0 && done < size;) {
    ptrdiff_t n = cn_os_file_write(out->file, (const char *)bytes + done, size - done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno != EINTR)
      give_up(out, n == 0 ? ENOSPC : errno);
  }
}

static void flush(struct output *out)
{
  CN_ASSERT(out->used <= sizeof out->bytes);
  write_bytes(out, out->bytes, out->used);
  out->used = 0;
}

static void append(struct output *out, const void *bytes, size_t size)
{
  if (size > sizeof out->bytes - out->used)
    flush(out);
  if (size > sizeof out->bytes) {
    write_bytes(out, bytes, size);
    return;
  }
  CN_ASSERT(size <= sizeof out->bytes - out->used);
  memcpy(out->bytes + out->used, bytes, size);
  out->used += size;
}

/* True: the file is open; *is_new says that this process has just made it. */
static bool open_output(struct output *out, struct profile *profile, bool *is_new)
{
  int process = (int)getpid();

  CN_ASSERT(process > 0 && profile->process >= 0);
  out->profile = profile;
  out->used = 0;
  *is_new = profile->process != process;
  snprintf(out->path, sizeof out->path, profile->format, process);
  out->file = *is_new ? cn_os_make_new_file(out->path)
                      : cn_os_file_open(out->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0);
  profile->process = process;
  if (out->file < 0)
    give_up(out, errno);
  return out->file >= 0;
}

static void close_output(struct output *out)
{
  flush(out);
  if (out->file >= 0)
    cn_os_file_close(out->file);
}

/* ---- /tmp/perf-PID.map ---- */

static void append_map_lines(struct output *out, const struct cairn_named_code *named)
{
  char line[512];

  for (size_t i = 0; i < named->names.count; i++) {
    const struct cairn_code_function *function = &named->names.functions[i];
    int length =
        snprintf(line, sizeof line - 1, "%lx %zx %s", (unsigned long)function->start, function->size, function->name);
    size_t used = length < 0 ? 0 : (size_t)length < sizeof line - 1 ? (size_t)length : sizeof line - 2;
    CN_ASSERT(used < sizeof line);
    line[used++] = '\n';
    append(out, line, used);
  }
}

/* ---- /tmp/jit-PID.dump ---- */

/* The structures are those of tools/perf/Documentation/jitdump-specification.txt of Linux, version 1. */
enum { DUMP_MAGIC = 0x4a695444, DUMP_VERSION = 1, DUMP_CODE_LOAD = 0 };
struct dump_header {
  uint32_t magic, version, bytes, machine, padding, process;
  uint64_t time, flags;
};
struct dump_load {
  uint32_t kind, bytes;
  uint64_t time;
  uint32_t process, thread;
  uint64_t address, code_address, code_bytes, number;
};
_Static_assert(sizeof(struct dump_header) == 40, "perf's layout");
_Static_assert(offsetof(struct dump_header, time) == 24, "perf's layout");
_Static_assert(sizeof(struct dump_load) == 56, "perf's layout");
_Static_assert(offsetof(struct dump_load, address) == 24, "perf's layout");
_Static_assert(offsetof(struct dump_load, number) == 48, "perf's layout");

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"))); /* of the executable */
static uint64_t dumped_functions;                                           /* each has a number */

/* perf finds the file by a mapping that may be executed, which stays. */
static void append_dump_header(struct output *out)
{
  struct dump_header header = {.magic = DUMP_MAGIC,
                               .version = DUMP_VERSION,
                               .bytes = sizeof header,
                               .machine = __ehdr_start.e_machine,
                               .process = (uint32_t)getpid(),
                               .time = cn_os_clock_nanoseconds()};

  append(out, &header, sizeof header);
  flush(out);
  if (out->file >= 0 && !cn_os_map_code_marker(out->path))
    give_up(out, errno);
}

static void append_dump_records(struct output *out, const struct cairn_named_code *named)
{
  for (size_t i = 0; i < named->names.count; i++) {
    const struct cairn_code_function *function = &named->names.functions[i];
    size_t name = strlen(function->name) + 1, bytes = sizeof(struct dump_load) + name + function->size;
    struct dump_load load = {.kind = DUMP_CODE_LOAD,
                             .bytes = (uint32_t)bytes,
                             .time = cn_os_clock_nanoseconds(),
                             .process = (uint32_t)getpid(),
                             .thread = (uint32_t)cn_os_thread(),
                             .address = function->start,
                             .code_address = function->start,
                             .code_bytes = function->size,
                             .number = ++dumped_functions};
    if (bytes > UINT32_MAX)
      continue;
    append(out, &load, sizeof load);
    append(out, function->name, name);
    append(out, (const void *)function->start, function->size);
  }
}

/* ---- both ---- */

static struct output output; /* of the additions */

static void append_to_map(const struct cairn_named_code *named)
{
  append_map_lines(&output, named);
}

static void append_to_dump(const struct cairn_named_code *named)
{
  append_dump_records(&output, named);
}

static void add_to(struct profile *profile, const struct cairn_named_code *named, cn_code_visitor *append_code,
                   bool has_header)
{
  bool is_new;

  if (profile->process == -1 || !open_output(&output, profile, &is_new))
    return;
  if (is_new && has_header)
    append_dump_header(&output);
  if (is_new)
    cn_code_visit_named(append_code);
  else
    append_code(named);
  close_output(&output);
}

void cn_profiler_add(const struct cairn_named_code *named)
{
  int error = errno;

  if ((cn_options.code & CN_CODE_PERF) != 0)
    add_to(&perf_map, named, append_to_map, false);
  if ((cn_options.code & CN_CODE_JITDUMP) != 0)
    add_to(&jit_dump, named, append_to_dump, true);
  errno = error;
}
