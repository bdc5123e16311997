/* SPDX-License-Identifier: Apache-2.0
 *
 * Explaining a fault on memory that a collection moved objects away from, or below the stack.
 */
#ifndef CN_RUNTIME_FAULT_H
#define CN_RUNTIME_FAULT_H

/* Install the handler, on a stack of its own. A fault that is not ours goes to whoever handled it
 * before. Once; later calls do nothing. */
void cn_fault_install(void);

#endif
