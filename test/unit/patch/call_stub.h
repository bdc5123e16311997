/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of stubs: code of each port that loads all registers, calls a stub, and stores all registers. After
 * cmocka.h.
 */
#ifndef CN_TEST_PATCH_CALL_STUB_H
#define CN_TEST_PATCH_CALL_STUB_H

#include <cairn/patch_stub.h>
#include <stdbool.h>
#include <string.h>
#include "framemap/framemap.h"
#include "runtime/arch/arch.h"

static uint64_t random_state = 1;

static uint64_t draw(void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 32 ^ random_state << 20;
}

static inline void fill(void *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++)
    ((unsigned char *)bytes)[i] = (unsigned char)(draw() >> 8);
}

/* The port defines: struct registers with the members `general`, `flags` and `call`, which is the stub; `before` and
 * `after`, the registers that call_stub() loads and stores; call_stub_elsewhere, the place of another continuation;
 * TOLD, the flags that comparisons set; fill_registers(), dirty_everything(), and assert_same_registers(), which
 * compares all of `after` with `before` apart from the stack pointer. */
#if defined(__aarch64__)
#include "unit/patch/port/call_stub_aarch64.h"
#else
#include "unit/patch/port/call_stub_x86_64.h"
#endif

static inline uintptr_t count_calls(struct cairn_point_state *state)
{
  ++*(int *)state->data;
  return state->resume;
}

static inline struct cairn_patch_stub *new_stub(cairn_point_handler *handler, void *data)
{
  struct cairn_patch_stub *stub;

  assert_int_equal(cairn_patch_stub_new(handler, data, (uintptr_t)call_stub, &stub), CAIRN_OK);
  assert_non_null(stub);
  return stub;
}

static inline void call(struct cairn_patch_stub *stub)
{
  before.call = cairn_patch_stub_address(stub);
  call_registers();
}

#endif
