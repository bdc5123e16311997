/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions that leave compiled code. Managed and native C; the state is of the thread, apart from tiny_code_epoch.
 *
 * A call tests its result for THROWN if a handler of its function gets the exception, if an exception has passed the
 * call before, or if the caller is a function of C. Such a call lies in a span with the key TINY_CATCHES. Other calls
 * of compiled code test nothing. An activation that ends by an exception returns THROWN to a call that tests; otherwise
 * it resumes the youngest activation with such a span, which then gets THROWN as the result of its call. The
 * activations between are gone; the next versions of their functions test the calls. No function of C lies between,
 * except stubs to the interpreter: all calls from C test.
 *
 * Return addresses of calls that test are known by a table of the thread. New code may lie where other code was, so an
 * entry holds only while no code is installed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tiny/program/compiled.h"
#include "tiny/core/object.h"
#include "tiny/jit/jit.h"
#include <cairn/deopt.h>

enum { TESTED_BITS = 8 };
#define THROWN_WORD ((uint64_t)TINY_SPECIAL_PAYLOAD(TINY_THROWN_NUMBER) << 1 | 1)

uint64_t tiny_code_epoch;

static _Thread_local uint64_t resumptions;

/* Calls that test their result, by their return addresses. */
static _Thread_local struct tested {
  uintptr_t address;
  uint64_t epoch;
} tested[1 << TESTED_BITS];

static inline struct tested *tested_at(uintptr_t address)
{
  return &tested[(address ^ address >> TESTED_BITS) & ((1 << TESTED_BITS) - 1)];
}

/* The frames of an activation that the exception skips. */
static cairn_unmanaged void skip_frames(const struct cairn_stack_iterator *it)
{
  struct cairn_deopt_frame frame;
  struct tiny_function *root = NULL;
  uint32_t count;

  if (cairn_deopt_frames(it, &count) != CAIRN_OK || count == 0)
    return; /* a function of C, or the activation that ends */
  if (cairn_deopt_frame(it, 0, &frame) == CAIRN_OK)
    root = (struct tiny_function *)frame.function;
  for (uint32_t i = count; i-- > 0 && cairn_deopt_frame(it, i, &frame) == CAIRN_OK;) {
    tiny_note_skipped((const struct tiny_function *)frame.function, (uint32_t)frame.index);
    if (i + 1 == count)
      tiny_jit_pass(resumptions, root, (struct tiny_function *)frame.function, (uint32_t)frame.index);
  }
}

static cairn_unmanaged void resume_caller(void)
{
  const struct cairn_deopt_result result = {.kind = CAIRN_ABI_DEOPT_RESULT_INTEGER, .word = THROWN_WORD};
  struct cairn_deopt_failure failure = {.text = "no call gets it"};
  uint64_t epoch = __atomic_load_n(&tiny_code_epoch, __ATOMIC_ACQUIRE);
  struct cairn_stack_iterator it;
  uintptr_t value;

  resumptions++;
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    if (cairn_stack_span(&it, TINY_CATCHES, &value)) {
      uintptr_t address = cairn_stack_ip(&it);
      *tested_at(address) = (struct tested){address, epoch};
      cairn_deopt_resume(&it, &result, &failure);
      break;
    }
    skip_frames(&it);
  }
  fprintf(stderr, "tiny: an exception cannot leave compiled code: %s\n", failure.text);
  abort();
}

value tiny_jit_unwind(const void *return_address)
{
  const struct tested *entry = tested_at((uintptr_t)return_address);

  if (entry->address != (uintptr_t)return_address ||
      entry->epoch != __atomic_load_n(&tiny_code_epoch, __ATOMIC_ACQUIRE))
    resume_caller();
  return TINY_THROWN;
}
