/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of values in little memory: 16 steps for each power of two, so a quantile is off by 6 % at most.
 * Zero-initialised is empty.
 */
#ifndef CN_RUNTIME_LATENCY_VALUE_HISTOGRAM_H
#define CN_RUNTIME_LATENCY_VALUE_HISTOGRAM_H

#include <stdint.h>

enum { CN_HISTOGRAM_STEPS_PER_POWER = 16, CN_HISTOGRAM_BUCKETS = 64 * CN_HISTOGRAM_STEPS_PER_POWER };

struct cn_histogram {
  uint64_t total, maximum;
  uint64_t counts[CN_HISTOGRAM_BUCKETS];
};

void cn_histogram_add_value(struct cn_histogram *histogram, uint64_t value);

/* The least value that at least `thousandths` per mille of the values do not exceed, or a step less; 0 if there are
 * no values. 500 is the median. */
uint64_t cn_histogram_quantile(const struct cn_histogram *histogram, unsigned thousandths);

#endif
