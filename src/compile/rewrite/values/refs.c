/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the reference values of one function, with definitions and uses in order of position, and the parse points, in
 * one walk; later adds the merges that bases.c made, attaches bases, and rebuilds the lists without dead values. Part
 * of rewrite-statepoints. Uses of a value that is equal to another reference, or at a constant distance from it, count
 * as uses of the other reference (late-insertion-slides-2014, "When relocation isn't needed").
 *
 * Reads the IR, and changes only struct cn_refs, whose lists it owns. Needs: struct cn_cfg, all blocks reachable.
 * Provides: struct cn_refs. Breaks: cn_refs_add_merges() liveness and the order of uses,
 * cn_refs_leave_out_dead_values() liveness and bases.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/rewrite/values/refs.h"

#include <string.h>

/* A use by a phi, which reads its operand at the end of an incoming block. */
struct edge_use {
  LLVMValueRef phi;
  uint32_t operand;
  uint32_t next; /* the next phi operand with the same incoming block, or CN_NO_INDEX */
};

struct reference_scan {
  struct cn_refs *refs;
  CN_VECTOR(struct edge_use) edges;
  uint32_t *edges_of; /* per block: the first phi operand with this incoming block */
};

uint32_t cn_refs_index(const struct cn_refs *refs, LLVMValueRef value)
{
  const uint64_t *index = cn_ptrmap_find(&refs->index, value);

  return index ? (uint32_t)*index : CN_NO_INDEX;
}

static bool is_instruction_or_argument(LLVMValueRef value)
{
  LLVMValueKind kind = LLVMGetValueKind(value);

  return kind == LLVMInstructionValueKind || kind == LLVMArgumentValueKind;
}

/* True for null and globals if CAIRN_RELOCATION_CONSTANTS is off: the lists then contain null and globals as values
 * that are defined at the entry. Otherwise the lists omit null and globals, which never move. Constant expressions are
 * always omitted: their bases are other constants. */
static bool is_listed_constant(const struct cn_refs *refs, LLVMValueRef value, LLVMValueRef user)
{
  if (cn_refs_is_optimisation_on(refs, CAIRN_RELOCATION_CONSTANTS) || !cn_is_ref(LLVMTypeOf(value)) ||
      cn_calls_intrinsic(user, "llvm.threadlocal.address"))
    return false;
  return LLVMIsAConstantPointerNull(value) || LLVMIsAGlobalVariable(value);
}

static bool feeds_phi(LLVMValueRef value)
{
  CN_EACH_USE(use, value)
    if (LLVMIsAPHINode(LLVMGetUser(use)))
      return true;
  return false;
}

/* True if `value` is used in a deeper loop than the loop of its definition. A single use in a loop with an inner loop
 * is exempt, because to list the value would cost more. */
static bool is_used_in_deeper_loop(const struct cn_refs *refs, LLVMValueRef value)
{
  LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
  const struct cn_cfg_block *blocks = refs->cfg->blocks;
  uint32_t depth = CN_NO_INDEX;

  CN_EACH_USE(use, value) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(use));
    if (block == home)
      continue;
    if (depth == CN_NO_INDEX) {
      cn_cfg_add_dominators(refs->cfg);
      depth = blocks[cn_cfg_index_of(refs->cfg, home)].depth;
    }
    const struct cn_cfg_block *at = &blocks[cn_cfg_index_of(refs->cfg, block)];
    bool once = use == LLVMGetFirstUse(value) && !LLVMGetNextUse(use);
    if (at->depth > depth && !(once && blocks[at->loop].nests))
      return true;
  }
  return false;
}

static bool may_keep_indices_live(struct cn_refs *refs)
{
  if (!refs->integers)
    refs->integers = cn_has_address_integers(refs->cfg) ? CN_INDEX_ADDRESSES_POSSIBLE : CN_INDEX_ADDRESSES_ABSENT;
  return refs->integers == CN_INDEX_ADDRESSES_ABSENT;
}

/* The number of variable indices of `value` if it is a GEP to rematerialise at its uses; else CN_NO_INDEX. A GEP that
 * feeds a phi is not rematerialised: it is mostly the step of a loop, and would be computed twice in each iteration. A
 * GEP with variable indices is not rematerialised if used in a deeper loop, or if the function may show addresses as
 * integers. */
