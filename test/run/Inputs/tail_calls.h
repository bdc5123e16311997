/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two units of test/run/calls/tail_calls.c share.
 */
#include <cairn/cairn.h>

struct cell {
  long value;
};

typedef long swap_function(struct cell managed *a, struct cell managed *b, long left);
typedef long machine_function(long left, long state, struct cell managed *cell);
extern swap_function *volatile back;
extern machine_function *volatile machine_back;
extern struct cell managed *kept;

long even(long left, struct cell managed *cell);
long odd(long left, struct cell managed *cell);
struct cell managed *renew(struct cell managed *cell);
swap_function other_swap;
long bounce(long left, struct cell managed *cell);
long bounce_kept(long left);
cairn_unmanaged long bounce_native(long left);
machine_function machine_a, machine_b, machine_c;
