/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of patches: a module in memory with one function and its points. After cmocka.h.
 */
#ifndef CN_TEST_PATCH_MODULE_H
#define CN_TEST_PATCH_MODULE_H

#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/assembler.h>
#include <cairn/patch.h>
#include "framemap/framemap_format.h"
#include "framemap/points_format.h"
#include "patch/images.h"
#include "patch/machine.h"
#include "runtime/arch/arch.h"
#include "runtime/os/os.h"

enum { MODULE_SECTION_BYTES = 4 << 20 };
enum { RESULT = 0 }; /* the register of a function's result */

/* The port: the alignment of code; bytes of a call and of a far call; the register that frames of points save; the
 * stops that the change of a call in two words needs; the registers of a first argument and of the first vector; how a
 * site ends, and how it is run with a first argument. */
#if defined(__aarch64__)
enum { CODE_UNIT = 4, CALL_BYTES = 4, FAR_CALL_BYTES = 16, SAVED_REGISTER = CN_X19, SPLIT_CALL_STOPS = 0 };
enum { RETURN_ADDRESS_OFFSET = -8, SAVED_OFFSET = -16, ARGUMENT = 0, FIRST_VECTOR = CN_DWARF_V0 };

/* A call changes x30, so that a site finds its return address at SP + 8. */
static inline void write_return(unsigned char *at)
{
  static const uint32_t code[] = {0xf94007fe, 0xd65f03c0}; /* ldr x30, [sp, #8]; ret */

  memcpy(at, code, sizeof code);
}

/* The target of the near branch that is the last instruction before `end`. */
static inline uintptr_t branch_target(uintptr_t end)
{
  uint32_t word;

  memcpy(&word, (const void *)(end - sizeof word), sizeof word);
  return end - sizeof word + (uintptr_t)((intptr_t)((uint64_t)word << 38) >> 36);
}

static inline uint64_t run_site(uintptr_t site, uint64_t argument)
{
  register uint64_t result __asm__("x0") = argument;
  register uint64_t at __asm__("x1") = site;

  __asm__ volatile("sub sp, sp, #16\n\t"
                   "adr x16, 1f\n\t"
                   "str x16, [sp, #8]\n\t"
                   "blr x1\n"
                   "1: add sp, sp, #16"
                   : "+r"(result), "+r"(at)
                   :
                   : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                     "x17", "x18", "x30", "cc", "memory");
  return result;
}
#else
enum { CODE_UNIT = 1, CALL_BYTES = 5, FAR_CALL_BYTES = 13, SAVED_REGISTER = CN_RBX, SPLIT_CALL_STOPS = 1 };
enum { RETURN_ADDRESS_OFFSET = CN_RETURN_ADDRESS_OFFSET, SAVED_OFFSET = CN_FIRST_PUSH_OFFSET };
enum { ARGUMENT = 5, FIRST_VECTOR = 17 };

static inline void write_return(unsigned char *at)
{
  *at = 0xc3;
}

static inline uintptr_t branch_target(uintptr_t end)
{
  int32_t distance;

  memcpy(&distance, (const void *)(end - sizeof distance), sizeof distance);
  return end + (uintptr_t)(intptr_t)distance;
}

static inline uint64_t run_site(uintptr_t site, uint64_t argument)
{
  return ((uint64_t (*)(uint64_t))site)(argument);
}
#endif

struct module {
  unsigned char *code;
  size_t code_bytes;
  struct cn_function_points points;
  struct cairn_image image;
};

