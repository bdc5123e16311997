/* SPDX-License-Identifier: Apache-2.0
 *
 * Holds the counts.
 */
#include "runtime/core/counts.h"

struct cn_stats cn_stats;