static uint32_t compute_variable_indices(struct cn_refs *refs, LLVMValueRef value)
{
  uint32_t count = 0;

  if (LLVMGetValueKind(value) != LLVMInstructionValueKind || LLVMGetInstructionOpcode(value) != LLVMGetElementPtr ||
      !cn_is_ref(LLVMTypeOf(value)))
    return CN_NO_INDEX;
  int operands = LLVMGetNumOperands(value);
  for (int i = 1; i < operands; i++) {
    LLVMValueRef index = LLVMGetOperand(value, (unsigned)i);
    if (LLVMIsConstant(index))
      continue;
    if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
      return CN_NO_INDEX;
    count++;
  }
  if (feeds_phi(value) || count > CN_REMAT_INDICES)
    return CN_NO_INDEX;
  return count && (is_used_in_deeper_loop(refs, value) || !may_keep_indices_live(refs)) ? CN_NO_INDEX : count;
}

/* compute_variable_indices() with a cache: the computation visits all uses of `value`, and each derived value needs
 * it. */
static uint32_t variable_index_count_of(struct cn_refs *refs, LLVMValueRef value)
{
  bool fresh;
  uint64_t *count = cn_ptrmap_add(&refs->indices, value, &fresh);

  if (fresh)
    *count = compute_variable_indices(refs, value);
  return (uint32_t)*count;
}

/* The next value from `value` towards its root, or null if `value` is its own root. For a value in the index, the
 * decision was made when the value was added. */
static LLVMValueRef next_value_towards_root(struct cn_refs *refs, LLVMValueRef value, uint32_t *indices)
{
  uint32_t index = cn_refs_index(refs, value);

  if (index != CN_NO_INDEX && refs->values.at[index].root == index)
    return NULL;
  uint32_t count =
      cn_refs_is_optimisation_on(refs, CAIRN_RELOCATION_RECOMPUTE) ? variable_index_count_of(refs, value) : CN_NO_INDEX;
  if (count == CN_NO_INDEX || *indices + count > CN_REMAT_INDICES)
    return NULL;
  LLVMValueRef from = LLVMGetOperand(value, 0);
  if (!is_instruction_or_argument(from) || !cn_is_ref(LLVMTypeOf(from)))
    return NULL;
  *indices += count;
  return from;
}

/* The root of `value`: the start of the chain of at most CN_REMAT_LIMIT GEPs that ends in `value`. */
static LLVMValueRef find_root(struct cn_refs *refs, LLVMValueRef value, uint32_t *indices)
{
  LLVMValueRef from;

  *indices = 0;
  for (unsigned steps = 0; steps < CN_REMAT_LIMIT && (from = next_value_towards_root(refs, value, indices)); steps++)
    value = from;
  return value;
}

static uint32_t find_or_add_value(struct cn_refs *refs, LLVMValueRef value)
{
  uint32_t index = cn_refs_index(refs, value);

  if (index != CN_NO_INDEX)
    return index;
  CN_ASSERT(cn_holds_ref(LLVMTypeOf(value)));
  bool scalar = cn_is_ref(LLVMTypeOf(value));
  uint32_t indices = 0;
  LLVMValueRef root = scalar ? find_root(refs, value, &indices) : value;
  index = (uint32_t)refs->values.count;
  *cn_ptrmap_add(&refs->index, value, NULL) = index;
  refs->aggregates |= !scalar;
  cn_push(&refs->values, (struct cn_ref_value){
                             .value = value, .root = index, .base = index, .derived = CN_NO_INDEX, .scalar = scalar});
  if (root != value) {
    uint32_t root_index = find_or_add_value(refs, root);
    uint32_t from_index = find_or_add_value(refs, LLVMGetOperand(value, 0));
    CN_CHECK(root_index != index && from_index != index);
    refs->values.at[index].root = root_index;
    if (refs->values.at[root_index].indices < indices)
      refs->values.at[root_index].indices = indices;
    refs->values.at[index].from = from_index;
  }
  return index;
}

static void define_value(struct cn_refs *refs, LLVMValueRef value, uint32_t block, uint32_t pos)
{
  uint32_t index = find_or_add_value(refs, value);

  CN_ASSERT(is_instruction_or_argument(value) && block < refs->cfg->count);
  refs->values.at[index].block = block;
  refs->values.at[index].pos = pos;
}

static void add_use(struct cn_refs *refs, LLVMValueRef operand, struct cn_ref_use use)
{
  if (!cn_holds_ref(LLVMTypeOf(operand)) ||
      (!is_instruction_or_argument(operand) && !is_listed_constant(refs, operand, use.user)))
    return;
  uint32_t index = find_or_add_value(refs, operand);
  uint32_t root = refs->values.at[index].root;
  CN_ASSERT(LLVMGetOperand(use.user, use.operand) == operand);
  use.value = index;
  use.via = CN_NO_INDEX;
  if (root != index && !use.state) {
    use.value = root;
    use.via = index;
  }
  cn_push(&refs->uses, use);
}

