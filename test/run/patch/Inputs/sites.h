/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs over the sites of sites.py: managed targets, and patches of single sites.
 */
#ifndef SITES_H
#define SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/assembler.h>
#include <cairn/cairn.h>
#include <cairn/patch.h>

/* The port: bytes of a site, of the smallest length of code, and of a managed function's entry; the register of far
 * calls. */
#if defined(__aarch64__)
enum { SITE_BYTES = 16, CODE_UNIT = 4, ENTRY_BYTES = 32, FAR_REGISTER = 16 };
#else
enum { SITE_BYTES = 13, CODE_UNIT = 1, ENTRY_BYTES = 24, FAR_REGISTER = 11 };
#endif

struct cell {
  long number;
  struct cell managed *next;
};

long run_sites(struct cell managed *object, long n);
long run_site(struct cell managed *object, long n, long k);
long leaf_one(const long *object, long n);
long leaf_two(const long *object, long n);
extern atomic_long objects_moved;

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static struct cell managed *make_cell(long number)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->number = number;
  return cell;
}

/* The callee of statepoints in the IR, which their nops do not call. */
long absent(struct cell managed *object, long n);
long absent(struct cell managed *object, long n)
{
  return object->number + n + 7;
}

/* Managed targets of statepoints: they allocate, and so collect under stress. */
static long call_one(struct cell managed *object, long n)
{
  object->next = make_cell(n);
  object->next->next = NULL;
  return object->number + n + 1;
}

static long call_two(struct cell managed *object, long n)
{
  object->next = make_cell(n);
  return object->number + object->next->number + 2;
}

/* Run site `k`: (last term of the patchpoint) << 32 | last term of the statepoint. */
static long check_site(long k)
{
  return run_site(make_cell(17), 4, k);
}

/* Add a patch to target 1 or 2 of a point. `far` selects the form that reaches each address, by way of a register. */
cairn_unmanaged static void add_target(struct cairn_patch *patch, const struct cairn_point *point, int target, bool far)
{
  bool leaf = point->kind == CAIRN_POINT_PATCHPOINT;
  uintptr_t leaf_address = (uintptr_t)(target == 1 ? leaf_one : leaf_two);
  uintptr_t address = leaf ? leaf_address : (uintptr_t)(target == 1 ? call_one : call_two);
  unsigned char bytes[SITE_BYTES];
  struct cairn_assembler code;

  if (!far) {
    EXPECT(cairn_patch_call(patch, point, address) == CAIRN_OK);
    return;
  }
  EXPECT(point->length == sizeof bytes);
  cairn_assembler_begin(&code, bytes, sizeof bytes, point->address);
  cairn_assemble_call_far(&code, address + (leaf ? 0 : ENTRY_BYTES), FAR_REGISTER); /* a managed function's body */
  EXPECT(cairn_assembler_end(&code) == CAIRN_OK);
  EXPECT(cairn_patch_add(patch, point, bytes, sizeof bytes) == CAIRN_OK);
}

cairn_unmanaged static struct cairn_point find_point(uint64_t id)
{
  struct cairn_point point;

  EXPECT(cairn_points_with_id(id, &point, 1) == 1);
  EXPECT(point.id == id);
  return point;
}

cairn_unmanaged static void commit(struct cairn_patch *patch)
{
  struct cairn_patch_failure failure;

  if (cairn_patch_commit(patch, &failure) == CAIRN_OK)
    return;
  fprintf(stderr, "%s at %lx\n", failure.text, (unsigned long)failure.address);
  abort();
}

/* Give all sites target 1, in one batch. */
cairn_unmanaged static void patch_all(uint64_t count)
{
  struct cairn_patch *patch = cairn_patch_begin();

  for (uint64_t k = 0; k < 2 * count; k++) {
    struct cairn_point point = find_point(k);
    add_target(patch, &point, 1, false);
  }
  commit(patch);
}

cairn_unmanaged static void patch_one(uint64_t id, int target, bool far)
{
  struct cairn_point point = find_point(id);
  struct cairn_patch *patch = cairn_patch_begin();

  add_target(patch, &point, target, far);
  commit(patch);
}

#endif
