/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks over all objects, garbage included, for other parts of the runtime. Phase STOP, when all buffers have been
 * taken, or their gaps are known.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_OBJECT_WALK_H
#define CN_COLLECTORS_GENERATIONAL_OBJECT_WALK_H

#include <cairn/collector.h>

/* `ranges` of struct cairn_collector; free memory in blocks gets fillers. */
void cn_object_walk_visit_ranges(cairn_range_visitor *visit, void *env);

/* `forget` of struct cairn_collector. True: a young object may be among those that it marked. */
bool cn_object_walk_forget_layouts(const unsigned char *start, const unsigned char *stop);

#endif
