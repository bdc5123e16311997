/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes and metadata about memory, calls and references that a moving collector makes false. Because of such
 * attributes, LLVM could move or repeat an access over a safepoint, with the old address. The table is in
 * invalid_attributes.c. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_INVALID_ATTRIBUTES_H
#define CN_COMPILE_ANALYSIS_INVALID_ATTRIBUTES_H

#include "compile/core/pass.h"

/* The places of invalid attributes; the passes remove the attributes there. */
enum cn_promise_place {
  CN_AT_MANAGED_FUNCTION = 1 << 0,       /* a managed function */
  CN_AT_COLLECTING_CALL = 1 << 1,        /* a call that may collect garbage */
  CN_AT_LEAF_DECLARATION = 1 << 2,       /* a declaration with references, whose calls may be leaves */
  CN_AT_REFERENCE = 1 << 3,              /* a reference that is a parameter, argument or result there */
  CN_AT_UNMANAGED_POINTER = 1 << 4,      /* a native pointer given to a call that may collect garbage */
  CN_AT_ACCESS_METADATA = 1 << 5,        /* metadata of an access to references or through references */
  CN_AT_MEMORY_MARKER = 1 << 6,          /* a call of the intrinsic about memory that may hold references */
  CN_AT_GLOBAL_WITH_REFERENCES = 1 << 7, /* a global that holds references */
  CN_LETS_ACCESS_MOVE = 1 << 8,          /* it alone lets LLVM move an access, so verify-safepoints checks it too */
};

struct cn_invalid_attribute {
  const char *name;
  unsigned at; /* of enum cn_promise_place */
};

extern const struct cn_invalid_attribute cn_invalid_attributes[];
extern const unsigned cn_invalid_attribute_count;

/* True if the lists of invalid_attributes.c have the attribute `kind`. */
bool cn_is_judged_attribute(unsigned kind);
bool cn_is_judged_metadata(const char *name);
/* A bit for each of LLVM's own kinds of metadata that is missing from the lists. */
uint64_t cn_unjudged_metadata_kinds(LLVMContextRef llvm);

/* True if `access` reads or writes references, memory behind references, or a range that may hold references. Always
 * true for a statepoint. */
bool cn_access_touches_references(LLVMValueRef access);
/* True if the access has the metadata of this row, in an invalid form. */
bool cn_access_has_invalid_attribute(struct cn_ctx *ctx, LLVMValueRef access,
                                     const struct cn_invalid_attribute *promise);
/* True for a constant global that may hold a reference to an object that moves. */
bool cn_is_constant_root(LLVMValueRef global);
/* True if all references in a constant are null, or addresses of globals, which never move. */
bool cn_constant_holds_no_movable_reference(LLVMValueRef constant);

#endif
