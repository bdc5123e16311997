#!/bin/sh
# LLVM 22.1.8: the inliner makes invokes of llvm.experimental.stackmap, which the verifier refuses.
#
# Expected: a pass makes a valid module of a valid module, as it does for a call of llvm.experimental.patchpoint, which
# may be invoked. Observed: a function with a stackmap, inlined where it was invoked, leaves `invoke void
# @llvm.experimental.stackmap`, and llvm-as says "Cannot invoke an intrinsic other than ..."; with `nounwind` at the
# call, it stays a call. Source: the intrinsic is not nounwind (Intrinsics.td), so changeToInvokeAndSplitBasicBlock()
# takes it in HandleCallsInBlockInlinedThroughInvoke() (llvm/lib/Transforms/Utils/InlineFunction.cpp), which leaves out
# deoptimize and guard only. Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > call.ll <<'END_OF_IR'
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i32 @__gxx_personality_v0(...)
define internal void @point(i64 %x) {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8, i64 %x)
  ret void
}
define i64 @caught(i64 %x) personality ptr @__gxx_personality_v0 {
  invoke void @point(i64 %x) to label %done unwind label %pad
done:
  ret i64 0
pad:
  %caught = landingpad { ptr, i32 } cleanup
  ret i64 1
}
END_OF_IR
sed 's/^  call .*/& nounwind/' call.ll > nounwind.ll
for name in call nounwind; do
  "$tools/llvm-as" "$name.ll" -o "$name.bc" || exit 2
  "$tools/opt" -passes=inline -disable-verify -S "$name.bc" -o "$name.inlined.ll" || exit 2
  grep -c 'invoke .*stackmap' "$name.inlined.ll" > "$name.invokes" || true
  status=0
  "$tools/llvm-as" "$name.inlined.ll" -o "$name.inlined.bc" 2>"$name.errors" || status=$?
  echo "$status" > "$name.status"
  printf 'LLVM %s, %s: invokes of the stackmap: %s; llvm-as exits with %s %s\n' "$version" "$name" \
    "$(cat "$name.invokes")" "$status" "$(grep -o -m 1 'Cannot invoke an intrinsic' "$name.errors" | head -n 1)"
done
[ "$(cat call.invokes)" = 1 ] && grep -q 'Cannot invoke an intrinsic' call.errors || exit 1
[ "$(cat nounwind.invokes)" = 0 ] && [ "$(cat nounwind.status)" = 0 ] || exit 1
