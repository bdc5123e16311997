/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the code of a stub, which jumps to the common part (stub_entry.S) with the stub's address, and of an island;
 * and knows the numbers of vector registers. The functions only use their arguments: any thread, any phase.
 */
#include "patch/stub_machine.h"

#include <stddef.h>
#include <string.h>
#include "patch/aarch64/encode.h"

/* The offsets in stub_entry.S. */
_Static_assert(offsetof(struct cairn_point_state, flags) == 256, "STATE_FLAGS");
_Static_assert(offsetof(struct cairn_point_state, data) == 264, "STATE_DATA");
_Static_assert(offsetof(struct cairn_point_state, resume) == 272, "STATE_RESUME");
_Static_assert(offsetof(struct cairn_point_state, vector_bytes) == 280, "STATE_VECTOR_BYTES");
_Static_assert(offsetof(struct cairn_point_state, vector_count) == 284, "the word after STATE_VECTOR_BYTES");
_Static_assert(offsetof(struct cairn_point_state, vector) == 288, "STATE_VECTORS");
_Static_assert(offsetof(struct cairn_point_state, other) == 800, "STATE_OTHER");
_Static_assert(sizeof(struct cairn_point_state) == 864, "STATE_SIZE");
_Static_assert(offsetof(struct cn_stub, data) == 40, "STUB_DATA");

extern const char cn_stub_enter[];

void cn_stub_machine_write(struct cn_stub *stub, uintptr_t address)
{
  static const uint32_t code[] = {
      0xd503245f, /* bti c */
      0x10fffff0, /* adr x16, stub */
      0x58000091, /* ldr x17, enter */
      0xd61f0220, /* br x17 */
  };

  _Static_assert(sizeof code == sizeof stub->code, "the code fits");
  _Static_assert(offsetof(struct cn_stub, enter) == 24, "the distance in the code");
  memcpy(stub->code, code, sizeof code);
  stub->self = address;
  stub->enter = (uintptr_t)cn_stub_enter;
}

/* Branches come here directly, so that the island needs no landing pad. */
void cn_stub_machine_write_island(struct cn_stub *island, uintptr_t address, uintptr_t target)
{
  static const uint32_t code[] = {
      0x580000d0, /* ldr x16, enter */
      0xd61f0200, /* br x16 */
      0xd4200000, /* brk #0 */
      0xd4200000,
  };

  _Static_assert(sizeof code == sizeof island->code, "the code fits");
  _Static_assert(offsetof(struct cn_stub, enter) == 24, "the distance in the code");
  memcpy(island->code, code, sizeof code);
  island->self = address;
  island->enter = target;
}

bool cn_stub_machine_is_supported(void)
{
  return true;
}

bool cn_stub_machine_find_vector(unsigned reg, unsigned char *number)
{
  uint32_t found;
  bool is_vector = cn_encode_find_vector(reg, &found);

  if (is_vector)
    *number = (unsigned char)found;
  return is_vector;
}
