/* SPDX-License-Identifier: Apache-2.0
 *
 * What is counted, always.
 */
#include "runtime/core/counts.h"

struct cn_stats cn_stats;
