/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts values in little memory: 16 buckets for each power of two, so that the error of a quantile is at most 6 %. A
 * zero-initialised histogram is empty.
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

/* The quantile for `thousandths` per mille of the values, rounded down to a bucket's start; 0 if there are no values.
 * The quantile for 500 is the median. */
uint64_t cn_histogram_quantile(const struct cn_histogram *histogram, unsigned thousandths);

#endif
