// SPDX-License-Identifier: Apache-2.0
//
// The kinds of JITLink's edges for AArch64, and the passes that the edges need. Any thread; the file has no state.
#include "jit/edges.h"

#include <llvm/ExecutionEngine/JITLink/aarch64.h>

using namespace llvm::jitlink;
namespace machine = llvm::jitlink::aarch64;

cn_edge_kind cn_kind_of_edge(Edge::Kind kind)
{
  switch (kind) {
  case machine::Branch26PCRel:
    return CN_EDGE_BRANCH;
  case machine::Delta32:
    return CN_EDGE_DISTANCE;
  case machine::Pointer64:
    return CN_EDGE_POINTER;
  default:
    return CN_EDGE_OTHER;
  }
}

llvm::Error cn_build_tables(LinkGraph &graph)
{
  machine::GOTTableManager addresses(graph);
  machine::PLTTableManager branches(graph, addresses);

  visitExistingEdges(graph, addresses, branches);
  return llvm::Error::success();
}

/// The only symbol that the block's edges of one kind refer to, or null.
static Symbol *find_target(Block &block, Edge::Kind kind)
{
  Symbol *target = nullptr;

  for (Edge &edge : block.edges()) {
    if (edge.getKind() != kind || edge.getAddend() != 0 || target)
      return nullptr;
    target = &edge.getTarget();
  }
  return target;
}

/// The symbol that an entry of the table of branches jumps to, or null: the entry loads the address from a table.
static Symbol *find_target_of_entry(Block &entry)
{
  Symbol *address = nullptr;

  for (Edge &edge : entry.edges())
    if (edge.getKind() == machine::Page21)
      address = &edge.getTarget();
  return address && address->isDefined() ? find_target(address->getBlock(), machine::Pointer64) : nullptr;
}

/// A branch reaches 128 MiB in both directions.
static bool is_near(llvm::orc::ExecutorAddr from, llvm::orc::ExecutorAddr to)
{
  return llvm::isInt<28>(static_cast<int64_t>(to - from));
}

llvm::Error cn_relax_table_accesses(LinkGraph &graph)
{
  const Section *table = graph.findSectionByName(machine::PLTTableManager::getSectionName());

  if (!table)
    return llvm::Error::success();
  for (Block *block : graph.blocks())
    for (Edge &edge : block->edges()) {
      if (edge.getKind() != machine::Branch26PCRel || !edge.getTarget().isDefined() ||
          &edge.getTarget().getSection() != table)
        continue;
      Symbol *target = find_target_of_entry(edge.getTarget().getBlock());
      if (target && is_near(block->getAddress() + edge.getOffset(), target->getAddress()))
        edge.setTarget(*target);
    }
  return llvm::Error::success();
}
