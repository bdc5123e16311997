/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths of throws: finds the youngest activation whose call has a landing, and the callee-saved registers there. A
 * thread has some paths, and the place of a throw chooses one. A path has a step for each frame that its last throws
 * have left, in order. A throw compares the return addresses on the stack with the steps. A frame that the path
 * predicts takes no look-up, and its critical path is one addition. After a wrong prediction the path continues as it
 * did after the last equal step: throws that differ at one place, and recursion over several functions, repeat parts of
 * the path. If most predictions of a throw are wrong, the next throws look up each frame: a look-up takes longer than a
 * right prediction, and less than a wrong one.
 *
 * Runs on the thread that throws, in phase MUTATE, without a lock. Only that thread uses its paths, outside of signal
 * handlers. The file has no state.
 */
#include "runtime/walk/walk.h"

#include <string.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/os/os.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/return_barriers.h"

enum { PATHS = 4, PATH_STEPS = 2000, RESTART = PATH_STEPS / 2, RECENT_STEPS = 64, UNPREDICTED_THROWS = 32 };

/* A frame. The steps that end a series of regular frames have a bit in their pc, which then differs from all return
 * addresses. */
#define LANDING_BIT (UINT64_C(1) << 63) /* the call has a landing */
#define CHAINED_BIT (UINT64_C(1) << 62) /* the frame pointer gives the frame's end */
struct path_step {
  uint64_t pc; /* 0: there is no step */
  union {
    struct {
      uint32_t bytes; /* the frame's size, unless it is chained */
      uint16_t saved; /* bits of the saved registers */
      uint16_t shape; /* of the prologue */
    };
    struct cn_map_landing *landing;
  };
};

struct cn_landing_path {
  uint64_t generation;                      /* of the list of images; steps of another generation are useless */
  const struct path_step *landing;          /* the last throw's, if its frames repeat and were regular; or null */
  unsigned unpredicted;                     /* throws that look up each frame, up to the next that predicts */
  intptr_t distance[CN_CALLEE_SAVED_COUNT]; /* of the registers' places at the last landing, from the first pc's */
  uint16_t recent[RECENT_STEPS];            /* by entry, the step that was last found by a look-up; a guess */
  struct path_step steps[PATH_STEPS + 1];   /* the last one stays 0 */
};

/* An array of all paths of a thread. A path without throws takes one page. */
struct cn_landing_path *cn_landing_path_new(void)
{
  struct cn_landing_path *paths = cn_os_resize_mapping(NULL, 0, PATHS * sizeof *paths);

  for (int i = 0; paths != NULL && i < PATHS; i++)
    paths[i].generation = cn_image_list_generation();
  return paths;
}

void cn_landing_path_free(struct cn_landing_path *paths)
{
  if (paths != NULL)
    cn_os_free_mapping(paths, PATHS * sizeof *paths);
}

/* The path of throws whose call returns to the pc. */
static inline struct cn_landing_path *path_of(struct cn_landing_path *paths, uintptr_t pc)
{
  return &paths[(pc >> 3 ^ pc >> 6) % PATHS];
}

static __attribute__((noinline)) void forget_steps(struct cn_landing_path *path, uint64_t generation)
{
  CN_ASSERT(path->steps[PATH_STEPS].pc == 0);
  memset(path->steps, 0, sizeof path->steps);
  path->landing = NULL;
  path->generation = generation;
}

static struct path_step step_of(uint64_t key, uint64_t value)
{
  struct path_step step = {.pc = key >> CN_ENTRY_ADDRESS_SHIFT};

  if (key & CN_ENTRY_LANDING_BIT) {
    step.pc |= LANDING_BIT;
    step.landing = cn_map_landing(cn_entry_map_of(value));
    return step;
  }
  step.pc |= key & CN_ENTRY_CHAINED_BIT ? CHAINED_BIT : 0;
  step.bytes = (uint32_t)((key & CN_ENTRY_WORDS_MASK) * sizeof(uintptr_t));
  step.shape = value & CN_ENTRY_SHAPE_MASK;
  step.saved = (uint16_t)cn_arch_shape_registers(step.shape);
  return step;
}

/* Look up the frame's pc, after replacing a mark or a barrier, and fill `step`. Returns a step that is equal, and that
 * the next ones probably follow. Null: the frame needs the general walk. */
static __attribute__((noinline)) const struct path_step *find_step(struct cn_landing_path *path, struct cn_frame *frame,
                                                                   struct path_step *step)
{
  const struct cn_index *index = atomic_load_explicit(&cn_index_current, memory_order_acquire);
  const struct cn_index_entry *entry;
  uint64_t key;

