/* SPDX-License-Identifier: Apache-2.0
 *
 * Remembers LLVM's numbers for names of attributes, intrinsics and its own kinds of metadata. The numbers are constants
 * of the library. But a query compares the name with all names of LLVM, and passes query for every call. Each thread
 * has its caches, the only state of this file. Needs, breaks: nothing. Provides: cn_attribute_kind(),
 * cn_intrinsic_id(), cn_metadata_kind(), cn_fixed_metadata_kind_count().
 */
#include "compile/core/emitted_names.h"

#include <string.h>
#include "base/check.h"

enum { ID_CACHE_CELLS = 256 }; /* a power of two */

/* A cached number. The key is the address of the name, because the name is a literal that lives as long as the process.
 */
struct id_cache_cell {
  const char *name;
  unsigned number;
};

static struct id_cache_cell *id_cache_cell_of(struct id_cache_cell *cells, const char *name)
{
  uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;

  return &cells[hash >> 56 & (ID_CACHE_CELLS - 1)];
}

unsigned cn_attribute_kind(const char *name)
{
  static _Thread_local struct id_cache_cell cells[ID_CACHE_CELLS];
  struct id_cache_cell *cell = id_cache_cell_of(cells, name);

  if (cell->name != name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    CN_CHECK(kind != 0);
    *cell = (struct id_cache_cell){name, kind};
  }
  return cell->number;
}

unsigned cn_intrinsic_id(const char *name)
{
  static _Thread_local struct id_cache_cell cells[ID_CACHE_CELLS];
  struct id_cache_cell *cell = id_cache_cell_of(cells, name);

  if (cell->name != name)
    *cell = (struct id_cache_cell){name, LLVMLookupIntrinsicID(name, strlen(name))};
  return cell->number;
}

unsigned cn_fixed_metadata_kind_count(void)
{
  static _Thread_local unsigned count;
  static const char other[] = "cairn.other";

  if (count == 0) { /* the first new kind of a context gets the next number */
    LLVMContextRef fresh = LLVMContextCreate();
    count = LLVMGetMDKindIDInContext(fresh, other, sizeof other - 1);
    LLVMContextDispose(fresh);
    CN_CHECK(count > 0 && count < 64);
  }
  return count;
}

unsigned cn_metadata_kind(struct cn_ctx *ctx, const char *name)
{
  static _Thread_local struct id_cache_cell cells[ID_CACHE_CELLS];
  struct id_cache_cell *cell = id_cache_cell_of(cells, name);

  if (cell->name != name)
    *cell = (struct id_cache_cell){name, LLVMGetMDKindIDInContext(ctx->llvm, name, (unsigned)strlen(name))};
  return cell->number;
}
