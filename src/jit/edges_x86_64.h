/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of JITLink's edges for x86-64, and the passes that the edges need. Included by linking_layer.cpp alone.
 */
#ifndef CN_JIT_EDGES_X86_64_H
#define CN_JIT_EDGES_X86_64_H

#include <llvm/ExecutionEngine/JITLink/x86_64.h>
#include "jit/linking_layer.h"

inline cn_edge_kind kind_of_edge(llvm::jitlink::Edge::Kind kind)
{
  namespace machine = llvm::jitlink::x86_64;

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

/// Gives branches and loads of addresses the tables that reach any address.
inline llvm::Error build_tables(llvm::jitlink::LinkGraph &graph)
{
  llvm::jitlink::x86_64::GOTTableManager addresses(graph);
  llvm::jitlink::x86_64::PLTTableManager branches(graph, addresses);

  llvm::jitlink::visitExistingEdges(graph, addresses, branches);
  return llvm::Error::success();
}

/// Lets accesses go past the tables where a distance of 4 bytes suffices.
inline llvm::Error relax_table_accesses(llvm::jitlink::LinkGraph &graph)
{
  return llvm::jitlink::x86_64::optimizeGOTAndStubAccesses(graph);
}

#endif
