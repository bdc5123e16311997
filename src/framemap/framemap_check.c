/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a function's frame map (struct cn_map_function) against the invariant in framemap_format.h, and checks that
 * its bytes decode to the same facts. Debug builds of the tools run the checks when a model is complete and when it is
 * written. The checks change and print nothing, and return the fault as text. All state is local.
 */
#include <cairn/abi.h>
#include "base/sorted.h"
#include "framemap/framemap_format.h"

/* ---- the model ---- */

static bool is_register_saved(const struct cn_safepoint *f, unsigned reg)
{
  return reg < CN_SAVED_MAX && (f->saved >> reg & 1);
}

/* True if the base register belongs to the frame: the stack pointer, or a register whose caller's value is saved. */
bool cn_framemap_is_frame_base(const struct cn_frame_port *port, const struct cn_safepoint *f, unsigned dwarf)
{
  return cn_port_is_sp(port, dwarf) || (cn_port_base_index_of(port, dwarf) < CN_PORT_BASE_COUNT &&
                                        is_register_saved(f, cn_port_tracked_index_of(port, dwarf)));
}

/* True for the offset of a word in the frame, below the words that the call pushed. */
static bool is_word_of_frame(const struct cn_frame_port *port, const struct cn_safepoint *f, int32_t offset)
{
  return offset <= -8 - port->pushed_bytes && offset % 8 == 0 &&
         !(cn_port_is_sp(port, f->cfa_reg) && offset < -f->cfa_offset);
}

static const char *return_address_wrong(const struct cn_frame_port *port, const struct cn_safepoint *f)
{
  int32_t offset = f->return_address_offset;

  if (port->has_link_register ? !is_word_of_frame(port, f, offset) : offset != -port->pushed_bytes)
    return "frame map: a return address lies outside its place";
  for (unsigned r = 0; r < port->saved_count; r++)
    if (is_register_saved(f, r) && f->saved_offset[r] == offset)
      return "frame map: a register is saved in the place of the return address";
  return NULL;
}

const char *cn_framemap_frame_wrong(const struct cn_frame_port *port, const struct cn_safepoint *f)
{
  if (!cn_framemap_is_frame_base(port, f, f->cfa_reg))
    return "frame map: a frame address is not based on a base of the frame";
  if (f->cfa_offset < 8 || f->cfa_offset % 8)
    return "frame map: a frame address is not above its base";
  if (f->saved >> port->saved_count)
    return "frame map: a register is saved that is not callee-saved";
  for (unsigned r = 0; r < port->saved_count; r++) {
    if (!is_register_saved(f, r))
      continue;
    if (!is_word_of_frame(port, f, f->saved_offset[r]))
      return "frame map: a register is saved outside the frame";
    for (unsigned other = 0; other < r; other++)
      if (is_register_saved(f, other) && f->saved_offset[other] == f->saved_offset[r])
        return "frame map: two registers are saved in one place";
  }
  return return_address_wrong(port, f);
}

/* True if `size` bytes at reg + offset lie between the stack pointer and the return address, outside the saved
 * registers, or if the model does not give the register's target. */
static bool lies_in_frame(const struct cn_frame_port *port, const struct cn_safepoint *f, unsigned reg, int64_t offset,
                          int64_t size)
{
  if (cn_port_is_sp(port, reg) && offset < 0)
    return false;
  if (reg != f->cfa_reg)
    return true;
  int64_t from = offset - f->cfa_offset, to = from + size;
  if (to > -port->pushed_bytes || (from < f->return_address_offset + 8 && to > f->return_address_offset))
    return false;
  for (unsigned r = 0; r < port->saved_count; r++)
    if (is_register_saved(f, r) && from < f->saved_offset[r] + 8 && to > f->saved_offset[r])
      return false;
  return true;
}

static const char *place_wrong(const struct cn_frame_port *port, const struct cn_safepoint *f,
                               struct cn_frame_place loc)
{
  if (loc.is_register && (loc.reg > port->last_general || cn_port_is_lost_over_every_call(port, loc.reg)))
    return "frame map: a reference is in a register that no call preserves";
  if (loc.is_register)
    return loc.reg == f->cfa_reg ? "frame map: a reference is in the base of the frame address" : NULL;
  if (!cn_framemap_is_frame_base(port, f, loc.reg))
    return "frame map: a slot is not based on a base of the frame";
  if (loc.offset % 8)
    return "frame map: a slot is not aligned";
  return lies_in_frame(port, f, loc.reg, loc.offset, 8) ? NULL : "frame map: a slot lies outside the frame";
}

