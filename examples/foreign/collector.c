/* SPDX-License-Identifier: Apache-2.0
 *
 * The code of language.ll has no barriers, so the program chooses a collector that needs none. At a
 * link by cairn-cc -fcairn-collector=semispace does so.
 */
#include <cairn/collector.h>

extern const struct cairn_collector *const cairn_collector_chosen;
const struct cairn_collector *const cairn_collector_chosen = &cairn_collector_semispace;
