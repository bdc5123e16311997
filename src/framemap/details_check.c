/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the source places, deopt values and spans of a function's safepoints (struct cn_function_details) against the
 * invariant in details_format.h. Debug builds of the tools run the check before the struct is written. The check
 * changes and prints nothing, and returns the fault as text. All state is local.
 */
#include "framemap/details_format.h"

static const char *place_wrong(const struct cn_deopt_value *v)
{
  switch (v->kind) {
  case CN_DEOPT_CONSTANT:
    return v->loc.is_register || v->loc.reg || v->loc.offset ? "details: a constant has a place" : NULL;
  case CN_DEOPT_ADDRESS:
    return v->loc.is_register ? "details: an address is in a register" : NULL;
  case CN_DEOPT_REGISTER_AT_CALL:
    return v->loc.is_register ? NULL : "details: a value of the call is in memory";
  case CN_DEOPT_VALUE:
    return v->loc.is_register && v->loc.offset ? "details: a register has an offset" : NULL;
  }
  return "details: a deopt value is of no kind";
}

static const char *deopt_wrong(const struct cn_deopt_value *v)
{
  const char *wrong = place_wrong(v);

  if (!wrong)
    wrong = cn_deopt_type_wrong(v);
  if (!wrong && v->constant != cn_deopt_mask_constant(v->constant, v->bits))
    wrong = "details: a constant has bits above its width";
  return wrong;
}

static const char *detail_wrong(const struct cn_safepoint_details *d)
{
  const char *wrong = NULL;

  if (d->sources.count > CN_MAX_VIRTUAL_FRAMES)
    return "details: a safepoint has too many virtual frames";
  for (size_t i = 0; i < d->sources.count; i++)
    if (!d->sources.at[i].function)
      return "details: a virtual frame has no name";
  for (size_t i = 0; !wrong && i < d->deopts.count; i++)
    wrong = deopt_wrong(&d->deopts.at[i]);
  return wrong;
}

const char *cn_function_details_wrong(const struct cn_function_details *f)
{
  const char *wrong = NULL;

  for (size_t i = 0; !wrong && i < f->details.count; i++) {
    const struct cn_safepoint_details *d = &f->details.at[i];
    if (d->return_offset == 0 || d->return_offset > f->code_size)
      return "details: a return address lies outside the function";
    if (i && d[-1].return_offset >= d->return_offset)
      return "details: the return addresses do not ascend";
    wrong = detail_wrong(d);
  }
  return wrong;
}
