/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the code of thunks for x86-64. Thunks are written before threads know their addresses; only the words of a
 * thunk change later. Any thread; the file has no state.
 */
#include "jit/entry/thunk.h"

#include <string.h>
#include <cairn/collector.h>

#define DISTANCE(from, to) ((unsigned char)(offsetof(struct cn_jit_thunk, to) - offsetof(struct cn_jit_thunk, from)))

/* The return address is at SP, and in the code of `gone` in a frame. */
static void write_frames(struct cn_jit_thunk_frames *frames, uintptr_t slab, size_t bytes)
{
  static const unsigned char cie[16] = {1,    0,        /* version, no augmentation */
                                        1,    0x78, 16, /* factors 1 and -8; the return address is register 16 */
                                        0x0c, 7,    8,  /* CFA: rsp + 8 */
                                        0x90, 1};       /* the return address is at CFA - 8 */
  static const unsigned char fde[16] = {0x40 + 16 + 1,  /* behind pushq: */
                                        0x0e,          16, 0x86, 2,     /* CFA: rsp + 16, rbp is at CFA - 16 */
                                        0x40 + 3,                       /* behind movq: */
                                        0x0d,          6,               /* CFA: rbp + 16 */
                                        0x40 + 20,                      /* behind the code: */
                                        0x0c,          7,  8,    0xc6}; /* CFA: rsp + 8, rbp is the caller's */

  _Static_assert(offsetof(struct cn_jit_thunk_head, gone_code) == 16, "the first distance");
  _Static_assert(sizeof((struct cn_jit_thunk_head *)0)->gone_code == 1 + 3 + 20, "the last distance");
  cn_jit_thunk_fill_frames(frames, slab, bytes, cie, fde);
}

void cn_jit_thunk_write_head(struct cn_jit_thunk_head *head, uintptr_t slab, size_t bytes)
{
  static const unsigned char enter[16] = {0xff, 0x25, 34,   0,    0,    0, /* jmp *enter(%rip) */
                                          0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
  static const unsigned char gone[24] = {0x55,                            /* pushq %rbp */
                                         0x48, 0x89, 0xe5,                /* movq %rsp, %rbp */
                                         0x4c, 0x89, 0xd7,                /* movq %r10, %rdi */
                                         0x48, 0x83, 0xe4, 0xf0,          /* andq $-16, %rsp */
                                         0xff, 0x15, 15,   0,    0,    0, /* callq *gone(%rip) */
                                         0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};

  _Static_assert(offsetof(struct cn_jit_thunk_head, enter) == 34 + 6, "the distance in the code");
  _Static_assert(offsetof(struct cn_jit_thunk_head, gone) == 16 + 17 + 15, "the distance in the code");
  memcpy(head->enter_code, enter, sizeof enter);
  memcpy(head->gone_code, gone, sizeof gone);
  write_frames(&head->frames, slab, bytes);
}

void cn_jit_thunk_write(struct cn_jit_thunk *thunk, uintptr_t address, uintptr_t head)
{
  const unsigned char service[16] = {0x4c, 0x8d, 0x15,
                                     0xf9, 0xff, 0xff,
                                     0xff, /* leaq thunk(%rip), %r10 */
                                     0xff, 0x25, DISTANCE(service_code, service) - 13,
                                     0, /* jmp *service(%rip) */
                                     0,    0,    0xcc,
                                     0xcc, 0xcc};
  unsigned char prefix[16] = {0x4c, 0x8d, 0x1d, DISTANCE(prefix, body) - 7,
                              0,    0,    0, /* leaq body(%rip), %r11 */
                              0xe9, 0,    0,    0,
                              0, /* jmp enter_code */
                              0xcc, 0xcc, 0xcc, 0xcc};
  unsigned char entry[CAIRN_ABI_ENTRY_SIZE] = {0xf3, 0x0f,
                                               0x1e, 0xfa, /* endbr64 */
                                               0x64, 0x80,
                                               0x3c, 0x25,
                                               0,    0,
                                               0,    0,
                                               0, /* cmpb $0, %fs:STATE */
                                               0x75, (unsigned char)(0 - DISTANCE(prefix, entry) - 15), /* jne prefix */
                                               0x66, 0x0f,
                                               0x1f, 0x84,
                                               0,    0,
                                               0,    0,
                                               0};                           /* nop */
  static const unsigned char body[8] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc}; /* jmp *target(%rip) */
  int32_t state = (int32_t)(cairn_mutator_offset() + CAIRN_ABI_MUTATOR_STATE);
  int32_t enter = (int32_t)(head - (address + offsetof(struct cn_jit_thunk, prefix) + 12));

  _Static_assert(CAIRN_ABI_MANAGED == 0, "the entry compares the state with this number");
  memcpy(prefix + 8, &enter, sizeof enter);
  memcpy(entry + 8, &state, sizeof state);
  memcpy(thunk->service_code, service, sizeof service);
  memcpy(thunk->prefix, prefix, sizeof prefix);
  memcpy(thunk->entry, entry, sizeof entry);
  memcpy(thunk->body, body, sizeof body);
  thunk->mark = CAIRN_ABI_MANAGED_MARK;
}
