/* SPDX-License-Identifier: Apache-2.0
 *
 * Code aliases: ranges of code pages with a second, writable mapping of the same memory. An alias is made over the code
 * of an image, or declared by a program with its own mappings (cairn_code_alias_add()).
 */
#ifndef CN_PATCH_ALIAS_H
#define CN_PATCH_ALIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>

/* Memory of aliases is used for aliases only, so a stale pointer is safe to read under the lock: `number` tells whether
 * the alias is still there. */
struct cn_code_alias {
  uint64_t number;            /* unique over time; 0: the alias is gone */
  uintptr_t start, end;       /* whole pages of code */
  char *writable;             /* the second mapping of these pages */
  bool is_own;                /* made by cn_code_alias_get(); the program owns the others */
  bool is_shared;             /* another process shares the memory: patches would change its code */
  int copy;                   /* during a fork(): the file with the child's copy, or -1 */
  struct cn_code_alias *next; /* in the list of aliases, or of unused memory */
};

/* The functions below are called under CN_LOCK_PATCH. */

/* The first alias found that has a part of [start, end), or null. */
struct cn_code_alias *cn_code_alias_find(uintptr_t start, uintptr_t end);

/* Find the alias that contains [start, end), or make an alias over the pages of the range. CODE, OVERLAP (the range
 * lies only partly in an alias), MEMORY; then the code is unchanged. `*error` is the errno of a system call, or 0. */
enum cairn_status cn_code_alias_get(uintptr_t start, uintptr_t end, struct cn_code_alias **alias, int *error);

/* Unmap the writable mapping of an own alias, whose code is about to go, and free the alias. */
void cn_code_alias_drop(struct cn_code_alias *alias);

/* A number that grows whenever an image or an alias goes, and at a fork(): sites have to be found again. */
uint64_t cn_code_alias_removals(void);
void cn_code_alias_note_removal(void);

/* The place in the writable mapping for code at `address`. */
static inline char *cn_code_alias_at(const struct cn_code_alias *alias, uintptr_t address)
{
  return alias->writable + (address - alias->start);
}

/* ---- fork(): called by the forking thread, which holds signals ---- */

/* Before the fork(), after the world has stopped, if the thread may stop it: take CN_LOCK_PATCH and copy the memory of
 * all aliases for the child. */
void cn_code_alias_prepare_fork(void);
void cn_code_alias_finish_fork(void);
/* In the child: map the copies. In a child made without handlers of fork() there are no copies yet. */
void cn_code_alias_reset_in_child(void);

#endif
