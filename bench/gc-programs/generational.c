/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked with a program of bench/gc, this has it collected by generations.
 */
#include <cairn/collector.h>

__attribute__((constructor(102))) static void use_generational(void)
{
  cairn_set_collector(&cairn_generational);
}
