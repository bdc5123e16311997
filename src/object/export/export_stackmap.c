/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes frame maps as an LLVM stack map of version 3, for runtimes that read statepoints: each safepoint is a record
 * with three constants (calling convention, flags, number of deopt values, all 0), then a pair of locations, base and
 * derived reference, for each root. References in areas are pairs, too. The deopt state is left out. The address of a
 * function is a word that the linker or loader fills in. Changes only struct cn_export.
 */
#include "object/export/export.h"

#include <stdlib.h>
#include <cairn/stackmap.h>
#include "base/check.h"
#include "object/elf/elf_parts.h"

enum { STATEPOINT_CONSTANTS = 3, REFERENCE_SIZE = 8 };

/* The map, as the encoder takes it. */
struct stackmap_lists {
  CN_VECTOR(struct cairn_stackmap_function) functions;
  CN_VECTOR(struct cairn_stackmap_record_model) records;
  CN_VECTOR(struct cairn_stackmap_location) locations;
};

static struct cairn_stackmap_location location_of(struct cn_frame_place place)
{
  return (struct cairn_stackmap_location){.kind = place.is_register ? CAIRN_STACKMAP_REGISTER : CAIRN_STACKMAP_INDIRECT,
                                          .size = REFERENCE_SIZE,
                                          .reg = place.reg,
                                          .offset = place.is_register ? 0 : place.offset};
}

static int add_pair(void *env, const struct cn_root *root)
{
  struct stackmap_lists *lists = env;

  cn_push(&lists->locations, location_of(root->base));
  cn_push(&lists->locations, location_of(root->derived));
  return 0;
}

/* Add the record of a safepoint. Its locations are found later, because the list of locations still moves. */
static int add_record(struct cn_export *export, struct stackmap_lists *lists, struct cn_export_safepoint *safepoint)
{
  size_t first = lists->locations.count;

  for (unsigned i = 0; i < STATEPOINT_CONSTANTS; i++)
    cn_push(&lists->locations,
            (struct cairn_stackmap_location){.kind = CAIRN_STACKMAP_CONSTANT, .size = REFERENCE_SIZE});
  if (cn_export_visit_roots(export, safepoint, add_pair, lists))
    return -1;
  size_t count = lists->locations.count - first;
  if (count > UINT16_MAX)
    return cn_export_refuse(export, safepoint, "the frame has too many references for a stack map");
  cn_push(&lists->records,
          (struct cairn_stackmap_record_model){.record = {.id = safepoint->frame.id,
                                                          .instruction_offset = safepoint->return_offset,
                                                          .locations = (uint16_t)count}});
  return 0;
}

/* The bytes of the frame without a return address that the call pushed. LLVM counts the frame without the words that a
 * call in it pushes: the least of all safepoints. */
static uint64_t stack_size_of(const struct cn_frames_function *function)
{
  uint64_t least = CAIRN_STACKMAP_UNKNOWN_SIZE;

  for (uint32_t i = 0; i < function->map.safepoints; i++) {
    struct cn_export_safepoint s = cn_export_read_safepoint(function, i);
    const struct cn_frame_port *port = function->map.port;
    if (!cn_port_is_sp(port, s.frame.cfa_reg) || s.frame.cfa_offset < port->pushed_bytes)
      return CAIRN_STACKMAP_UNKNOWN_SIZE;
    uint64_t size = (uint64_t)s.frame.cfa_offset - port->pushed_bytes;
    least = size < least ? size : least;
  }
  return least;
}

static int add_function(struct cn_export *export, struct stackmap_lists *lists,
                        const struct cn_frames_function *function)
{
  cn_push(&lists->functions,
          (struct cairn_stackmap_function){.stack_size = stack_size_of(function), .records = function->map.safepoints});
  for (uint32_t i = 0; i < function->map.safepoints; i++) {
    struct cn_export_safepoint safepoint = cn_export_read_safepoint(function, i);
    if (add_record(export, lists, &safepoint))
      return -1;
  }
  return 0;
}

/* Encode the lists, and note the places of the functions' addresses. */
static void encode_lists(struct cn_export *export, struct stackmap_lists *lists)
{
  struct cairn_stackmap_model model = {.version = 3,
                                       .functions = (uint32_t)lists->functions.count,
                                       .records = (uint32_t)lists->records.count,
                                       .function = lists->functions.at,
                                       .record = lists->records.at};
  struct cairn_stackmap map;
  size_t length = 0, next = 0;

  for (size_t i = 0; i < lists->records.count; i++) {
    lists->records.at[i].location = lists->locations.at + next;
    next += lists->records.at[i].record.locations;
  }
  CN_CHECK(next == lists->locations.count);
  cairn_stackmap_write(&model, NULL, 0, &length, NULL);
  unsigned char *bytes = cn_alloc(length);
  CN_CHECK(length && cairn_stackmap_write(&model, bytes, length, &length, NULL) == CAIRN_OK);
  CN_CHECK(cairn_stackmap_open(bytes, length, &map, NULL) == CAIRN_OK);
  CN_CHECK(map.length == length && map.functions == export->view.functions.count);
  cn_bytes_append(&export->bytes, bytes, length);
  for (uint32_t i = 0; i < map.functions; i++)
    cn_push(&export->addresses, (struct cn_export_address){.at = cairn_stackmap_function(&map, i).offset,
                                                           .function = &export->view.functions.at[i]});
  free(bytes);
}

int cn_export_write_stackmap(struct cn_export *export)
{
  struct stackmap_lists lists = {0};
  int status = 0;

  CN_CHECK(export->bytes.count == 0);
  if (cn_elf_find_section(&export->view.elf, ".llvm_stackmaps", 0))
    return CN_FAIL(export->error, "the object already has a section .llvm_stackmaps");
  for (size_t i = 0; i < export->view.functions.count && !status; i++)
    status = add_function(export, &lists, &export->view.functions.at[i]);
  if (!status)
    encode_lists(export, &lists);
  cn_free(&lists.functions);
  cn_free(&lists.records);
  cn_free(&lists.locations);
  return status;
}
