/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarators as tokens: the stars, brackets and parameter lists around a declared name, from the outermost part of the
 * type to the innermost.
 */
#ifndef CN_MIGRATE_DECLARATOR_H
#define CN_MIGRATE_DECLARATOR_H

#include "migrate/source.h"

enum cn_part_kind { CN_PART_STAR, CN_PART_BRACKETS, CN_PART_CALL };

struct cn_part {
  enum cn_part_kind kind;
  uint32_t token, end; /* the first and the last token */
};

struct cn_declarator {
  CN_VECTOR(struct cn_part) parts;
  uint32_t begin, end; /* tokens: the first of the declarator, and the one after it */
  uint32_t name;       /* token; of an abstract declarator, the place for a name */
};

/* Reads the declarator around the name at the token `name`. The caller frees `parts`. */
struct cn_declarator cn_declarator_of_name(const struct cn_source *source, uint32_t name);
/* Reads the declarator without a name among the tokens [begin, end), which begin with specifiers. */
struct cn_declarator cn_declarator_without_name(const struct cn_source *source, uint32_t begin, uint32_t end);
/* The token after the specifiers that begin at the token `begin`. */
uint32_t cn_declarator_after_specifiers(const struct cn_source *source, uint32_t begin, uint32_t end);

#endif
