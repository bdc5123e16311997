/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops the world on behalf of native code, and refuses callers that would wait for themselves or that others wait for.
 * Runs on the requester's thread, which may have no mutator, in phase MUTATE. The file has no state.
 */
#include "runtime/threads/stop.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/threads/handshake.h"

static struct cairn_mutator *own_mutator(void)
{
  return cairn_mutator.attached ? &cairn_mutator : NULL;
}

enum cn_native_stop_refusal cn_native_stop_check(void)
{
  if (cairn_mutator.stopped != NULL && cn_handshake_examined_mutator() == NULL)
    return CN_NATIVE_STOP_AT_EXIT;
  if ((cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) != 0)
    return CN_NATIVE_STOP_WITHOUT_SAFEPOINTS;
  if (cn_stop_is_own_stop())
    return CN_NATIVE_STOP_OWN;
  if (cairn_mutator.interruptions % 2 != 0)
    return CN_NATIVE_STOP_HANDLER;
  if (own_mutator() && cairn_mutator.state == CAIRN_ABI_MANAGED)
    return CN_NATIVE_STOP_LEAF;
  return CN_NATIVE_STOP_ALLOWED;
}

bool cn_native_stop_begin(void)
{
  if (!cn_stop_begin(own_mutator()))
    return false;
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  return true;
}

void cn_native_stop_end(void)
{
  cn_stop_end(own_mutator());
}
