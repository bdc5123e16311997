#!/bin/sh
# tail_random.sh CAIRN GENERATOR PREFIX FIRST LAST [CONVENTION]: the programs of these seeds print what they print
# without Cairn. With CONVENTION some functions have that of C in the end.
set -eu
cairn=$1 generator=$2 prefix=$3 seed=$4 last=$5 convention=${6-}
build() { # build IN LEVEL OUT
  llc "-O$2" -relocation-model=pic -verify-machineinstrs -filetype=obj "$1" -o "$prefix.o"
  clang -Wl,-z,notext "$prefix.o" -o "$3" 2>/dev/null
}
while [ "$seed" -le "$last" ]; do
  python3 "$generator" "$seed" $convention >"$prefix.ll"
  # Not verified: the programs sum up addresses, of nothing that moves.
  "$cairn" opt -p lower-tailcc,rewrite-statepoints,tail-calls -S "$prefix.ll" -o "$prefix.tail.ll"
  test -z "$convention" || test "$(grep 'musttail call' "$prefix.tail.ll" | grep -cv "$convention")" -gt 20
  test "$(grep -c 'musttail call' "$prefix.tail.ll")" -gt 60
  build "$prefix.ll" 0 "$prefix.plain"
  "$prefix.plain" >"$prefix.expected"
  for level in 0 2; do
    build "$prefix.tail.ll" "$level" "$prefix.program"
    "$prefix.program" >"$prefix.out"
    cmp "$prefix.expected" "$prefix.out" || { echo "seed $seed, -O$level" >&2; exit 1; }
  done
  seed=$((seed + 1))
done
