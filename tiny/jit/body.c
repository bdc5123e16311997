/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies: a copy of a function's code with its basic blocks and the registers that are live before each instruction.
 * A compilation owns its bodies; any thread.
 *
 * Every instruction in a region with a handler may go to the handler, with the registers that it found. A body for a
 * loop's entry (OSR) holds the blocks that are reachable from there.
 */
#include <stdlib.h>
#include <string.h>
#include "unit.h"

static void *copy_words(const uint32_t *from, size_t count)
{
  uint32_t *to = malloc((count + 1) * sizeof *to);

  for (size_t i = 0; i < count; i++)
    to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
  return to;
}

uint32_t tj_words_at(const struct tj_body *body, uint32_t at)
{
  uint32_t op = body->code[at] & 255, words = 1;

  for (unsigned i = 0; i < 2; i++)
    words += body->rows[op].extension[i] != TINY_OPERAND_NONE;
  if (op == TINY_OP_CLOSURE) {
    uint32_t number = body->function->constants[TINY_WIDE_OF(body->code[at])].function;
    words += tiny_function_at(body->tables, number)->captures;
  }
  return words;
}

static void add_range(struct tj_set *set, unsigned first, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    tj_set_add(set, first + i);
}

static void add_closure_registers(const struct tj_body *body, uint32_t at, struct tj_set *reads)
{
  uint32_t words = tj_words_at(body, at);

  for (uint32_t i = 1; i < words; i++)
    if (!(body->code[at + i] & 1))
      tj_set_add(reads, body->code[at + i] >> 1);
}

static void add_operand(enum tiny_operand kind, unsigned value, uint32_t word, struct tj_set *reads,
                        struct tj_set *writes)
{
  switch (kind) {
  case TINY_OPERAND_READ:
    tj_set_add(reads, value);
    break;
  case TINY_OPERAND_SUPER:
    if (value != TINY_NO_SUPER)
      tj_set_add(reads, value);
    break;
  case TINY_OPERAND_WRITE:
    tj_set_add(writes, value);
    break;
  case TINY_OPERAND_PAIR:
    add_range(reads, value, 2);
    tj_set_add(writes, value);
    break;
  case TINY_OPERAND_WINDOW:
    add_range(reads, value + 2, 1 + TINY_B(word));
    add_range(writes, value, 2);
    break;
  case TINY_OPERAND_FIRST_OF:
    add_range(reads, value, TINY_C(word));
    break;
  default:
    break;
  }
}

void tj_operands(const struct tj_body *body, uint32_t at, struct tj_set *reads, struct tj_set *writes)
{
  uint32_t word = body->code[at], op = word & 255;
  const struct tiny_op_row *row = &body->rows[op];
  unsigned values[] = {TINY_A(word), TINY_B(word), TINY_C(word)};

  memset(reads, 0, sizeof *reads);
  memset(writes, 0, sizeof *writes);
  for (unsigned i = 0; i < 3; i++)
    add_operand(row->operand[i], values[i], word, reads, writes);
  if (op == TINY_OP_CLOSURE)
    add_closure_registers(body, at, reads);
  if (op == TINY_OP_EACH_PREPARE) {
    tj_set_add(reads, values[0]);
    tj_set_add(writes, values[0] + 1);
  } else if (op == TINY_OP_EACH) {
    add_range(reads, values[0], 2);
    add_range(writes, values[0] + 1, 3);
  }
}

uint32_t tj_jump_target(const struct tj_body *body, uint32_t at)
{
  uint32_t word = body->code[at], op = word & 255, next = at + tj_words_at(body, at);
  const struct tiny_op_row *row = &body->rows[op];

  if (row->operand[0] == TINY_OPERAND_JUMP24)
    return next + (uint32_t)TINY_JUMP24_OF(word);
  if (row->extension[0] == TINY_OPERAND_JUMP)
    return next + body->code[at + 1];
  return UINT32_MAX;
}

static bool falls_through(uint32_t op)
{
  return op != TINY_OP_JUMP && op != TINY_OP_LOOP && op != TINY_OP_RETURN && op != TINY_OP_RETURN_NIL &&
         op != TINY_OP_THROW;
}

const struct tiny_try *tj_handler_at(const struct tj_body *body, uint32_t at)
{
  for (uint32_t i = 0; i < body->function->try_count; i++)
    if (at >= body->function->tries[i].start && at < body->function->tries[i].end)
      return &body->function->tries[i];
  return NULL;
}

