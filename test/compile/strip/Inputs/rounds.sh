#!/bin/sh
# rounds.sh CAIRN IN.ll...: rewrite, then twice strip and rewrite; what is refused is left out.
set -eu
cairn=$1
shift
rounds=0
count() { grep -c "$1" "$2" || true; }
fail() { echo "$input: $1" >&2; exit 1; }
for input; do
  "$cairn" opt -p rewrite-statepoints -S "$input" -o module1.ll 2>/dev/null || continue
  "$cairn" opt -p strip-statepoints -S module1.ll -o plain.ll
  opt -passes=verify -disable-output plain.ll
  test "$(count 'call.*@llvm.experimental.gc' plain.ll)" = 0 || fail 'statepoints are left'
  "$cairn" opt -p rewrite-statepoints,verify-safepoints -S plain.ll -o module2.ll
  "$cairn" opt -p strip-statepoints,rewrite-statepoints,verify-safepoints -S module2.ll \
    -o module3.ll
  for what in @llvm.experimental.gc.statepoint @llvm.experimental.gc.result; do
    test "$(count "$what" module1.ll)" = "$(count "$what" module2.ll)" || fail "another number of $what"
  done
  for what in @llvm.experimental.gc.relocate =; do
    test "$(count "$what" module3.ll)" -le "$(count "$what" module2.ll)" || fail "more of $what"
  done
  rounds=$((rounds + 1))
done
test "$rounds" -ge 10
