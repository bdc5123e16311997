/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of patches: a module in memory with one function and its points, code of x86-64. After cmocka.h.
 */
#ifndef CN_TEST_PATCH_MODULE_H
#define CN_TEST_PATCH_MODULE_H

#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include <cairn/patch.h>
#include "framemap/framemap_format.h"
#include "framemap/points_format.h"
#include "patch/images.h"
#include "runtime/arch/arch.h"
#include "runtime/os/os.h"

enum { MODULE_SECTION_BYTES = 4 << 20 };

struct module {
  unsigned char *code;
  size_t code_bytes;
  struct cn_function_points points;
  struct cairn_image image;
};

/* Begin a module with `bytes` bytes of code, all of which are int3. */
static inline void module_begin(struct module *m, size_t bytes)
{
  size_t page = cn_os_page_bytes();

  *m = (struct module){.code_bytes = (bytes + page - 1) / page * page};
  m->code = mmap(NULL, m->code_bytes + MODULE_SECTION_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_ptr_not_equal(m->code, MAP_FAILED);
  memset(m->code, 0xcc, m->code_bytes);
}

/* Add a point; points are added in the order of their regions. */
static inline struct cn_map_point *module_point(struct module *m, uint32_t start, uint32_t length, uint64_t id,
                                                enum cn_point_kind kind)
{
  struct cn_map_point added = {.point = {.start = start, .length = length, .id = id, .kind = kind}};

  added.point.frame = (struct cn_safepoint){.cfa_reg = CN_DWARF_SP,
                                            .cfa_offset = 16,
                                            .saved = 1 << CN_RBX,
                                            .return_address_offset = CN_RETURN_ADDRESS_OFFSET};
  added.point.frame.saved_offset[CN_RBX] = CN_FIRST_PUSH_OFFSET;
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

/* A function at `offset` that returns the number, within near reach of the sites. */
static inline uintptr_t module_return(struct module *m, size_t offset, unsigned char number)
{
  const unsigned char code[] = {0xb8, number, 0, 0, 0, 0xc3};

  memcpy(m->code + offset, code, sizeof code);
  return (uintptr_t)m->code + offset;
}

/* Write nops and a return at `offset`: a function whose `length` bytes of nops are to be patched. */
static inline void module_site(struct module *m, size_t offset, size_t length)
{
  memset(m->code + offset, 0x90, length);
  m->code[offset + length] = 0xc3;
}

static inline int module_run(const struct module *m, size_t offset)
{
  int (*function)(void) = (int (*)(void))(uintptr_t)(m->code + offset);

  return function();
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

static inline void module_with_one_site(struct module *m)
{
  module_begin(m, 4096);
  module_site(m, 3, 5);
  module_point(m, 3, 5, 1, CN_POINT_PATCHPOINT);
  module_return(m, 0x100, 1);
  module_return(m, 0x110, 2);
  module_load(m);
}

#endif
