/* SPDX-License-Identifier: Apache-2.0
 *
 * The counts.
 */
#include "runtime/core/counts.h"

struct cn_stats cn_stats;
