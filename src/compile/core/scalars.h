/* SPDX-License-Identifier: Apache-2.0
 *
 * Types as lists of scalars, for copies field by field. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_SCALARS_H
#define CN_COMPILE_CORE_SCALARS_H

#include "base/vector.h"
#include "compile/core/pass.h"

enum { CN_SCALARS_MOST = 32 }; /* longer lists are cut short, soon after this many */

struct cn_scalar {
  LLVMTypeRef type;
  uint64_t offset;
};
struct cn_scalars {
  CN_VECTOR(struct cn_scalar) list;
};

/* Split `type` into scalars. Bytes between the members of a union's type in the IR belong to another member, so they
 * are in the list, one by one; true padding is left out. */
void cn_scalars_of(struct cn_ctx *ctx, LLVMTypeRef type, struct cn_scalars *out);

#endif
