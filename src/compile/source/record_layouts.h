/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of C's structs and unions that are references, by the layouts that clang prints
 * (-fdump-record-layouts-canonical). They have address spaces. Debug information has none, and
 * lacks the tag of a reference whose `managed` comes from a typedef or from typeof.
 */
#ifndef CN_COMPILE_SOURCE_RECORD_LAYOUTS_H
#define CN_COMPILE_SOURCE_RECORD_LAYOUTS_H

#include "compile/core/pass.h"

struct cn_record_layouts;

/* Read clang's text: the records that have references. Lines of other kinds are passed over. */
struct cn_record_layouts *cn_record_layouts_read(const char *text);
/* Null is allowed. */
void cn_record_layouts_free(struct cn_record_layouts *layouts);

/* True if `member` of the struct or union `type` is a reference, or an array of references, by the
 * layouts of the context. Both are debug information. Records that look alike count as one. */
bool cn_record_layouts_reference(struct cn_ctx *ctx, LLVMMetadataRef type, LLVMMetadataRef member);

#endif
