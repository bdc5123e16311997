/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes values of points in the registers that a stub has stored, and in memory that these registers point
 * to. Called by handlers, on managed threads; the file has no state. The machine is little-endian.
 */
#include <cairn/patch_stub.h>

#include <string.h>
#include "patch/stub_machine.h"

unsigned char *cairn_point_state_vector(struct cairn_point_state *state, unsigned reg)
{
  unsigned char number;

  return cn_stub_machine_find_vector(reg, &number) && number < state->vector_count ? state->vector[number] : NULL;
}

/* The place of the value; null: the value has no place, or the register is not stored. */
static void *find_place(struct cairn_point_state *state, const struct cairn_point_value *value)
{
  if (value->place == CAIRN_POINT_MEMORY && value->reg < CAIRN_POINT_GENERAL_COUNT)
    return (void *)(state->general[value->reg] + (uint64_t)(int64_t)value->offset);
  if (value->place != CAIRN_POINT_REGISTER)
    return NULL;
  return value->reg < CAIRN_POINT_GENERAL_COUNT ? (void *)&state->general[value->reg]
                                                : cairn_point_state_vector(state, value->reg);
}

static size_t bytes_of(const struct cairn_point_value *value)
{
  return (value->bits + 7u) / 8;
}

static uint64_t lowest_bits(uint64_t word, unsigned bits)
{
  return bits < 64 ? word & (((uint64_t)1 << bits) - 1) : word;
}

enum cairn_status cairn_point_state_read(struct cairn_point_state *state, const struct cairn_point_value *value,
                                         uint64_t *word)
{
  const void *place = find_place(state, value);
  uint64_t read = value->constant;

  if (value->place == CAIRN_POINT_ADDRESS && value->reg < CAIRN_POINT_GENERAL_COUNT)
    read = state->general[value->reg] + (uint64_t)(int64_t)value->offset;
  else if (place != NULL)
    memcpy(&read, place, bytes_of(value));
  else if (value->place != CAIRN_POINT_CONSTANT)
    return CAIRN_E_REGISTER;
  *word = lowest_bits(read, value->bits);
  return CAIRN_OK;
}

enum cairn_status cairn_point_state_write(struct cairn_point_state *state, const struct cairn_point_value *value,
                                          uint64_t word)
{
  void *place = find_place(state, value);

  if (value->place == CAIRN_POINT_CONSTANT || value->place == CAIRN_POINT_ADDRESS)
    return CAIRN_E_BOUNDS;
  if (place == NULL)
    return CAIRN_E_REGISTER;
  memcpy(place, &word, bytes_of(value));
  return CAIRN_OK;
}
