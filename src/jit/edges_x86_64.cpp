// SPDX-License-Identifier: Apache-2.0
//
// The kinds of JITLink's edges for x86-64, and the passes that the edges need. Any thread; the file has no state.
#include "jit/edges.h"

#include <llvm/ExecutionEngine/JITLink/x86_64.h>

namespace machine = llvm::jitlink::x86_64;

cn_edge_kind cn_kind_of_edge(llvm::jitlink::Edge::Kind kind)
{
  switch (kind) {
  case machine::BranchPCRel32:
  case machine::BranchPCRel32ToPtrJumpStubBypassable:
    return CN_EDGE_BRANCH;
  case machine::Delta32:
  case machine::PCRel32:
    return CN_EDGE_DISTANCE;
  case machine::Pointer64:
    return CN_EDGE_POINTER;
  default:
    return CN_EDGE_OTHER;
  }
}

llvm::Error cn_build_tables(llvm::jitlink::LinkGraph &graph)
{
  machine::GOTTableManager addresses(graph);
  machine::PLTTableManager branches(graph, addresses);

  llvm::jitlink::visitExistingEdges(graph, addresses, branches);
  return llvm::Error::success();
}

llvm::Error cn_relax_table_accesses(llvm::jitlink::LinkGraph &graph)
{
  return machine::optimizeGOTAndStubAccesses(graph);
}
