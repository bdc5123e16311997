/* SPDX-License-Identifier: Apache-2.0
 *
 * Types as lists of scalars, for copies field by field, and the sizes of scalars. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_SCALARS_H
#define CN_COMPILE_CORE_SCALARS_H

#include "base/vector.h"
#include "compile/core/pass.h"

enum { CN_SCALARS_MOST = 32 }; /* longer lists are cut soon after this length */

struct cn_scalar {
  LLVMTypeRef type;
  uint64_t offset;
};
struct cn_scalars {
  CN_VECTOR(struct cn_scalar) list;
};

/* Split `type` into scalars. In the IR type of a union, bytes between the members belong to another member of the
 * union, so the list has them as single bytes. The list omits padding. */
void cn_scalars_of(struct cn_ctx *ctx, LLVMTypeRef type, struct cn_scalars *out);

/* The bits of a scalar of type `type`, without padding. 0: the size is target-specific, or the type is no scalar. */
unsigned cn_scalar_bits(LLVMTypeRef type);

#endif
