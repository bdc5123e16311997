/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots with tags of the language's own.
 */
#ifndef CN_RUNTIME_ROOTS_USER_ROOTS_H
#define CN_RUNTIME_ROOTS_USER_ROOTS_H

#include <stdbool.h>
#include <cairn/collector.h>

/* Has the program given a handler by cairn_set_user_roots()? If so, call it. Phase STOP. */
bool cn_user_roots_any(void);
void cn_user_roots_visit(uintptr_t *slot, unsigned tag, void *parameter, cairn_root_visitor *visit, void *env);

#endif
