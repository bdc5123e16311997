#!/bin/sh
# LLVM 22.1.8: Edge::isKeepAlive() of JITLink is true for every relocation, not only for edges that keep a block alive.
#
# Expected: isKeepAlive() is true for the kind Edge::KeepAlive alone; isRelocation() is true for the kinds from
# Edge::FirstRelocation on, and no edge is both. Observed: an edge of the first kind of relocation is both, because
# isKeepAlive() is `K >= FirstKeepAlive`, and KeepAlive and all relocations come from there on. A pass over a linked
# graph that skips edges with isKeepAlive() skips all. Source: class Edge in
# llvm/include/llvm/ExecutionEngine/JITLink/JITLink.h. Needs LLVM's headers and library of llvm-config-22, or of
# $LLVM_CONFIG. Exits non-zero if that changes.
set -eu
config=${LLVM_CONFIG:-/usr/lib/llvm-22/bin/llvm-config}
[ "$("$config" --version)" = 22.1.8 ] || { echo "$config is not LLVM 22.1.8"; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > edge.cpp <<'CODE'
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
using llvm::jitlink::Edge;
int main()
{
  Edge relocation(Edge::FirstRelocation, 0, *static_cast<llvm::jitlink::Symbol *>(nullptr), 0);
  return relocation.isRelocation() && relocation.isKeepAlive() ? 0 : 1;
}
CODE
c++ -std=c++17 -fno-rtti -w $("$config" --cxxflags | tr ' ' '\n' | grep -v '^-std\|^-W\|^-pedantic') edge.cpp \
  $("$config" --ldflags --libs) -Wl,-rpath,"$("$config" --libdir)" -o edge || exit 2
./edge && echo "a relocation is a keep-alive edge"
