/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds cycles of blocks that may run for long between safepoints (docs/architecture.md, invariant 5). Needs: struct
 * cn_function_work. Provides: cn_work_find_unpolled_cycles(), which calls `found` for each cycle. Breaks: nothing.
 *
 * The search ignores blocks with a safepoint on all their paths, and back edges of loops that do little work between
 * safepoints. The rest of the function must be acyclic.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/cost/cost.h"

struct cycle_walk {
  const struct cn_function_work *work;
  uint64_t limit;
  cn_unpolled_cycle_callback *found;
  void *env;
  uint8_t *state; /* per block: 0 unseen, 1 on the stack, 2 done or with a safepoint on all paths */
  struct walk_step {
    uint32_t block, next; /* index of the successor to visit next */
  } *stack;
  uint32_t depth;
};

/* True if this edge is a back edge of a loop that runs only for a short time. */
static bool closes_short_loop(const struct cycle_walk *walk, uint32_t from, uint32_t to)
{
  const struct cn_loops *loops = walk->work->loops;

  if (!cn_cfg_is_retreating_edge(from, to) || !cn_cfg_dominates(loops->cfg, to, from))
    return false;
  const struct cn_loop_work *loop = &walk->work->at[loops->of[to]];
  uint64_t all = cn_work_add(loop->more, loop->once.through);
  return all != CN_WORK_UNKNOWN && all <= walk->limit;
}

/* Report the cycle, which consists of the stack from `to` on. */
static void report_cycle(struct cycle_walk *walk, uint32_t to)
{
  uint32_t *blocks = cn_alloc(walk->depth * sizeof *blocks);
  uint32_t first = 0, count = 0;

  while (walk->stack[first].block != to) {
    first++;
    CN_CHECK(first < walk->depth); /* `to` has state 1 */
  }
  for (uint32_t s = first; s < walk->depth; s++)
    blocks[count++] = walk->stack[s].block;
  walk->found(walk->env, walk->work, blocks, count);
  free(blocks);
}

static void push_block(struct cycle_walk *walk, uint32_t b)
{
  CN_CHECK(walk->state[b] == 0 && walk->depth < walk->work->loops->cfg->count);
  walk->state[b] = 1;
  walk->stack[walk->depth++] = (struct walk_step){b, 0};
}

static void visit_depth_first(struct cycle_walk *walk, uint32_t b)
{
  push_block(walk, b);
  while (walk->depth) {
    struct walk_step *top = &walk->stack[walk->depth - 1];
    const struct cn_cfg_block *block = &walk->work->loops->cfg->blocks[top->block];
    if (top->next == block->succ_count) {
      walk->state[top->block] = 2;
      walk->depth--;
      continue;
    }
    uint32_t to = block->succs[top->next++];
    if (walk->state[to] == 2 || closes_short_loop(walk, top->block, to))
      continue;
    if (walk->state[to] == 0)
      push_block(walk, to);
    else
      report_cycle(walk, to);
  }
}

void cn_work_find_unpolled_cycles(const struct cn_function_work *work, uint64_t limit,
                                  cn_unpolled_cycle_callback *found, void *env)
{
  uint32_t count = work->loops->cfg->count;
  struct cycle_walk walk = {.work = work, .limit = limit, .found = found, .env = env};

  walk.state = cn_alloc(count * sizeof *walk.state);
  walk.stack = cn_alloc(count * sizeof *walk.stack);
  for (uint32_t b = 0; b < count; b++)
    walk.state[b] = work->blocks[b].passes ? 0 : 2;
  for (uint32_t b = 0; b < count; b++)
    if (walk.state[b] == 0)
      visit_depth_first(&walk, b);
  free(walk.state);
  free(walk.stack);
}