/* ---- blocks ---- */

static void find_blocks(struct tj_body *body)
{
  bool *starts = calloc(body->words + 1, sizeof *starts);

  starts[body->entry] = true;
  starts[0] = true;
  for (uint32_t i = 0; i < body->function->try_count; i++)
    starts[body->function->tries[i].handler] = true;
  for (uint32_t at = 0, next; at < body->words; at = next) {
    uint32_t target = tj_jump_target(body, at);
    next = at + tj_words_at(body, at);
    if (target != UINT32_MAX)
      starts[target] = true;
    if (target != UINT32_MAX || !falls_through(body->code[at] & 255))
      starts[next] = true;
  }
  for (uint32_t at = 0; at < body->words; at++)
    if (starts[at]) {
      body->blocks[body->block_count++].start = at;
      body->block_at[at] = body->block_count;
    }
  for (uint32_t i = 0; i < body->block_count; i++)
    body->blocks[i].end = i + 1 < body->block_count ? body->blocks[i + 1].start : body->words;
  free(starts);
}

static uint32_t last_of(const struct tj_body *body, uint32_t block)
{
  uint32_t at = body->blocks[block].start;

  while (at + tj_words_at(body, at) < body->blocks[block].end)
    at += tj_words_at(body, at);
  return at;
}

/* The successors: by jump, by falling through, and the handlers of the block's instructions. */
static unsigned find_successors(const struct tj_body *body, uint32_t block, uint32_t *to, unsigned room)
{
  uint32_t last = last_of(body, block), target = tj_jump_target(body, last);
  unsigned count = 0;

  if (target != UINT32_MAX)
    to[count++] = body->block_at[target] - 1;
  if (falls_through(body->code[last] & 255) && body->blocks[block].end < body->words)
    to[count++] = block + 1;
  for (uint32_t i = 0; i < body->function->try_count && count < room; i++)
    if (body->blocks[block].start < body->function->tries[i].end && last >= body->function->tries[i].start)
      to[count++] = body->block_at[body->function->tries[i].handler] - 1;
  return count;
}

struct visit {
  uint32_t block;
  unsigned next;
};

enum { SUCCESSORS = 64 };

/* Depth first, without recursion, since programs choose the number of blocks. An edge to a block that is being visited
 * makes it a loop header. */
static void order_blocks(struct tj_body *body)
{
  struct visit *stack = malloc((body->block_count + 1) * sizeof *stack);
  char *color = calloc(body->block_count + 1, 1);
  uint32_t depth = 1, at = body->block_count, to[SUCCESSORS + 2];

  stack[0] = (struct visit){body->block_at[body->entry] - 1, 0};
  color[stack[0].block] = 1;
  body->blocks[stack[0].block].predecessors++;
  while (depth > 0) {
    struct visit *top = &stack[depth - 1];
    unsigned count = find_successors(body, top->block, to, SUCCESSORS);
    if (top->next == count) {
      color[top->block] = 2;
      body->order[--at] = top->block;
      body->blocks[top->block].reachable = true;
      depth--;
      continue;
    }
    uint32_t next = to[top->next++];
    body->blocks[next].predecessors++;
    body->blocks[next].header |= color[next] == 1;
    if (color[next] == 0) {
      color[next] = 1;
      stack[depth++] = (struct visit){next, 0};
    }
  }
  body->order_count = body->block_count - at;
  memmove(body->order, body->order + at, body->order_count * sizeof *body->order);
  free(stack);
  free(color);
}

/* ---- loops ---- */

static void unite(struct tj_set *into, const struct tj_set *other)
{
  for (unsigned i = 0; i < 4; i++)
    into->word[i] |= other->word[i];
}

/* Marks the blocks that paths from the header reach. In reverse postorder, so that few rounds are needed. */
static void mark_after(const struct tj_body *body, uint32_t header, bool *after)
{
  uint32_t to[SUCCESSORS + 2];

  after[header] = true;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < body->order_count; i++) {
      uint32_t block = body->order[i];
      unsigned count = after[block] ? find_successors(body, block, to, SUCCESSORS) : 0;
      for (unsigned k = 0; k < count; k++) {
        more |= !after[to[k]];
        after[to[k]] = true;
      }
    }
  }
}