  while ((entry = cn_index_find_entry(index, frame->pc, &key)) == NULL)
    if (!cn_marked_return_resolve_pc(frame) && !cn_return_barrier_resolve_pc(frame))
      return NULL;
  uint64_t value = atomic_load_explicit(&entry->value, memory_order_acquire);
  if (value == 0 || (key & (CN_ENTRY_SIZE_MASK | CN_ENTRY_LANDING_BIT)) == 0)
    return NULL;
  uint16_t *recent = &path->recent[(size_t)(entry - index->at) % RECENT_STEPS];
  const struct path_step *last = &path->steps[*recent];
  CN_ASSERT(step < &path->steps[PATH_STEPS] && last < &path->steps[PATH_STEPS]);
  *step = step_of(key, value);
  *recent = (uint16_t)(step - path->steps);
  return last->pc == step->pc ? last : step;
}

/* Note the places of the registers in `saved`, which steps before `step` have saved; the last one's frame ends at
 * `cfa`. A register's value is in the oldest frame that saved it. */
static inline void place_saved_registers(const struct path_step *step, uintptr_t cfa, unsigned saved, uintptr_t **place)
{
  CN_ASSERT(saved >> CN_CALLEE_SAVED_COUNT == 0);
  while (saved != 0) {
    step--;
    CN_ASSERT((step->pc & LANDING_BIT) == 0);
    for (unsigned now = (unsigned)step->saved & saved; now != 0; now &= now - 1) {
      int i = __builtin_ctz(now);
      place[i] = (uintptr_t *)(cfa + cn_arch_prologue_shapes[step->shape].offset[i]);
    }
    saved &= ~(unsigned)step->saved;
    cfa -= step->bytes;
  }
}

/* Where a throw has come to. */
struct cursor {
  const struct path_step *from; /* predicts the frame */
  struct path_step *to;         /* the frame's step */
  uintptr_t pc, sp;
  unsigned shape;    /* of the last frame's prologue; 0: the stub's, whose return address is in the last word */
  unsigned saved;    /* registers of regular frames whose places are still to be noted */
  unsigned wrong;    /* predictions */
  bool is_regular;   /* all frames so far are regular, and have steps */
  bool is_predicted; /* false: each frame is looked up */
};

static inline uintptr_t *slot_of(const struct cursor *c)
{
  return cn_arch_return_slot(c->sp, c->shape);
}

/* Leave a frame of `bytes` bytes. */
static inline void leave_frame(struct cursor *c, const struct path_step *step, uintptr_t bytes)
{
  c->sp += bytes;
  c->shape = step->shape;
  c->pc = cn_arch_strip_return(*slot_of(c));
}

/* Go on over regular frames that the path predicts. */
static inline struct cursor follow_steps(struct cursor c, const struct path_step *last)
{
  while (c.from->pc == c.pc && c.to != last) {
    if (c.to != c.from)
      *c.to = *c.from;
    c.to++;
    c.saved |= c.from->saved;
    leave_frame(&c, c.from, c.from->bytes);
    c.from++;
  }
  return c;
}

/* Go on over regular frames whose pcs are in the table. */
static inline struct cursor look_up_steps(struct cursor c, const struct path_step *last)
{
  const struct cn_index *index = atomic_load_explicit(&cn_index_current, memory_order_acquire);
  const struct cn_index_entry *entry;
  uint64_t key, value;

  for (; c.to != last && (entry = cn_index_find_entry(index, c.pc, &key)) != NULL; c.to++) {
    value = atomic_load_explicit(&entry->value, memory_order_acquire);
    if (value == 0 || (key & CN_ENTRY_WORDS_MASK) == 0 || (key & (CN_ENTRY_LANDING_BIT | CN_ENTRY_CHAINED_BIT)) != 0)
      break;
    *c.to = step_of(key, value);
    c.saved |= c.to->saved;
    leave_frame(&c, c.to, c.to->bytes);
  }
  CN_ASSERT(c.to <= last);
  c.from = c.to;
  return c;
}

/* Go on over a frame whose end the frame pointer gives. False: the end is outside of the stack. */
static bool step_over_chained(struct cursor *c, const struct cn_frame *frame, uintptr_t end)
{
  uintptr_t cfa = *frame->place[CN_ARCH_FRAME_POINTER] + cn_arch_frame_record_bytes(c->from->shape);

  CN_ASSERT(c->from->pc == (c->pc | CHAINED_BIT));
  if (cfa <= c->sp || cfa > end || cfa % sizeof cfa != 0)
    return false;
  leave_frame(c, c->from, cfa - c->sp);
  c->is_regular = false;
  c->saved = c->from->saved;
  *c->to++ = *c->from++;
  return true;
}