/* True if the place is the place of one of the first `bases` roots, which ascend. */
static bool is_place_of_base(const struct cn_map_safepoint *s, uint32_t bases, struct cn_frame_place place)
{
  uint32_t low = 0;

  CN_BISECT(low, bases, middle, cn_frame_place_compare(s->roots[middle].base, place) < 0);
  return low < bases && cn_frame_place_compare(s->roots[low].base, place) == 0;
}

static const char *root_wrong(const struct cn_frame_port *port, const struct cn_map_safepoint *s, uint32_t i,
                              uint32_t bases)
{
  const struct cn_root *root = &s->roots[i];
  const char *wrong = place_wrong(port, &s->frame, root->base);

  if (!wrong)
    wrong = place_wrong(port, &s->frame, root->derived);
  if (wrong)
    return wrong;
  if (i && i != bases && cn_frame_place_compare(root[-1].derived, root->derived) >= 0)
    return "frame map: the places of roots do not ascend";
  if (!root->is_derived)
    return cn_frame_place_compare(root->base, root->derived) == 0 ? NULL : "frame map: a base has two places";
  if (!is_place_of_base(s, bases, root->base))
    return "frame map: the base of a derived reference is not listed";
  return is_place_of_base(s, bases, root->derived) ? "frame map: a place is a base's and derived" : NULL;
}

static const char *roots_wrong(const struct cn_frame_port *port, const struct cn_map_safepoint *s)
{
  const char *wrong = NULL;
  uint32_t bases = 0;

  while (bases < s->frame.roots && !s->roots[bases].is_derived)
    bases++;
  for (uint32_t i = bases; i < s->frame.roots; i++)
    if (!s->roots[i].is_derived)
      return "frame map: a base comes after a derived reference";
  for (uint32_t i = 0; !wrong && i < s->frame.roots; i++)
    wrong = root_wrong(port, s, i, bases);
  return wrong;
}

static const char *area_wrong(const struct cn_frame_port *port, const struct cn_safepoint *f,
                              const struct cn_described_area *a)
{
  if (!cn_framemap_is_frame_base(port, f, a->reg))
    return "frame map: an area is not based on a base of the frame";
  if (a->ref_offset)
    return "frame map: an area does not start at its first reference";
  if (a->tag ? a->tag < CAIRN_ABI_ROOT_USER : a->parameter != 0)
    return "frame map: an area has a tag or a parameter of nobody";
  if (!a->count || (a->count > 1 && a->stride < 8))
    return "frame map: the references of an area share bytes";
  if (a->stride > INT32_MAX || a->count - 1 > INT32_MAX / (a->stride ? a->stride : 1))
    return "frame map: an area is larger than a frame";
  return lies_in_frame(port, f, a->reg, a->offset, (int64_t)((a->count - 1) * a->stride + 8))
             ? NULL
             : "frame map: an area lies outside the frame";
}

static const char *landing_wrong(const struct cn_landing *landing, uint32_t code_size)
{
  if (landing->pad == 0)
    return landing->selector || landing->popped ? "frame map: a call has the facts of a landing pad without one" : NULL;
  if (landing->barred)
    return "frame map: a barred call has a landing pad";
  if (landing->pad >= code_size)
    return "frame map: a landing pad lies outside the function";
  return landing->selector > INT32_MAX || landing->popped > INT32_MAX || landing->popped % 8
             ? "frame map: a landing pad has a strange selector or strange arguments"
             : NULL;
}

static const char *safepoint_wrong(const struct cn_frame_port *port, const struct cn_map_safepoint *s,
                                   uint32_t code_size)
{
  const char *wrong = cn_framemap_frame_wrong(port, &s->frame);

  if (!wrong)
    wrong = landing_wrong(&s->frame.landing, code_size);
  if (!wrong)
    wrong = roots_wrong(port, s);
  for (uint32_t i = 0; !wrong && i < s->frame.areas; i++)
    wrong = area_wrong(port, &s->frame, &s->areas[i]);
  return wrong;
}

/* Both lists ascend. */
static const char *regions_wrong(const struct cn_map_function *f)
{
  size_t s = 0;

  for (size_t i = 0; i < f->points.points.count; i++) {
    const struct cn_point *p = &f->points.points.at[i].point;
    while (s < f->safepoints.count && f->safepoints.at[s].return_offset <= p->start)
      s++;
    if (s < f->safepoints.count && f->safepoints.at[s].return_offset < p->start + p->length)
      return "frame map: a return address lies within the region of a point";
  }
  return NULL;
}

