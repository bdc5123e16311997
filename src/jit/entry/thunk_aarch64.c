/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the code of thunks for AArch64. Thunks are written before threads know their addresses; only the words of a
 * thunk change later. Any thread; the file has no state.
 */
#include "jit/entry/thunk.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"

#define DISTANCE(from, to) ((uint32_t)(offsetof(struct cn_jit_thunk, to) - offsetof(struct cn_jit_thunk, from)))
/* Instructions with the distance to an 8-byte word, or to a place, from their own address. */
#define LOAD_NEAR(reg, distance) (0x58000000u | ((uint32_t)(distance) / 4 & 0x7ffff) << 5 | (reg))
#define ADDRESS_NEAR(reg, distance) (0x10000000u | ((uint32_t)(distance) / 4 & 0x7ffff) << 5 | (reg))
#define JUMP_NEAR(distance) (0x14000000u | ((uint32_t)(distance) / 4 & 0x3ffffff))
#define JUMP_TO_X16 0xd61f0200u
#define LANDING_PAD 0xd503245fu /* bti c */
#define NOP 0xd503201fu
#define BREAK 0xd4200000u
enum { TARGET_REGISTER = 14, SERVICE_REGISTER = 15, SCRATCH = 16, SECOND_SCRATCH = 17 };

/* The return address is in x30, and in the code of `gone` in a frame. */
static void write_frames(struct cn_jit_thunk_frames *frames, uintptr_t slab, size_t bytes)
{
  static const unsigned char cie[16] = {1,    0,        /* version, no augmentation */
                                        4,    0x78, 30, /* factors 4 and -8; the return address is x30 */
                                        0x0c, 31,   0}; /* CFA: SP */
  static const unsigned char fde[16] = {0x40 + 5,       /* behind stp: */
                                        0x0e,      16,       0x80 + 29, 2, /* CFA: SP + 16, x29 is at CFA - 16 */
                                        0x80 + 30, 1,                      /* x30 is at CFA - 8 */
                                        0x40 + 1,                          /* behind mov: */
                                        0x0d,      29,                     /* CFA: x29 + 16 */
                                        0x40 + 4,                          /* behind the code: */
                                        0x0c,      31,       0,            /* CFA: SP */
                                        0xc0 + 29, 0xc0 + 30};             /* x29 and x30 are the caller's */

  _Static_assert(offsetof(struct cn_jit_thunk_head, gone_code) == 16, "the first distance");
  _Static_assert(sizeof((struct cn_jit_thunk_head *)0)->gone_code == 4 + 4 + 16, "the last distance");
  cn_jit_thunk_fill_frames(frames, slab, bytes, cie, fde);
}

void cn_jit_thunk_write_head(struct cn_jit_thunk_head *head, uintptr_t slab, size_t bytes)
{
  enum { LOAD_OFFSET = 12 }; /* in the code of `gone` */
  static const uint32_t enter[] = {LOAD_NEAR(SCRATCH, offsetof(struct cn_jit_thunk_head, enter)), JUMP_TO_X16, BREAK,
                                   BREAK};
  static const uint32_t gone[] = {
      0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
      0x910003fd, /* mov x29, sp */
      0xaa0f03e0, /* mov x0, x15 */
      LOAD_NEAR(SCRATCH,
                offsetof(struct cn_jit_thunk_head, gone) - offsetof(struct cn_jit_thunk_head, gone_code) - LOAD_OFFSET),
      0xd63f0200, /* blr x16 */
      BREAK,
  };

  _Static_assert(sizeof enter == sizeof head->enter_code && sizeof gone == sizeof head->gone_code, "the code fits");
  memcpy(head->enter_code, enter, sizeof enter);
  memcpy(head->gone_code, gone, sizeof gone);
  write_frames(&head->frames, slab, bytes);
}

/* The thread pointer's distance from the state of the calling thread takes two instructions. */
static void write_entry(struct cn_jit_thunk *thunk)
{
  enum { PREFIX_OFFSET = 16 }; /* of the jump to the prefix */
  uint64_t state = (uint64_t)cairn_mutator_offset() + CAIRN_ABI_MUTATOR_STATE;
  const uint32_t entry[] = {
      LANDING_PAD,
      0xd53bd040 | SECOND_SCRATCH,                                                         /* mrs x17, tpidr_el0 */
      0x91400000 | (uint32_t)(state >> 12) << 10 | SECOND_SCRATCH << 5 | SECOND_SCRATCH,   /* add x17, x17, upper */
      0x39400000 | (uint32_t)(state & 0xfff) << 10 | SECOND_SCRATCH << 5 | SECOND_SCRATCH, /* ldrb w17, [x17, lower] */
      0x35000000 | ((0 - DISTANCE(prefix, entry) - PREFIX_OFFSET) / 4 & 0x7ffff) << 5 |
          SECOND_SCRATCH, /* cbnz w17, prefix */
      NOP,
      NOP,
      NOP,
  };

  _Static_assert(sizeof entry == sizeof thunk->entry, "the code fits");
  _Static_assert(CAIRN_ABI_MANAGED == 0, "the entry compares the state with this number");
  CN_CHECK(state >> 24 == 0); /* thread-locals of the executable and of libraries that start with it lie near */
  memcpy(thunk->entry, entry, sizeof entry);
}

void cn_jit_thunk_write(struct cn_jit_thunk *thunk, uintptr_t address, uintptr_t head)
{
  enum { JUMP_OFFSET = 4 }; /* the second instruction */
  static const uint32_t service[] = {ADDRESS_NEAR(SERVICE_REGISTER, 0),
                                     LOAD_NEAR(SCRATCH, DISTANCE(service_code, service) - JUMP_OFFSET), JUMP_TO_X16,
                                     BREAK};
  static const uint32_t body[] = {LOAD_NEAR(SCRATCH, DISTANCE(body, target)), JUMP_TO_X16};
  const uint32_t prefix[] = {ADDRESS_NEAR(TARGET_REGISTER, DISTANCE(prefix, body)),
                             JUMP_NEAR(head - (address + offsetof(struct cn_jit_thunk, prefix) + JUMP_OFFSET)), BREAK,
                             BREAK};

  _Static_assert(sizeof service == sizeof thunk->service_code && sizeof body == sizeof thunk->body &&
                     sizeof prefix == sizeof thunk->prefix,
                 "the code fits");
  memcpy(thunk->service_code, service, sizeof service);
  memcpy(thunk->prefix, prefix, sizeof prefix);
  memcpy(thunk->body, body, sizeof body);
  thunk->mark = CAIRN_ABI_MANAGED_MARK;
  write_entry(thunk);
}
