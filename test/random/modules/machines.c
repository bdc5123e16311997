/* SPDX-License-Identifier: Apache-2.0
 *
 * The machines that random modules are for.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "random/modules/maker.h"

static const struct cn_random_machine machines[] = {
    {.triple = "x86_64-unknown-linux-gnu",
     .layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
     .conventions = {0, 8, CN_TAIL, 16, 78, 9, CN_SWIFT_TAIL,
                     100}, /* C, fast, tail, swift, System V; cold, swifttail, an unknown one */
     .add_three = "leaq 3(%rdi), %rax",
     .constraints = "={rax},{rdi},~{dirflag}",
     .call_bytes = 5,
     .unit = 1},
    {.triple = "aarch64-unknown-linux-gnu",
     .layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
     .conventions = {0, 8, CN_TAIL, 16, 0, 9, CN_SWIFT_TAIL, 100},
     .add_three = "add x0, x1, #3",
     .constraints = "={x0},{x1}",
     .is_plain_tail = true,
     .call_bytes = 4,
     .unit = 4},
};

const struct cn_random_machine *cn_random_machine(void)
{
  const char *name = getenv("RANDOM_MACHINE");
  const struct cn_random_machine *machine = machines, *end = machines + sizeof machines / sizeof *machines;

  if (!name)
    return machine;
  while (machine < end && strncmp(machine->triple, name, strcspn(machine->triple, "-")) != 0)
    machine++;
  CN_CHECK(machine < end);
  return machine;
}
