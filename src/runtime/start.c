/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of the runtime: options are read and the main thread is attached before any other code
 * of the program runs, constructors of its shared objects included (.preinit_array).
 */
#include <stdlib.h>
#include <unistd.h>
#include <cairn/abi.h>
#include "runtime/core/bounds.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/report.h"
#include "runtime/jumps.h"
#include "runtime/os/os.h"
#include "runtime/signals/fault.h"
#include "runtime/threads/stop.h"

/* Nested transitions; untouched anchors take no memory. Fewer where the process may have little. */
enum { ANCHORS = 1 << 18, ANCHORS_LEAST = 1 << 10 };

static struct cairn_mutator *main_mutator;

static void start(char *const *environment)
{
  char message[200];

  if (!cn_options_parse(&cn_options, environment, message, sizeof message)) {
    cn_report_text("cairn: %s\n", message);
    _exit(1);
  }
  if (cn_options.help) {
    cn_options_print();
    _exit(0);
  }
  cn_arch_init();
  cn_jumps_init();
  if (cn_options.stress != 0)
    cn_fault_install();
}

static void make_anchors(struct cairn_mutator *mutator)
{
  size_t most = cn_os_limit() / 16, count = ANCHORS;

  while (count * sizeof *mutator->anchors > most && count > ANCHORS_LEAST)
    count /= 2;
  mutator->anchors = cn_os_resize(NULL, 0, count * sizeof *mutator->anchors);
  if (mutator->anchors == NULL) {
    cn_report_text("cairn: out of memory: no room for the anchors of a thread (%zu KB)\n",
                   count * sizeof *mutator->anchors >> 10);
    _exit(1); /* there may be no constructor yet whose work an exit handler undoes */
  }
  mutator->anchor = mutator->anchors;
  mutator->anchor_limit = mutator->anchors + count;
}

/* In the child, whose only thread this is. */
static void forked(void)
{
  cn_stop_forked(cairn_mutator.attached ? &cairn_mutator : NULL);
}

static void attach(char *const *environment)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  start(environment);
  make_anchors(mutator);
  mutator->stack_end = cn_os_main_stack_end();
  cn_bounds_find(mutator);
  if (cn_options.stress == 0)
    cn_poll_word_disarm(mutator, CN_REASON_STRESS);
  mutator->thread = cn_os_thread();
  mutator->attached = 1;
  mutator->state = CAIRN_ABI_NATIVE;
  cn_stop_add(mutator);
  cn_os_forks(cn_stop_fork_begins, cn_stop_fork_ends, forked);
  main_mutator = mutator;
}

struct cairn_mutator *cn_mutator_main(void)
{
  return main_mutator;
}

struct cairn_mutator *cn_mutator_get(void)
{
  if (!cairn_mutator.attached) {
    if (!cn_os_is_main_thread())
      cairn_fatal("managed code runs in a second thread: one thread for now");
    attach(environ);
  }
  return &cairn_mutator;
}

static void preinit(int argc, char **argv, char **environment)
{
  (void)argc;
  (void)argv;
  if (!cairn_mutator.attached)
    attach(environment);
}

typedef void preinit_function(int, char **, char **);
__attribute__((section(".preinit_array"), used)) static preinit_function *const preinit_entry =
    preinit;
