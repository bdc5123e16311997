/* SPDX-License-Identifier: Apache-2.0
 *
 * The option parser. What would go wrong: a mistyped option is ignored, and a test believes that it
 * ran under stress.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "runtime/core/options.h"

static bool parse(struct cn_options *options, const char *setting, char message[200])
{
  char *environment[] = {"PATH=/bin", (char *)setting, "CAIRNX=1", NULL};

  message[0] = 0;
  return cn_options_parse(options, NULL, environment, message, 200);
}

static void defaults(void **state)
{
  struct cn_options options;
  char message[200];

  (void)state;
  assert_true(parse(&options, "HOME=/", message));
  assert_int_equal(options.stress, 0);
  assert_int_equal(options.stats, 0);
  assert_true(options.heap_max > 1 << 20);
  assert_int_equal(options.heap_initial, 8 << 20);
  assert_int_equal(options.heap_growth, 100);
  assert_in_range(options.workers, 1, CN_WORKERS_MAX_DEFAULT);
}

static void sizes(void **state)
{
  struct cn_options options;
  char message[200];

  (void)state;
  assert_true(parse(&options, "CAIRN_HEAP_MAX=4m", message));
  assert_int_equal(options.heap_max, 4 << 20);
  assert_int_equal(options.heap_initial, 4 << 20);
  assert_true(parse(&options, "CAIRN_HEAP_MAX=123456", message));
  assert_int_equal(options.heap_max, 123456);
  assert_true(parse(&options, "CAIRN_HEAP_MAX=2G", message));
  assert_int_equal(options.heap_max, UINT64_C(2) << 30);
  assert_true(parse(&options, "CAIRN_HEAP_INITIAL=16k", message));
  assert_int_equal(options.heap_initial, 16 << 10);
  assert_true(parse(&options, "CAIRN_HEAP_GROWTH=10", message));
  assert_int_equal(options.heap_growth, 10);
  assert_int_equal(options.pause, 0);
  assert_int_equal(options.pause_full, 50000000);
  assert_true(parse(&options, "CAIRN_PAUSE_FULL=2ms", message));
  assert_int_equal(options.pause, 0);
  assert_int_equal(options.pause_full, 2000000);
  assert_true(parse(&options, "CAIRN_PAUSE_FULL=0", message));
  assert_int_equal(options.pause_full, 0);
  assert_true(parse(&options, "CAIRN_PAUSE=3ms", message));
  assert_int_equal(options.pause, 3000000);
  assert_int_equal(options.pause_full, 3000000);
  assert_true(parse(&options, "CAIRN_PAUSE=250us", message));
  assert_int_equal(options.pause, 250000);
  assert_true(parse(&options, "CAIRN_PAUSE=2s", message));
  assert_int_equal(options.pause, UINT64_C(2000000000));
  assert_true(parse(&options, "CAIRN_PAUSE=0", message));
  assert_int_equal(options.pause, 0);
  assert_int_equal(options.pause_full, 0);
  assert_true(parse(&options, "CAIRN_VERIFY=frames", message));
  assert_int_equal(options.verify, CN_VERIFY_FRAMES);
  assert_true(parse(&options, "CAIRN_VERIFY=stores", message));
  assert_int_equal(options.verify, CN_VERIFY_HEAP | CN_VERIFY_STORES);
}

static void limits(void **state)
{
  const struct cairn_heap_limits wanted = {sizeof wanted, 2 << 20, 6 << 20, 9 << 20}, low = {sizeof low, .maximum = 9},
                                 small = {.size = 8};
  char *nothing[] = {NULL}, *environment[] = {"CAIRN_HEAP_SOFT=5m", "CAIRN_HEAP_INITIAL=7m", NULL};
  struct cn_options options;
  char message[200];

  (void)state;
  assert_true(cn_options_parse(&options, &wanted, nothing, message, sizeof message));
  assert_int_equal(options.heap_initial, 2 << 20);
  assert_int_equal(options.heap_soft, 6 << 20);
  assert_int_equal(options.heap_max, 9 << 20);
  assert_false(options.heap_usual);
  assert_true(cn_options_parse(&options, &wanted, environment, message, sizeof message));
  assert_int_equal(options.heap_initial, 5 << 20);
  assert_int_equal(options.heap_soft, 5 << 20);
  assert_int_equal(options.heap_max, 9 << 20);
  assert_false(cn_options_parse(&options, &low, nothing, message, sizeof message));
  assert_string_equal(message, "cairn_heap_limits has the maximum 9: expected at least 65536 bytes");
  assert_false(cn_options_parse(&options, &small, nothing, message, sizeof message));
  assert_string_equal(message, "cairn_heap_limits has the size 8: expected at least 32 bytes");
}

static void refused(void **state)
{
  static const char *const bad[][2] = {
      {"CAIRN_HEAP_MAX=", "CAIRN_HEAP_MAX=: expected a number of bytes, as in 64m"},
      {"CAIRN_HEAP_MAX=4mm", "CAIRN_HEAP_MAX=4mm: expected a number of bytes, as in 64m"},
      {"CAIRN_HEAP_MAX=-1", "CAIRN_HEAP_MAX=-1: expected a number of bytes, as in 64m"},
      {"CAIRN_HEAP_MAX=99999999999999999999", NULL},
      {"CAIRN_HEAP_MAX=18446744073709551615k", NULL},
      {"CAIRN_WORKERS=65", "CAIRN_WORKERS=65: expected at most 64"},
      {"CAIRN_HEAP_GROWTH=9", "CAIRN_HEAP_GROWTH=9: expected 10 to 10000 percent"},
      {"CAIRN_HEAP_GROWTH=10001", "CAIRN_HEAP_GROWTH=10001: expected 10 to 10000 percent"},
      {"CAIRN_HEAP_GROWTH=50%", "CAIRN_HEAP_GROWTH=50%: expected a number"},
      {"CAIRN_HEAP_GROWTH=", "CAIRN_HEAP_GROWTH=: expected a number"},
      {"CAIRN_STRESS=1k", "CAIRN_STRESS=1k: expected a number"},
      {"CAIRN_STATS=2", "CAIRN_STATS=2: expected 0 or 1"},
      {"CAIRN_TRACE=1", "CAIRN_TRACE=1: expected the name of a file (CAIRN_LOG=gc,arrivals prints "
                        "lines instead)"},
      {"CAIRN_TRACE=", NULL},
      {"CAIRN_LOG=gc,", NULL},
      {"CAIRN_HEAP_MAX=65535", "CAIRN_HEAP_MAX=65535: expected at least 65536 bytes"},
      {"CAIRN_LOG=1", "CAIRN_LOG=1: expected gc, stops, arrivals, pins, deopt, or several with commas"},
      {"CAIRN_VERIFY=frame", "CAIRN_VERIFY=frame: expected frames, heap, stores, or several with commas"},
      {"CAIRN_VERIFY=", "CAIRN_VERIFY=: expected frames, heap, stores, or several with commas"},
      {"CAIRN_VERIFY=frames,", NULL},
      {"CAIRN_VERIFY=frames,heaps", NULL},
      {"CAIRN_VERIFY=1", NULL},
      {"CAIRN_STATS=yes", "CAIRN_STATS=yes: expected 0 or 1"},
      {"CAIRN_PAUSE=3", "CAIRN_PAUSE=3: expected a time, as in 3ms, 500us or 1s, or 0"},
      {"CAIRN_PAUSE=ms", "CAIRN_PAUSE=ms: expected a time, as in 3ms, 500us or 1s, or 0"},
      {"CAIRN_PAUSE=3min", "CAIRN_PAUSE=3min: expected a time, as in 3ms, 500us or 1s, or 0"},
      {"CAIRN_PAUSE=99999999999s", "CAIRN_PAUSE=99999999999s: expected a time, as in 3ms, 500us or 1s, or 0"},
      {"CAIRN_STRES=1", "unknown option CAIRN_STRES; did you mean CAIRN_STRESS? (CAIRN_HELP=1 lists the options)"},
      {"CAIRN_HEAPMAX", "unknown option CAIRN_HEAPMAX; did you mean CAIRN_HEAP_MAX? (CAIRN_HELP=1 lists the options)"},
      {"CAIRN_FOO=1", "unknown option CAIRN_FOO (CAIRN_HELP=1 lists the options)"},
      {"CAIRN_=1", "unknown option CAIRN_ (CAIRN_HELP=1 lists the options)"},
  };
  struct cn_options options;
  char message[200];

  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_false(parse(&options, bad[i][0], message));
    if (bad[i][1] != NULL)
      assert_string_equal(message, bad[i][1]);
  }
}

static void dropped(void **state)
{
  char *environment[] = {"CAIRN_TRACE=x", "PATH=/bin",  "CAIRN_", "CAIRN_NOT_KNOWN=1", "CAIRN=1",
                         "CAIRNX=1",      "CAIRN_DUMP", "A=B",    "CAIRN_STATS=1",     NULL},
       *ours[] = {"CAIRN_HELP=1", NULL};
  static const char *const left[] = {"PATH=/bin", "CAIRN=1", "CAIRNX=1", "A=B"};

  (void)state;
  cn_options_drop_variables(environment);
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    assert_string_equal(environment[i], left[i]);
  assert_null(environment[sizeof left / sizeof *left]);
  cn_options_drop_variables(ours);
  assert_null(ours[0]);
  cn_options_drop_variables(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults), cmocka_unit_test(sizes),   cmocka_unit_test(limits),
      cmocka_unit_test(refused),  cmocka_unit_test(dropped),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