const char *cn_map_function_wrong(const struct cn_map_function *f)
{
  const char *wrong = NULL;

  if (!f->port)
    return "frame map: a function has no port";
  if (f->safepoints.count > CN_FRAMEMAP_MAX_SAFEPOINTS)
    return "frame map: a function has too many safepoints";
  for (size_t i = 0; !wrong && i < f->safepoints.count; i++) {
    const struct cn_map_safepoint *s = &f->safepoints.at[i];
    if (s->return_offset == 0 || s->return_offset > f->code_size)
      return "frame map: a return address lies outside the function";
    if (i && s[-1].return_offset >= s->return_offset)
      return "frame map: the return addresses do not ascend";
    wrong = safepoint_wrong(f->port, s, f->code_size);
  }
  if (wrong || !f->points.points.count)
    return wrong;
  if (f->points.port != f->port)
    return "frame map: points are of another port";
  if (f->points.code_size != f->code_size)
    return "frame map: points are of a function of another size";
  wrong = cn_function_points_wrong(&f->points);
  return wrong ? wrong : regions_wrong(f);
}

/* ---- its bytes ---- */

bool cn_framemap_is_same_frame(const struct cn_frame_port *port, const struct cn_safepoint *a,
                               const struct cn_safepoint *b)
{
  bool same = a->cfa_reg == b->cfa_reg && a->cfa_offset == b->cfa_offset && a->saved == b->saved &&
              a->return_address_offset == b->return_address_offset;

  for (unsigned r = 0; same && r < port->saved_count; r++)
    same = !is_register_saved(a, r) || a->saved_offset[r] == b->saved_offset[r];
  return same;
}

static bool is_same_safepoint(const struct cn_frame_port *port, const struct cn_safepoint *a,
                              const struct cn_safepoint *b)
{
  return cn_framemap_is_same_frame(port, a, b) && a->id == b->id && a->roots == b->roots && a->areas == b->areas &&
         a->landing.pad == b->landing.pad && a->landing.selector == b->landing.selector &&
         a->landing.popped == b->landing.popped && a->landing.barred == b->landing.barred;
}

static bool is_same_root(const struct cn_root *a, const struct cn_root *b)
{
  return a->is_derived == b->is_derived && cn_frame_place_compare(a->base, b->base) == 0 &&
         cn_frame_place_compare(a->derived, b->derived) == 0;
}

static bool is_same_area(const struct cn_described_area *a, const struct cn_described_area *b)
{
  return a->reg == b->reg && a->offset == b->offset && a->tag == b->tag && a->count == b->count &&
         a->stride == b->stride && a->parameter == b->parameter;
}

static bool reads_back_as_written(const struct cn_framemap_function *read, uint32_t index,
                                  const struct cn_map_safepoint *want)
{
  struct cn_safepoint s;
  struct cn_root root;
  struct cn_described_area area;
  uint32_t offset;

  if (cn_framemap_read_return_offset(read, index, &offset) || offset != want->return_offset ||
      cn_framemap_read_safepoint(read, index, &s) || !is_same_safepoint(read->port, &want->frame, &s))
    return false;
  for (uint32_t i = 0; i < want->frame.roots; i++)
    if (cn_framemap_next_root(&s, &root) || !is_same_root(&want->roots[i], &root))
      return false;
  for (uint32_t i = 0; i < want->frame.areas; i++)
    if (cn_framemap_next_area(&s, &area) || !is_same_area(&want->areas[i], &area))
      return false;
  return true;
}

const char *cn_framemap_encoding_wrong(const unsigned char *bytes, size_t length, const struct cn_map_function *f)
{
  const unsigned char *cursor = bytes;
  struct cn_framemap_function read;

  if (cn_framemap_next_function(f->port, &cursor, bytes + length, &read) || cursor != bytes + length)
    return "frame map: the bytes are not one function's";
  if (read.code_size != f->code_size || read.safepoints != f->safepoints.count || read.no_barriers != f->no_barriers)
    return "frame map: the bytes have another header";
  for (uint32_t i = 0; i < read.safepoints; i++)
    if (!reads_back_as_written(&read, i, &f->safepoints.at[i]))
      return "frame map: the bytes say something else of a safepoint";
  return NULL;
}