/* Marks the blocks whose paths reach the header. */
static void mark_before(const struct tj_body *body, uint32_t header, bool *before)
{
  uint32_t to[SUCCESSORS + 2];

  before[header] = true;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = body->order_count; i-- > 0;) {
      uint32_t block = body->order[i];
      unsigned count = before[block] ? 0 : find_successors(body, block, to, SUCCESSORS);
      for (unsigned k = 0; k < count && !before[block]; k++)
        before[block] = before[to[k]];
      more |= count > 0 && before[block];
    }
  }
}

static void add_writes_of(const struct tj_body *body, uint32_t block, struct tj_set *written)
{
  struct tj_set reads, writes;

  for (uint32_t at = body->blocks[block].start; at < body->blocks[block].end; at += tj_words_at(body, at)) {
    tj_operands(body, at, &reads, &writes);
    unite(written, &writes);
  }
  for (uint32_t i = 0; i < body->function->try_count; i++)
    if (body->function->tries[i].handler == body->blocks[block].start)
      tj_set_add(written, body->function->tries[i].target);
}

static void find_written(struct tj_body *body, uint32_t header)
{
  bool *after = calloc(body->block_count + 1, sizeof *after), *before = calloc(body->block_count + 1, sizeof *before);

  mark_after(body, header, after);
  mark_before(body, header, before);
  for (uint32_t i = 0; i < body->block_count; i++)
    if (after[i] && before[i])
      add_writes_of(body, i, &body->blocks[header].written);
  free(after);
  free(before);
}

/* ---- liveness ---- */

static void find_live_before(struct tj_body *body, uint32_t at, struct tj_set *live)
{
  const struct tiny_try *handler = tj_handler_at(body, at);
  struct tj_set reads, writes;

  tj_operands(body, at, &reads, &writes);
  for (unsigned i = 0; i < 4; i++)
    live->word[i] = (live->word[i] & ~writes.word[i]) | reads.word[i];
  if (handler) {
    struct tj_set there = body->live[handler->handler];
    there.word[handler->target / 64] &= ~(UINT64_C(1) << (handler->target % 64));
    unite(live, &there);
  }
}

/* Goes backwards through the block; true if the set at its start has grown. */
static bool flow_block(struct tj_body *body, uint32_t block)
{
  uint32_t to[SUCCESSORS + 2], start = body->blocks[block].start, count = 0;
  unsigned successors = find_successors(body, block, to, 2);
  uint32_t *places = malloc((body->blocks[block].end - start + 1) * sizeof *places);
  struct tj_set live = {{0}}, before = body->live[start];

  for (unsigned i = 0; i < successors; i++)
    unite(&live, &body->live[body->blocks[to[i]].start]);
  for (uint32_t at = start; at < body->blocks[block].end; at += tj_words_at(body, at))
    places[count++] = at;
  while (count-- > 0) {
    find_live_before(body, places[count], &live);
    body->live[places[count]] = live;
  }
  free(places);
  return memcmp(&before, &body->live[start], sizeof before) != 0;
}

struct tj_body *tj_body_new(const struct tj_host *host, const struct tiny_tables *tables,
                            const struct tiny_function *function, uint32_t entry)
{
  struct tj_body *body = calloc(1, sizeof *body);
  size_t room = (size_t)function->words + 1;

  body->rows = host->rows;
  body->tables = tables;
  body->function = function;
  body->words = function->words;
  body->entry = entry;
  body->code = copy_words(function->code, function->words);
  body->feedback = copy_words(function->feedback, function->feedback_words);
  body->live = calloc(room, sizeof *body->live);
  body->block_at = calloc(room, sizeof *body->block_at);
  body->blocks = calloc(room, sizeof *body->blocks);
  body->order = calloc(room, sizeof *body->order);
  find_blocks(body);
  order_blocks(body);
  for (uint32_t i = 0; i < body->block_count; i++)
    if (body->blocks[i].header)
      find_written(body, i);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = body->order_count; i-- > 0;)
      more |= flow_block(body, body->order[i]);
  }
  return body;
}

void tj_body_free(struct tj_body *body)
{
  free(body->code);
  free(body->feedback);
  free(body->live);
  free(body->block_at);
  free(body->blocks);
  free(body->order);
  free(body);
}
