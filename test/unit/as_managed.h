/* SPDX-License-Identifier: Apache-2.0
 *
 * C functions that pass for managed code: AS_MANAGED puts them into a section of their own, which
 * becomes a region whose activations hold nothing and have no caller.
 */
#ifndef TEST_UNIT_AS_MANAGED_H
#define TEST_UNIT_AS_MANAGED_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/stack.h>

#define AS_MANAGED __attribute__((noinline, section("as_managed")))
extern char __start_as_managed[], __stop_as_managed[];

static void end_of_stack(struct cairn_stack_iterator *iterator, void *data)
{
  const struct cairn_stack_state none = {.pc = NULL};

  (void)data;
  cairn_stack_set(iterator, &none);
}

static const struct cairn_code_manager manager_as_managed = {.name = "C", .previous = end_of_stack};

static inline void begin_as_managed(void)
{
  enum cairn_status status =
      cairn_code_region_add(&manager_as_managed, (uintptr_t)__start_as_managed, (uintptr_t)__stop_as_managed, NULL);
  if (status != CAIRN_OK)
    __builtin_trap();
}

#endif
