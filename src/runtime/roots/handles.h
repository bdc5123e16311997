/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles (<cairn/handle.h>), as roots.
 */
#ifndef CN_RUNTIME_ROOTS_HANDLES_H
#define CN_RUNTIME_ROOTS_HANDLES_H

#include <cairn/collector.h>

/* Visit the slot of each handle; returns how many there are. Phase STOP. */
uint64_t cn_handles_visit(cairn_root_visitor *visit, void *env);

#endif