/* Set the step of a frame after a wrong prediction, or at the end of the path. False: the frame needs the general
 * walk. */
static bool correct_path(struct cn_landing_path *path, struct cursor *c, struct cn_frame *frame)
{
  CN_ASSERT(c->to <= &path->steps[PATH_STEPS]);
  if (c->to == &path->steps[PATH_STEPS]) {
    place_saved_registers(c->to, c->sp, c->saved, frame->place);
    c->saved = 0;
    c->is_regular = false;
    c->to = &path->steps[RESTART];
  }
  if ((c->from->pc & ~(LANDING_BIT | CHAINED_BIT)) == c->pc)
    return true;
  c->wrong += c->from->pc != 0;
  frame->pc = c->pc;
  frame->pc_slot = slot_of(c);
  c->from = find_step(path, frame, c->to);
  c->pc = frame->pc;
  return c->from != NULL;
}

/* Go on to the landing. False: a frame needs the general walk. */
static bool find_landing(struct cn_landing_path *path, struct cursor *c, struct cn_frame *frame)
{
  const struct path_step *last = &path->steps[PATH_STEPS];
  uintptr_t end = cairn_mutator.stack_end;

  for (;;) {
    if (c->sp > end)
      return false;
    if ((c->from->pc != (c->pc | LANDING_BIT) || c->to == last) && !correct_path(path, c, frame))
      return false;
    if (c->from->pc != c->pc) {
      place_saved_registers(c->to, c->sp, c->saved, frame->place);
      c->saved = 0;
      if (c->from->pc & LANDING_BIT)
        return true;
      if (!step_over_chained(c, frame, end))
        return false;
    }
    *c = c->is_predicted ? follow_steps(*c, last) : look_up_steps(*c, last);
  }
}

/* Like find_landing(), from the first frame on, and notes the registers' places. If all frames are regular, the next
 * throw over the same ones has the same distances. */
static __attribute__((noinline)) bool find_landing_and_places(struct cn_landing_path *path, struct cursor *c,
                                                              const struct cn_saved_regs *regs)
{
  const struct path_step *last = &path->steps[PATH_STEPS];
  struct cn_frame frame;

  *c = (struct cursor){.from = path->steps,
                       .to = path->steps,
                       .pc = regs->pc,
                       .sp = cn_arch_sp_after(regs),
                       .is_regular = true,
                       .is_predicted = path->unpredicted == 0};
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    frame.place[i] = (uintptr_t *)&regs->gpr[cn_arch_callee_saved[i]];
  path->landing = NULL;
  *c = c->is_predicted ? follow_steps(*c, last) : look_up_steps(*c, last);
  if (!find_landing(path, c, &frame))
    return false;
  CN_ASSERT(c->from->pc == (c->pc | LANDING_BIT) && c->to < last);
  if (c->to != c->from)
    *c->to = *c->from;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    path->distance[i] = (char *)frame.place[i] - (char *)&regs->pc;
  if (!c->is_predicted)
    path->unpredicted--;
  else if (2 * c->wrong > (size_t)(c->to - path->steps))
    path->unpredicted = UNPREDICTED_THROWS;
  else
    path->landing = c->is_regular ? c->to : NULL;
  return true;
}

bool cn_landing_path_follow(struct cn_landing_path *paths, const struct cn_saved_regs *regs,
                            uintptr_t saved[CN_CALLEE_SAVED_COUNT], struct cn_landing_activation *out)
{
  struct cn_landing_path *path = path_of(paths, regs->pc);
  uint64_t generation = cn_image_list_generation();
  struct cursor c = {.from = path->steps, .pc = regs->pc, .sp = cn_arch_sp_after(regs)};

  CN_ASSERT(cairn_mutator.attached && cairn_mutator.state == CAIRN_ABI_MANAGED && !cn_thread_is_in_handler());
  if (path->generation != generation)
    forget_steps(path, generation);
  if (path->landing != NULL)
    for (; c.from->pc == c.pc; c.from++) /* the last step, whose pc is 0, ends the loop */
      leave_frame(&c, c.from, c.from->bytes);
  if (c.from != path->landing || c.from->pc != (c.pc | LANDING_BIT)) {
    struct cursor found; /* `c` stays in registers */
    if (!find_landing_and_places(path, &found, regs))
      return false;
    c = found;
  }
  *out = (struct cn_landing_activation){c.pc, c.sp, slot_of(&c), c.from->landing};
#pragma GCC unroll 16
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    saved[i] = *(const uintptr_t *)((const char *)&regs->pc + path->distance[i]);
  CN_ASSERT(out->sp <= cairn_mutator.stack_end);
  return true;
}
