/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits roots with the language's own tags.
 */
#ifndef CN_RUNTIME_ROOTS_USER_ROOTS_H
#define CN_RUNTIME_ROOTS_USER_ROOTS_H

#include <stdbool.h>
#include <cairn/collector.h>

/* cn_user_roots_have_handler() is true if the program has set a handler by cairn_set_user_roots();
 * cn_user_roots_visit() calls the handler. Phase STOP. */
bool cn_user_roots_have_handler(void);
void cn_user_roots_visit(uintptr_t *slot, unsigned tag, void *parameter, cairn_root_visitor *visit, void *env);

#endif
