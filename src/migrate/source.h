/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of one source file, its tokens, and the edits that the migration makes. Positions are byte offsets.
 */
#ifndef CN_MIGRATE_SOURCE_H
#define CN_MIGRATE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/vector.h"

enum cn_token_kind { CN_TOKEN_WORD, CN_TOKEN_NUMBER, CN_TOKEN_TEXT, CN_TOKEN_MARK };

/* A token of C outside of preprocessor directives. Each punctuation character is one token. */
struct cn_token {
  uint32_t at, length;
  enum cn_token_kind kind;
};

/* Replaces the bytes [begin, end) by `text`. */
struct cn_edit {
  uint32_t begin, end;
  char *text;
  size_t order; /* of insertions at one place: the order of their calls */
};

/* A preprocessor directive: the offset of its '#', and of the byte after its last line. */
struct cn_directive {
  uint32_t at, end;
};

struct cn_source {
  char *path;
  char *text; /* ends in a zero */
  uint32_t size;
  CN_VECTOR(struct cn_token) tokens;
  CN_VECTOR(struct cn_directive) directives;
  CN_VECTOR(struct cn_edit) edits;
  CN_VECTOR(uint32_t) lines; /* the offset of each line */
};

enum { CN_NO_TOKEN = UINT32_MAX };

/* Reads a file and its tokens. Null if the file is unreadable or larger than 1 GiB; errno has the reason. The caller
 * frees the result with cn_source_free(). */
struct cn_source *cn_source_read(const char *path);
void cn_source_free(struct cn_source *source);

/* The index of the first token at or after the offset; the number of tokens at the end. */
uint32_t cn_source_token_from(const struct cn_source *source, uint32_t offset);
/* The index of the token that begins at the offset, or CN_NO_TOKEN. */
uint32_t cn_source_token_at(const struct cn_source *source, uint32_t offset);
/* True if the token with the index exists and is `text`. */
bool cn_source_token_is(const struct cn_source *source, uint32_t index, const char *text);
/* The index of the bracket that matches the bracket at `index`, or CN_NO_TOKEN. */
uint32_t cn_source_match_forwards(const struct cn_source *source, uint32_t index);
uint32_t cn_source_match_backwards(const struct cn_source *source, uint32_t index);

/* The line of an offset, from 1 on. */
uint32_t cn_source_line_of(const struct cn_source *source, uint32_t offset);
/* A copy of the bytes [begin, end), which the caller frees. */
char *cn_source_copy(const struct cn_source *source, uint32_t begin, uint32_t end);

/* Adds an edit; takes `text`. An equal edit at the same place is dropped. */
void cn_source_edit(struct cn_source *source, uint32_t begin, uint32_t end, char *text);
/* Adds an edit that removes [begin, end), with its line if the line is otherwise empty. */
void cn_source_remove(struct cn_source *source, uint32_t begin, uint32_t end);
/* Sorts the edits, and drops edits within other edits. Call after the last edit. */
void cn_source_settle_edits(struct cn_source *source);
/* The bytes [begin, end) with the settled edits between; the caller frees the text. */
char *cn_source_edited(const struct cn_source *source, uint32_t begin, uint32_t end);

/* diff.c: prints the settled edits as a unified diff. Returns the number of changed lines, which are the removed or the
 * added lines of each place, whichever are more; a null `out` only counts. */
size_t cn_source_diff(const struct cn_source *source, FILE *out);

#endif
