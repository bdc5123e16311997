/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the code of a stub, which pushes the stub's address and jumps to the common part (stub_entry.S), and of an
 * island; and knows the numbers of vector registers. The functions only use their arguments: any thread, any phase.
 */
#include "patch/stub_machine.h"

#include <cpuid.h>
#include <stddef.h>
#include "base/check.h"
#include "patch/x86_64/encode.h"

/* The offsets in stub_entry.S. */
_Static_assert(offsetof(struct cairn_point_state, flags) == 128, "STATE_FLAGS");
_Static_assert(offsetof(struct cairn_point_state, data) == 136, "STATE_DATA");
_Static_assert(offsetof(struct cairn_point_state, resume) == 144, "STATE_RESUME");
_Static_assert(offsetof(struct cairn_point_state, vector_bytes) == 152, "STATE_VECTOR_BYTES");
_Static_assert(offsetof(struct cairn_point_state, vector_count) == 156, "STATE_VECTOR_COUNT");
_Static_assert(offsetof(struct cairn_point_state, mask) == 192, "STATE_MASKS");
_Static_assert(offsetof(struct cairn_point_state, vector) == 256, "STATE_VECTORS");
_Static_assert(offsetof(struct cairn_point_state, other) == 2304, "STATE_OTHER");
_Static_assert(sizeof(struct cairn_point_state) == 2880, "STATE_SIZE");
_Static_assert(offsetof(struct cn_stub, data) == 40, "STUB_DATA");

extern const char cn_stub_enter[];

void cn_stub_machine_write(struct cn_stub *stub, uintptr_t address)
{
  enum { PUSH_EXTENSION = 6 };
  struct cn_instruction push = {.opcode = 0xff, .reg = PUSH_EXTENSION};
  struct cairn_assembler code;

  stub->self = address;
  stub->enter = (uintptr_t)cn_stub_enter;
  cairn_assembler_begin(&code, stub->code, sizeof stub->code, address);
  cn_encode_append(
      &code, &push,
      cn_encode_set_memory(&push, CAIRN_ASSEMBLER_PC, (int64_t)(address + offsetof(struct cn_stub, self))));
  cairn_assemble_jump_memory(&code, CAIRN_ASSEMBLER_PC, (int64_t)(address + offsetof(struct cn_stub, enter)));
  enum cairn_status status = cairn_assembler_end(&code);
  CN_CHECK(status == CAIRN_OK);
}

void cn_stub_machine_write_island(struct cn_stub *island, uintptr_t address, uintptr_t target)
{
  struct cairn_assembler code;

  island->self = address;
  island->enter = target;
  cairn_assembler_begin(&code, island->code, sizeof island->code, address);
  cairn_assemble_jump_memory(&code, CAIRN_ASSEMBLER_PC, (int64_t)(address + offsetof(struct cn_stub, enter)));
  enum cairn_status status = cairn_assembler_end(&code);
  CN_CHECK(status == CAIRN_OK);
}

/* The common part moves mask registers of 64 bits, which belong to AVX-512BW. */
bool cn_stub_machine_is_supported(void)
{
  return !__builtin_cpu_supports("avx512f") || __builtin_cpu_supports("avx512bw");
}

bool cn_stub_machine_find_vector(unsigned reg, unsigned char *number)
{
  return cn_encode_find_vector(reg, number);
}