/* List phi operands by incoming block: a phi reads them at the end of the block, so the walk meets all uses in
 * order. */
static void gather_phi_operands(struct reference_scan *scan)
{
  const struct cn_cfg *cfg = scan->refs->cfg;

  for (uint32_t b = cfg->count; b-- > 0;)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
      if (!cn_holds_ref(LLVMTypeOf(i)))
        continue;
      for (unsigned n = LLVMCountIncoming(i); n-- > 0;) {
        uint32_t from = cn_cfg_index_of(cfg, LLVMGetIncomingBlock(i, n));
        CN_CHECK(from != CN_NO_BLOCK);
        cn_push(&scan->edges, (struct edge_use){i, n, scan->edges_of[from]});
        scan->edges_of[from] = (uint32_t)scan->edges.count - 1;
      }
    }
}

static void scan_instruction(struct cn_refs *refs, LLVMValueRef i, uint32_t block, uint32_t pos)
{
  struct cn_ref_use use = {.user = i, .block = block, .pos = pos, .point = CN_NO_INDEX};
  uint32_t deopt = 0, deopt_end = 0, live = 0, live_end = 0, arguments = 0;

  if (cn_classify_call(i).kind == CN_CALL_PARSE_POINT) {
    use.point = (uint32_t)refs->points.count;
    cn_push(&refs->points, (struct cn_parse_point){.call = i, .block = block, .pos = pos});
    cn_calls_find_bundle(i, "deopt", &deopt, &deopt_end);
    cn_calls_find_bundle(i, "gc-live", &live, &live_end);
    arguments = cn_calls_lists_operands(i) ? LLVMGetNumArgOperands(i) : 0;
  }
  uint32_t operands = (uint32_t)LLVMGetNumOperands(i);
  for (use.operand = 0; use.operand < operands; use.operand++) {
    use.state = use.operand >= deopt && use.operand < deopt_end;
    use.listed = use.operand >= live && use.operand < live_end;
    use.after = use.state || use.listed || use.operand < arguments;
    add_use(refs, LLVMGetOperand(i, use.operand), use);
  }
  if (cn_holds_ref(LLVMTypeOf(i)))
    define_value(refs, i, block, pos);
}

static uint32_t scan_block(struct reference_scan *scan, uint32_t block, uint32_t start)
{
  struct cn_refs *refs = scan->refs;
  LLVMValueRef i = LLVMGetFirstInstruction(refs->cfg->blocks[block].block);
  uint32_t pos = start;

  refs->first_point[block] = (uint32_t)refs->points.count;
  for (; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    if (cn_holds_ref(LLVMTypeOf(i)))
      define_value(refs, i, block, start);
  for (; i; i = LLVMGetNextInstruction(i))
    scan_instruction(refs, i, block, pos += 2);
  CN_CHECK(pos > start && pos < UINT32_MAX - 2); /* positions ascend, in 32 bits */
  refs->last_pos[block] = pos;
  for (uint32_t e = scan->edges_of[block]; e != CN_NO_INDEX; e = scan->edges.at[e].next) {
    const struct edge_use *edge = &scan->edges.at[e];
    add_use(refs, LLVMGetIncomingValue(edge->phi, edge->operand),
            (struct cn_ref_use){
                .user = edge->phi, .operand = edge->operand, .block = block, .pos = pos + 1, .point = CN_NO_INDEX});
  }
  return pos + 2;
}

/* Sort the uses stably by value, so that the uses of each value become a slice. */
static void sort_uses_by_value(struct cn_refs *refs)
{
  struct cn_ref_use *sorted = cn_alloc(refs->uses.count * sizeof *sorted);
  uint32_t at = 0;

  for (size_t i = 0; i < refs->uses.count; i++)
    refs->values.at[refs->uses.at[i].value].use_count++;
  for (size_t v = 0; v < refs->values.count; v++) {
    refs->values.at[v].uses = at;
    at += refs->values.at[v].use_count;
    refs->values.at[v].use_count = 0;
  }
  CN_CHECK(at == refs->uses.count);
  for (size_t i = 0; i < refs->uses.count; i++) {
    struct cn_ref_value *v = &refs->values.at[refs->uses.at[i].value];
    sorted[v->uses + v->use_count++] = refs->uses.at[i];
  }
  free(refs->uses.at);
  refs->uses.at = sorted;
  refs->uses.room = refs->uses.count;
}

void cn_refs_build(struct cn_refs *refs, struct cn_cfg *cfg, unsigned off)
{
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  *refs = (struct cn_refs){.cfg = cfg, .off = off};
  refs->first_point = cn_alloc((cfg->count + 1) * sizeof *refs->first_point);
  refs->last_pos = cn_alloc(cfg->count * sizeof *refs->last_pos);
  struct reference_scan scan = {.refs = refs, .edges_of = cn_alloc(cfg->count * sizeof *scan.edges_of)};
  memset(scan.edges_of, 0xff, cfg->count * sizeof *scan.edges_of);
  gather_phi_operands(&scan);
  unsigned parameters = LLVMCountParams(cfg->function);
  for (unsigned p = 0; p < parameters; p++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetParam(cfg->function, p))))
      define_value(refs, LLVMGetParam(cfg->function, p), 0, 0);
  uint32_t pos = 0;
  for (uint32_t b = 0; b < cfg->count; b++)
    pos = scan_block(&scan, b, pos);
  refs->first_point[cfg->count] = (uint32_t)refs->points.count;
  sort_uses_by_value(refs);
  cn_free(&scan.edges);
  free(scan.edges_of);
  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_BUILD));
}

