/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks over all objects, garbage included, for other parts of the runtime. Phase STOP, when all allocation buffers
 * have been taken, or the runtime knows their free parts.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_OBJECT_WALK_H
#define CN_COLLECTORS_GENERATIONAL_OBJECT_WALK_H

#include <cairn/collector.h>

/* `ranges` of struct cairn_collector; puts fillers into free memory in blocks. */
void cn_object_walk_visit_ranges(cairn_range_visitor *visit, void *env);

/* Part of `forget` of struct cairn_collector. Returns true if a young object may have lost its layout. */
bool cn_object_walk_forget_layouts(const unsigned char *start, const unsigned char *stop);

#endif
