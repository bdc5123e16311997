/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of C's structs and unions that are references, by the layouts that clang prints
 * (-fdump-record-layouts-canonical). These have address spaces. Debug information lacks address spaces, and it lacks
 * the tag of a reference whose `managed` comes from a typedef or from typeof.
 */
#ifndef CN_COMPILE_SOURCE_RECORD_LAYOUTS_H
#define CN_COMPILE_SOURCE_RECORD_LAYOUTS_H

#include "compile/core/pass.h"

struct cn_record_layouts;

/* Read the records that have references from clang's text. Lines of other kinds are skipped. */
struct cn_record_layouts *cn_record_layouts_read(const char *text);
/* Null is allowed. */
void cn_record_layouts_free(struct cn_record_layouts *layouts);

/* True if `member` of the struct or union `type` is a reference, or an array of references, by the layouts of the
 * context. Both are debug information. Records that look alike count as one. */
bool cn_record_layouts_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type, LLVMMetadataRef member);

#endif
