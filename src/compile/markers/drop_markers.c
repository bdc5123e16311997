/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass drop-markers: deletes the markers of spans, roots by tag and safepoint-free regions. Needs: all passes that use
 * markers have run. Provides: a module free of markers. Breaks: nothing.
 */
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"
#include "compile/markers/spans.h"

bool cn_drop_span_and_root_markers(struct cn_ctx *ctx)
{
  static const char *const names[] = {CN_SPAN_BEGIN, CN_SPAN_END, CN_USER_ROOT};

  cn_spans_check_markers(ctx);
  cn_user_roots_check_marker(ctx);
  if (ctx->errors)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(ctx->module, names[i]);
    if (!function)
      continue;
    cn_markers_erase(function);
  }
  return true;
}

bool cn_drop_markers(struct cn_ctx *ctx)
{
  cn_library_calls_rename(ctx);
  return cn_nopoll_drop_markers(ctx) && cn_drop_span_and_root_markers(ctx);
}
