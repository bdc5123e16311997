/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a file through a buffer. A regular file has a temporary name until it is complete; a device or pipe is written
 * in place. A broken pipe is an ordinary error: SIGPIPE is blocked from the beginning of the file to its end, and the
 * pending signal is consumed. The caller's struct cn_out_file has all state. Runs in phase STOP, on the thread that
 * stopped the others.
 */
#include "runtime/inspect/out.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/check.h"
#include "runtime/os/os.h"

static void keep_first_error(struct cn_out_file *out, int error)
{
  CN_ASSERT(error != 0);
  if (out->error == 0)
    out->error = error;
}

static void make_pipe_signal_set(sigset_t *set)
{
  sigemptyset(set);
  sigaddset(set, SIGPIPE);
}

/* Opens the temporary file, which replaces a file of a killed process with an equal process number. */
static int open_temporary_file(struct cn_out_file *out)
{
  CN_ASSERT(out->path != NULL && !out->in_place);
  int n = snprintf(out->temporary, sizeof out->temporary, "%s.%d", out->path, getpid());

  errno = ENAMETOOLONG;
  return n >= 0 && (size_t)n < sizeof out->temporary ? cn_os_make_new_file(out->temporary) : -1;
}

void cn_out_begin_file(struct cn_out_file *out, const char *path)
{
  sigset_t set;

  CN_CHECK(path != NULL);
  out->error = 0;
  out->used = 0;
  out->written = 0;
  out->path = path;
  make_pipe_signal_set(&set);
  pthread_sigmask(SIG_BLOCK, &set, &out->blocked);
  sigpending(&set);
  out->pending = sigismember(&set, SIGPIPE) != 0;
  out->fd = cn_os_open_device(path);
  out->in_place = out->fd >= 0 || errno != ENOENT;
  if (!out->in_place)
    out->fd = open_temporary_file(out);
  if (out->fd < 0)
    keep_first_error(out, errno);
}

static void flush_buffer(struct cn_out_file *out)
{
  size_t done = 0;

  CN_ASSERT(out->used <= sizeof out->buffer);
  while (out->error == 0 && done < out->used) {
    ssize_t n = cn_os_file_write(out->fd, out->buffer + done, out->used - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      keep_first_error(out, n < 0 ? errno : EIO);
      break;
    }
    done += (size_t)n;
    out->written += (uint64_t)n;
  }
  out->used = 0;
}

void cn_out_write_byte(struct cn_out_file *out, unsigned char byte)
{
  if (out->used == sizeof out->buffer)
    flush_buffer(out);
  CN_ASSERT(out->used < sizeof out->buffer);
  out->buffer[out->used++] = byte;
}

void cn_out_write_bytes(struct cn_out_file *out, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    cn_out_write_byte(out, ((const unsigned char *)bytes)[i]);
}

void cn_out_write_number(struct cn_out_file *out, uint64_t number)
{
  for (; number >= 128; number >>= 7)
    cn_out_write_byte(out, (unsigned char)(number | 128));
  cn_out_write_byte(out, (unsigned char)number);
}

void cn_out_write_difference(struct cn_out_file *out, int64_t difference)
{
  uint64_t number = (uint64_t)difference << 1;

  cn_out_write_number(out, difference < 0 ? ~number : number);
}

void cn_out_write_text(struct cn_out_file *out, const char *text)
{
  size_t length = strlen(text);

  cn_out_write_number(out, length);
  cn_out_write_bytes(out, text, length);
}

/* Consumes the SIGPIPE of a failed write, and restores the signal mask. */
static void restore_signal_mask(struct cn_out_file *out)
{
  enum { KERNEL_SIGSET_BYTES = 8 };
  static const struct timespec none;
  sigset_t set;

  make_pipe_signal_set(&set);
  if (out->error == EPIPE && !out->pending)
    syscall(SYS_rt_sigtimedwait, &set, NULL, &none,
            KERNEL_SIGSET_BYTES); /* a system call, because sigtimedwait() is a cancellation point */
  pthread_sigmask(SIG_SETMASK, &out->blocked, NULL);
}

/* `whole` is true if the temporary file is complete and the renaming failed. */
static void describe_error(const struct cn_out_file *out, bool whole, char *message, size_t size)
{
  const char *why = strerrordesc_np(out->error);

  CN_ASSERT(out->error != 0);
  if (out->fd < 0)
    snprintf(message, size, "%s: cannot open it: %s", out->path, cn_os_describe_open_error(out->error));
  else if (whole)
    snprintf(message, size, "%s: cannot rename %s: %s", out->path, out->temporary, why);
  else
    snprintf(message, size, "%s: cannot write at byte %llu: %s", out->path, (unsigned long long)out->written, why);
}

bool cn_out_finish_file(struct cn_out_file *out, char *message, size_t size)
{
  flush_buffer(out);
  CN_ASSERT(out->used == 0);
  if (out->fd >= 0 && cn_os_file_close(out->fd) != 0)
    keep_first_error(out, errno);
  bool whole = out->error == 0;
  if (whole && !out->in_place && rename(out->temporary, out->path) != 0)
    keep_first_error(out, errno);
  if (out->error != 0 && out->fd >= 0 && !out->in_place)
    unlink(out->temporary);
  restore_signal_mask(out);
  if (out->error != 0 && message != NULL)
    describe_error(out, whole, message, size);
  return out->error == 0;
}
