/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with the sites of sites.py.
 */
#include "sites.h"

void library_patch(int target);
long library_check(long k);

cairn_unmanaged void library_patch(int target)
{
  patch_all(4);
  patch_one(1, target, target == 2);
  patch_one(4 + 1, target, false);
}

long library_check(long k)
{
  return check_site(k);
}
