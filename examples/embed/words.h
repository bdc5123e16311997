/* SPDX-License-Identifier: Apache-2.0
 *
 * A table that counts words, for callers in any language. The table and its words are managed objects; the caller has a
 * handle of the table, and frees it by words_free(). Each thread may use its own tables.
 */
#ifndef WORDS_H
#define WORDS_H

struct cairn_handle;

struct cairn_handle *words_new(void);
long words_add(struct cairn_handle *table, const char *word); /* returns the word's count */
long words_distinct(struct cairn_handle *table);
void words_free(struct cairn_handle *table);

#endif
