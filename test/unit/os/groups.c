/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of control groups, in trees of files. What would go wrong: the limit of a group around the
 * process's own is not seen, one that is no number is taken for one, a path leads out of the tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runtime/os/os.h"

static char root[] = "/tmp/cairn-groups-XXXXXX";

static void put(const char *file, const char *text)
{
  char name[512];
  FILE *out;

  snprintf(name, sizeof name, "%s/%s", root, file);
  for (char *slash = name + sizeof root; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = 0;
    mkdir(name, 0700);
    *slash = '/';
  }
  assert_non_null(out = fopen(name, "w"));
  assert_true(fputs(text, out) >= 0);
  assert_int_equal(fclose(out), 0);
}

static void remove_all(void)
{
  char command[64];

  snprintf(command, sizeof command, "rm -rf %s/*", root);
  assert_int_equal(system(command), 0);
}

static void nested(void **state)
{
  (void)state;
  remove_all();
  assert_int_equal(cn_groups_memory_limit(root), SIZE_MAX);
  put("proc/self/cgroup", "0::/a/b/c\n");
  put("sys/fs/cgroup/a/memory.max", "3000000\n");
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  put("sys/fs/cgroup/a/b/c/memory.max", "4000000\n");
  assert_int_equal(cn_groups_memory_limit(root), 3000000);
  put("sys/fs/cgroup/a/b/c/memory.max", "2000000\n");
  assert_int_equal(cn_groups_memory_limit(root), 2000000);
  put("sys/fs/cgroup/a/b/c/memory.max", "99999999999999999999999\n");
  put("sys/fs/cgroup/memory.max", "1000000");
  assert_int_equal(cn_groups_memory_limit(root), 1000000);
  put("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/a/b/c/cpu.max", "900000 100000\n");
  assert_int_equal(cn_groups_processor_limit(root), 3);
  put("sys/fs/cgroup/a/cpu.max", "100000 0\n");
  assert_int_equal(cn_groups_processor_limit(root), 9);
  put("sys/fs/cgroup/a/b/c/cpu.max", "7");
  assert_int_equal(cn_groups_processor_limit(root), SIZE_MAX);
}

/* Version 1, and both at once; a container's group is the root of what it sees. */
static void first_version(void **state)
{
  (void)state;
  remove_all();
  put("proc/self/cgroup", "12:cpu,cpuacct:/x\n5:memory:/docker/0123\n1:name=systemd:/y\n0::/z\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  assert_int_equal(cn_groups_memory_limit(root), 9223372036854771712u);
  put("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "5000000\n");
  assert_int_equal(cn_groups_memory_limit(root), 5000000);
  put("sys/fs/cgroup/memory/docker/0123/memory.limit_in_bytes", "4000000\n");
  assert_int_equal(cn_groups_memory_limit(root), 4000000);
  put("sys/fs/cgroup/z/memory.max", "300000\n");
  assert_int_equal(cn_groups_memory_limit(root), 300000);
}

static void paths(void **state)
{
  static const struct {
    const char *text, *controller, *path;
  } cases[] = {
      {"0::/\n", NULL, "/"},
      {"0::/a", NULL, "/a"},
      {"1:memory:/m\n0::/a\n", NULL, "/a"},
      {"1:memory:/m\n0::/a\n", "memory", "/m"},
      {"1:cpu,memory:/m:n\n", "memory", "/m:n"},
      {"1:memory2,xmemory:/m\n", "memory", NULL},
      {"0::/../a\n", NULL, NULL},
      {"0::a\n", NULL, NULL},
      {"0::\n", NULL, NULL},
      {"0:\n::\n\n:", "memory", NULL},
      {"", NULL, NULL},
  };
  char path[16];

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    /* Every part of it, in memory that ends there. */
    for (size_t length = 0; length <= strlen(cases[i].text); length++) {
      char *text = malloc(length + 1);
      memcpy(text, cases[i].text, length);
      bool found = cn_groups_find_path(text, length, cases[i].controller, path, sizeof path);
      if (length == strlen(cases[i].text)) {
        assert_int_equal(found, cases[i].path != NULL);
        if (found)
          assert_string_equal(path, cases[i].path);
      }
      free(text);
    }
  }
  assert_false(cn_groups_find_path("0::/0123456789abcdef", 20, NULL, path, sizeof path));
  assert_false(cn_groups_find_path("0::/a\0b", 7, NULL, path, sizeof path));
}

static int make(void **state)
{
  (void)state;
  return mkdtemp(root) == NULL;
}

static int end(void **state)
{
  (void)state;
  remove_all();
  return remove(root);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nested),
      cmocka_unit_test(first_version),
      cmocka_unit_test(paths),
  };

  return cmocka_run_group_tests(tests, make, end);
}