/* A new phi gets the position of its block's phis; a new select gets the free position between its neighbours. */
static void add_made_merge(struct cn_refs *refs, const struct cn_made_merge *made)
{
  uint32_t index = cn_refs_index(refs, made->beside);

  CN_CHECK(index != CN_NO_INDEX);
  const struct cn_ref_value *beside = &refs->values.at[index];
  struct cn_ref_use use = {.user = made->merge, .block = beside->block, .pos = beside->pos - 1, .point = CN_NO_INDEX};

  if (!LLVMIsAPHINode(made->merge)) {
    define_value(refs, made->merge, use.block, use.pos);
    for (use.operand = 1; use.operand < 3; use.operand++)
      add_use(refs, LLVMGetOperand(made->merge, use.operand), use);
    return;
  }
  define_value(refs, made->merge, beside->block, beside->pos);
  unsigned count = LLVMCountIncoming(made->merge);
  for (use.operand = 0; use.operand < count; use.operand++) {
    use.block = cn_cfg_index_of(refs->cfg, LLVMGetIncomingBlock(made->merge, use.operand));
    CN_CHECK(use.block != CN_NO_BLOCK);
    use.pos = refs->last_pos[use.block] + 1;
    add_use(refs, LLVMGetIncomingValue(made->merge, use.operand), use);
  }
}

void cn_refs_add_merges(struct cn_refs *refs, const struct cn_made_merge *made, size_t count)
{
  for (size_t m = 0; m < count; m++)
    add_made_merge(refs, &made[m]);
  for (size_t v = 0; v < refs->values.count; v++)
    refs->values.at[v].use_count = 0;
  sort_uses_by_value(refs);
  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_CHANGES));
}

bool cn_refs_attach_bases(struct cn_refs *refs, const struct cn_base_map *bases)
{
  bool any = false;

  for (uint32_t v = (uint32_t)refs->values.count; v-- > 0;) {
    struct cn_ref_value *value = &refs->values.at[v];
    const uint64_t *base = cn_ptrmap_find(&bases->of, value->value);
    if (!base)
      continue;
    any = true;
    if (!*base) {
      value->base = CN_NO_INDEX;
      continue;
    }
    value->base = cn_refs_index(refs, (LLVMValueRef)(uintptr_t)*base);
    CN_CHECK(value->base != CN_NO_INDEX);
    value->derived = refs->values.at[value->base].derived;
    refs->values.at[value->base].derived = v;
  }
  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_CHANGES));
  return any;
}

void cn_refs_free(struct cn_refs *refs)
{
  for (size_t i = 0; i < refs->points.count; i++)
    cn_free(&refs->points.at[i].live);
  cn_free(&refs->values);
  cn_free(&refs->uses);
  cn_free(&refs->points);
  cn_free(&refs->crossings);
  cn_ptrmap_free(&refs->index);
  cn_ptrmap_free(&refs->indices);
  free(refs->first_point);
  free(refs->last_pos);
  *refs = (struct cn_refs){0};
}

void cn_refs_leave_out_dead_values(struct cn_refs *refs)
{
  struct cn_cfg *cfg = refs->cfg;
  unsigned off = refs->off & ~(1u << CAIRN_RELOCATION_LIVENESS | 1u << CAIRN_RELOCATION_CONSTANTS);

  if (off == refs->off)
    return;
  cn_refs_free(refs);
  cn_refs_build(refs, cfg, off);
}
