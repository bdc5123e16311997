/* SPDX-License-Identifier: Apache-2.0
 *
 * A fatal message names the function of the call, also if the call is the function's last instruction, so that the
 * return address is that of the next function.
 */
// RUN: %cairn-cc -O1 -I%root/include %s %S/Inputs/last_call_%{machine}.s -o %t && not --crash %t 2>&1 | FileCheck %s
// CHECK: cairn: fatal: thread {{[0-9]+}}, pc 0x{{[0-9a-f]+}} (misuses+0x{{8|c}}): (nil) is no handle, or has been freed
#include <cairn/cairn.h>
#include <cairn/handle.h>

cairn_native void misuses(void);

int main(void)
{
  misuses();
  return 0;
}
