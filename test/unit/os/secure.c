/* SPDX-License-Identifier: Apache-2.0
 *
 * Raised privileges, and files for output. What would go wrong: a program that is privileged trusts
 * its caller, or a file's name leads to a file of somebody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/os/os.h"

static struct {
  unsigned long value;
  int error; /* of an entry that is not there */
} auxiliary;

unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type)
{
  assert_int_equal(type, AT_SECURE);
  if (auxiliary.error != 0)
    errno = auxiliary.error;
  return auxiliary.value;
}

static void privileges(void **state)
{
  (void)state;
  errno = ENOENT; /* an earlier call's */
  assert_false(cn_os_has_raised_privileges());
  auxiliary.value = 1;
  assert_true(cn_os_has_raised_privileges());
  auxiliary.value = 0;
  auxiliary.error = ENOENT;
  assert_true(cn_os_has_raised_privileges());
  auxiliary.error = 0;
}

static void dumpable(void **state)
{
  (void)state;
  assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
  assert_false(cn_os_is_dumpable());
  assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
  assert_true(cn_os_is_dumpable());
}

/* ---- files, in a directory of their own ---- */

static char directory[] = "/tmp/cairn-secure-XXXXXX";

static int enter(void **state)
{
  (void)state;
  return mkdtemp(directory) == NULL || chdir(directory) != 0 ? -1 : 0;
}

static int leave(void **state)
{
  static const char *const names[] = {"other", "linked", "new", "symbolic", "dangling", "pipe"};

  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unlink(names[i]);
  return chdir("/") != 0 || rmdir(directory) != 0 ? -1 : 0;
}

static void put(int fd)
{
  assert_true(fd >= 0);
  assert_int_equal(write(fd, "new", 3), 3);
  assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
  close(fd);
}

static void assert_holds(const char *path, const char *text)
{
  char have[8] = "";
  int fd = open(path, O_RDONLY);

  assert_true(fd >= 0);
  assert_true(read(fd, have, sizeof have - 1) >= 0);
  assert_string_equal(have, text);
  close(fd);
}

static void make_other(void)
{
  int fd = open("other", O_WRONLY | O_CREAT | O_TRUNC, 0644);

  assert_int_equal(write(fd, "old", 3), 3);
  close(fd);
}

static void new_files(void **state)
{
  struct stat status;

  (void)state;
  umask(0);
  put(cn_os_make_new_file("new"));
  assert_int_equal(lstat("new", &status), 0);
  assert_int_equal(status.st_mode, S_IFREG | 0600);
  make_other();
  assert_int_equal(link("other", "linked"), 0);
  assert_int_equal(symlink("other", "symbolic"), 0);
  put(cn_os_make_new_file("linked"));
  put(cn_os_make_new_file("symbolic"));
  assert_holds("other", "old");
  assert_holds("linked", "new");
  assert_int_equal(lstat("symbolic", &status), 0);
  assert_true(S_ISREG(status.st_mode));
  assert_int_equal(cn_os_make_new_file("."), -1);
  assert_int_equal(cn_os_make_new_file("missing/new"), -1);
  assert_int_equal(errno, ENOENT);
}

static void assert_no_device(const char *path, int error)
{
  assert_int_equal(cn_os_open_device(path), -1);
  assert_int_equal(errno, error);
}

static void devices(void **state)
{
  (void)state;
  make_other();
  unlink("symbolic");
  assert_int_equal(symlink("/dev/null", "symbolic"), 0);
  assert_int_equal(symlink("nowhere", "dangling"), 0);
  put(cn_os_open_device("/dev/null"));
  assert_no_device("other", ENOENT);
  assert_no_device("nowhere", ENOENT);
  assert_no_device("symbolic", ELOOP);
  assert_no_device("dangling", ELOOP);
  assert_no_device(".", EISDIR);
  assert_string_equal(cn_os_describe_open_error(ELOOP), "it is a symbolic link");
  assert_string_equal(cn_os_describe_open_error(EACCES), "Permission denied");
  assert_holds("other", "old");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(privileges),
      cmocka_unit_test(dumpable),
      cmocka_unit_test_setup_teardown(new_files, enter, NULL),
      cmocka_unit_test_setup_teardown(devices, NULL, leave),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
