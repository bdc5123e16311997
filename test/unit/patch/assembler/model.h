/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port's model of the assembler: the text of each instruction, as LLVM's disassembler prints it, or
 * the reasons to refuse the instruction; and tests that differ between the ports.
 */
#ifndef CN_TEST_PATCH_ASSEMBLER_MODEL_H
#define CN_TEST_PATCH_ASSEMBLER_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/assembler.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 131, TEXT_BYTES = 500, LONGEST = 32, UNTOUCHED = 0xcc };
enum operation {
  MOVE,
  CONSTANT,
  LOAD,
  STORE,
  ADDRESS,
  COMPARE,
  COMPARE_CONSTANT,
  COMPARE_MEMORY,
  COMPARE_MEMORY_CONSTANT,
  JUMP_REGISTER,
  CALL_REGISTER,
  JUMP_MEMORY,
  CALL_MEMORY,
  JUMP,
  CALL,
  JUMP_IF,
  OPERATIONS
};
struct operands {
  unsigned reg, other, bytes;
  int64_t offset;
  uint64_t value;
};

uint64_t draw(void);

/* ---- the port's ---- */

extern const char model_options[];     /* of the disassembler */
extern const char model_comment[];     /* begins a comment of the disassembler */
extern const unsigned model_alignment; /* of addresses and targets */

bool model_is_general(unsigned reg);

/* The text of the `length` bytes of code, one line for each instruction, without a line's end at the last one. */
void model_describe(char *text, enum operation operation, const struct operands *with, uint64_t address, size_t length);

/* True if the operation may fail with the status at this address. */
bool model_may_fail(enum operation operation, const struct operands *with, uint64_t address, enum cairn_status status);

int64_t model_draw_offset(void);
uint64_t model_draw_target(uint64_t address);

void model_borders(void **state);
void model_far_branches(void **state);
void model_forward_jumps(void **state);
void model_nops(void **state);
void model_long_nops(void **state);

/* ---- the disassembler ---- */

struct listing {
  char bytes[32], text[32]; /* names of files */
  FILE *bytes_file, *text_file;
  size_t count; /* of lines of text */
};

void open_listing(struct listing *listing);

/* Add code and its text. */
void list(struct listing *listing, const unsigned char *bytes, size_t length, const char *text);

/* Compare the texts with the disassembler's, and remove the files. */
void compare_listing(struct listing *listing);

#endif
