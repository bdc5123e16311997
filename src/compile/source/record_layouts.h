/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the references among the members of structs and unions in the layouts that clang prints
 * (-fdump-record-layouts-canonical). The printed layouts show address spaces, which debug information omits. Debug
 * information also omits the tag of a reference whose `managed` comes from a typedef or from typeof.
 */
#ifndef CN_COMPILE_SOURCE_RECORD_LAYOUTS_H
#define CN_COMPILE_SOURCE_RECORD_LAYOUTS_H

#include "compile/core/pass.h"

struct cn_record_layouts;

/* Read the records with references from clang's text. Lines of other kinds are skipped. */
struct cn_record_layouts *cn_record_layouts_read(const char *text);
/* Null is allowed. */
void cn_record_layouts_free(struct cn_record_layouts *layouts);

/* True if the printed layouts show `member` of the struct or union `type` as a reference or an array of references.
 * `type` and `member` are debug information. Records that look alike count as one record. */
bool cn_record_layouts_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type, LLVMMetadataRef member);

#endif