/* Begin a module with `bytes` bytes of code, which is invalid up to now, at `address` if it is not 0. */
static inline void module_begin_at(struct module *m, size_t bytes, uintptr_t address)
{
  size_t page = cn_os_page_bytes();

  *m = (struct module){.code_bytes = (bytes + page - 1) / page * page};
  m->code = mmap((void *)address, m->code_bytes + MODULE_SECTION_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  assert_ptr_not_equal(m->code, MAP_FAILED);
  memset(m->code, 0xcc, m->code_bytes);
}

static inline void module_begin(struct module *m, size_t bytes)
{
  module_begin_at(m, bytes, 0);
}

/* Add a point; points are added in the order of their regions. */
static inline struct cn_map_point *module_point(struct module *m, uint32_t start, uint32_t length, uint64_t id,
                                                enum cn_point_kind kind)
{
  struct cn_map_point added = {.point = {.start = start, .length = length, .id = id, .kind = kind}};

  added.point.frame = (struct cn_safepoint){.cfa_reg = CN_DWARF_SP,
                                            .cfa_offset = 16,
                                            .saved = 1 << SAVED_REGISTER,
                                            .return_address_offset = RETURN_ADDRESS_OFFSET};
  added.point.frame.saved_offset[SAVED_REGISTER] = SAVED_OFFSET;
  cn_push(&m->points.points, added);
  return &m->points.points.at[m->points.points.count - 1];
}

static inline void module_write_section(struct module *m)
{
  struct cn_bytes bytes = {0};
  unsigned char *section = m->code + m->code_bytes;

  m->points.port = CN_ARCH_FRAME_PORT;
  m->points.code_size = (uint32_t)m->code_bytes;
  assert_null(cn_function_points_wrong(&m->points));
  cn_points_append_function(&bytes, &m->points);
  assert_true(bytes.count <= MODULE_SECTION_BYTES);
  memcpy(section, bytes.at, bytes.count);
  int32_t distance = (int32_t)(m->code - (section + CN_POINTS_ENTRY_OFFSET));
  memcpy(section + CN_POINTS_ENTRY_OFFSET, &distance, sizeof distance);
  m->image = (struct cairn_image){.points_start = section, .points_stop = section + bytes.count};
  cn_free(&bytes);
}

/* Make the code executable, and register the module. */
static inline void module_load(struct module *m)
{
  module_write_section(m);
  assert_int_equal(mprotect(m->code, m->code_bytes, PROT_READ | PROT_EXEC), 0);
  cn_patch_note_image(&m->image);
}

static inline void module_unload(struct module *m)
{
  cn_patch_forget_image(&m->image);
  munmap(m->code, m->code_bytes + MODULE_SECTION_BYTES);
  cn_function_points_free(&m->points);
}

/* Write a function at `offset` that returns the number, within near reach of the sites. */
static inline uintptr_t module_return(struct module *m, size_t offset, unsigned char number)
{
  enum { FUNCTION_BYTES = 12 };
  struct cairn_assembler code;

  cairn_assembler_begin(&code, m->code + offset, FUNCTION_BYTES, (uintptr_t)m->code + offset);
  cairn_assemble_constant(&code, RESULT, number, 4);
  assert_int_equal(cairn_assemble_return(&code), CAIRN_OK);
  return (uintptr_t)m->code + offset;
}

/* Write nops and a return at `offset`: a function whose `length` bytes of nops are to be patched. */
static inline void module_site(struct module *m, size_t offset, size_t length)
{
  assert_int_equal(cn_machine_fill_nops(m->code + offset, length), CAIRN_OK);
  write_return(m->code + offset + length);
}

static inline int module_run(const struct module *m, size_t offset)
{
  return (int)run_site((uintptr_t)m->code + offset, 0);
}

/* True if the site at `offset` is unpatched. */
static inline bool module_has_nops(const struct module *m, size_t offset)
{
  return cn_machine_is_nops(m->code + offset, CALL_BYTES);
}

static inline struct cairn_point module_point_at(const struct module *m, size_t offset)
{
  struct cairn_point point;

  assert_int_equal(cairn_point_at((uintptr_t)m->code + offset, &point), CAIRN_OK);
  return point;
}

static inline enum cairn_status module_commit(struct cairn_patch *patch)
{
  struct cairn_patch_failure failure;
  enum cairn_status status = cairn_patch_commit(patch, &failure);

  assert_int_equal(failure.status, status);
  assert_true((failure.text[0] != 0) == (status != CAIRN_OK));
  return status;
}

static inline enum cairn_status module_call(const struct module *m, size_t offset, uintptr_t target)
{
  struct cairn_point point = module_point_at(m, offset);
  struct cairn_patch *patch = cairn_patch_begin();

  cairn_patch_call(patch, &point, target);
  return module_commit(patch);
}

enum { SITE = 8, RETURNS_1 = 0x100, RETURNS_2 = 0x110 };

/* A site whose call one store may change. */
static inline void module_with_one_site(struct module *m)
{
  module_begin(m, 4096);
  module_site(m, SITE, CALL_BYTES);
  module_point(m, SITE, CALL_BYTES, 1, CN_POINT_PATCHPOINT);
  module_return(m, RETURNS_1, 1);
  module_return(m, RETURNS_2, 2);
  module_load(m);
}

#endif
