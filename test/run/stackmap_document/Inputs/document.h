/* SPDX-License-Identifier: Apache-2.0
 *
 * For programs that patch the points of the document's examples: looks points up, writes patches, reads values. A
 * failed expectation ends the program.
 */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <cairn/assembler.h>
#include <cairn/cairn.h>
#include <cairn/patch.h>
#include <cairn/patch_stub.h>

/* The port: bytes of the document's regions of 15 bytes, since instructions of AArch64 have 4 bytes; the registers of a
 * first argument and of a result, of the frame pointer and of the stack pointer; the flags that comparisons set; and if
 * patchpoints may have targets. */
#if defined(__aarch64__)
enum { REGION_BYTES = 16, ARGUMENT = 0, RESULT = 0, FRAME_POINTER = 29, STACK_POINTER = 31, HAS_TARGETS = 0 };
static const uint64_t condition_flags = 0xf0000000;
#else
enum { REGION_BYTES = 15, ARGUMENT = 5, RESULT = 0, FRAME_POINTER = 6, STACK_POINTER = 7, HAS_TARGETS = 1 };
static const uint64_t condition_flags = 0xd5;
#endif

struct cell {
  long value;
  struct cell managed *next;
};

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static struct cell managed *make_cell(long value)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = value;
  return cell;
}

/* The only point with the id. */
cairn_unmanaged static struct cairn_point find_point(uint64_t id)
{
  struct cairn_point point;

  EXPECT(cairn_points_with_id(id, &point, 1) == 1);
  return point;
}

cairn_unmanaged static struct cairn_point_value value_of(const struct cairn_point *point, uint32_t index)
{
  struct cairn_point_value value;

  EXPECT(cairn_point_read_value(point, index, &value) == CAIRN_OK);
  return value;
}

cairn_unmanaged static uint64_t read_state(struct cairn_point_state *state, const struct cairn_point *point,
                                           uint32_t index)
{
  struct cairn_point_value value = value_of(point, index);
  uint64_t word;

  EXPECT(cairn_point_state_read(state, &value, &word) == CAIRN_OK);
  return word;
}

cairn_unmanaged static void commit(struct cairn_patch *patch)
{
  struct cairn_patch_failure failure;

  if (cairn_patch_commit(patch, &failure) == CAIRN_OK)
    return;
  fprintf(stderr, "%s at %lx\n", failure.text, (unsigned long)failure.address);
  abort();
}

cairn_unmanaged static void restore(uint64_t id)
{
  struct cairn_point point = find_point(id);
  struct cairn_patch *patch = cairn_patch_begin();

  EXPECT(cairn_patch_restore(patch, &point) == CAIRN_OK);
  commit(patch);
}

cairn_unmanaged static void patch_call(uint64_t id, uintptr_t target)
{
  struct cairn_point point = find_point(id);
  struct cairn_patch *patch = cairn_patch_begin();

  EXPECT(cairn_patch_call(patch, &point, target) == CAIRN_OK);
  commit(patch);
}

/* The address of a new stub for the point. */
cairn_unmanaged static uintptr_t make_stub(cairn_point_handler *handler, void *data, const struct cairn_point *point)
{
  struct cairn_patch_stub *stub;

  EXPECT(cairn_patch_stub_new(handler, data, point->address, &stub) == CAIRN_OK);
  return cairn_patch_stub_address(stub);
}

#endif
