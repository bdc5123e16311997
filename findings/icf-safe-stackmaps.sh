#!/bin/sh
# lld 22.1.8, mold 1.10.1: --icf=safe folds functions whose stack maps differ.
#
# Expected, by the manuals: the safe mode folds only functions for which this makes no difference. Observed: two
# functions with the same bytes, one of which records the deoptimisation state 1 at its call and the other 2, become
# one. The stack map keeps both records, for one return address, and a runtime reads the state of whichever it finds.
# The same happens if one function has a reference in a register and the other an integer. Source: both linkers compare
# the section and its relocations (lld/ELF/ICF.cpp); a stack map is another section, which refers to the function.
# Packages: libllvm22, llvm-22, lld-22 and mold of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" "lld-22=$version" mold=1.10.1+dfsg-1 \
  2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
echo 'target triple = "x86_64-unknown-linux-gnu"' > states.ll
for state in 1 2; do
  cat <<END
define void @state_$state() local_unnamed_addr gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 $state, i32 0,
    ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 $state) ]
  ret void
}
END
done >> states.ll
cat >> states.ll <<'END'
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
define void @safepoint() noinline {
  ret void
}
define void @_start() {
  call void @state_1()
  call void @state_2()
  ret void
}
END
$tools/llc -O2 -filetype=obj -function-sections -addrsig states.ll -o states.o
for linker in $tools/ld.lld root/usr/bin/mold; do
  $linker --icf=safe states.o -o program
  functions=$($tools/llvm-nm program | grep ' state_' | cut -d' ' -f1 | sort -u | wc -l)
  states=$($tools/llvm-readobj --stackmap program | grep '#4' | sort -u | wc -l)
  echo "$($linker --version | head -n 1): addresses of the two functions: $functions, states recorded: $states"
  [ "$functions" = 1 ] && [ "$states" = 2 ]
done
