/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for the edges of JITLink's graphs, in C++. Private to linking_layer.cpp and the ports.
 */
#ifndef CN_JIT_EDGES_H
#define CN_JIT_EDGES_H

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include "jit/linking_layer.h"

cn_edge_kind cn_kind_of_edge(llvm::jitlink::Edge::Kind kind);

/// Gives branches and loads of addresses the tables that reach any address.
llvm::Error cn_build_tables(llvm::jitlink::LinkGraph &graph);

/// Lets branches and loads go past the tables if the distance permits, when all addresses are known.
llvm::Error cn_relax_table_accesses(llvm::jitlink::LinkGraph &graph);

#endif
