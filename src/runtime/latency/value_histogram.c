/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts values in histograms whose buckets grow with the value, and finds quantiles. The caller owns the histogram and
 * serialises the calls. Runs on any thread, in any phase.
 */
#include "runtime/latency/latency.h"

#include <stddef.h>
#include "base/check.h"

/* Each value below 16 has a bucket. For greater values the highest bit and the next four bits choose the bucket. */
static size_t bucket_index_of(uint64_t value)
{
  if (value < CN_HISTOGRAM_STEPS_PER_POWER)
    return (size_t)value;
  unsigned power = 63u - (unsigned)__builtin_clzll(value);
  return (size_t)(power - 3) * CN_HISTOGRAM_STEPS_PER_POWER + (size_t)(value >> (power - 4) & 15);
}

static uint64_t least_value_of_bucket(size_t index)
{
  if (index < CN_HISTOGRAM_STEPS_PER_POWER)
    return index;
  return (uint64_t)(CN_HISTOGRAM_STEPS_PER_POWER + index % CN_HISTOGRAM_STEPS_PER_POWER)
         << (index / CN_HISTOGRAM_STEPS_PER_POWER - 1);
}

void cn_histogram_add_value(struct cn_histogram *histogram, uint64_t value)
{
  size_t index = bucket_index_of(value);

  CN_ASSERT(index < CN_HISTOGRAM_BUCKETS && least_value_of_bucket(index) <= value);
  histogram->total++;
  histogram->counts[index]++;
  if (value > histogram->maximum)
    histogram->maximum = value;
}

uint64_t cn_histogram_quantile(const struct cn_histogram *histogram, unsigned thousandths)
{
  uint64_t below = 0;

  CN_ASSERT(thousandths <= 1000);
  for (size_t i = 0; i < CN_HISTOGRAM_BUCKETS; i++) {
    below += histogram->counts[i];
    if (below != 0 && 1000 * below >= thousandths * histogram->total)
      return least_value_of_bucket(i);
  }
  return 0;
}
