#!/bin/sh
# LLVM 22.1.8, AArch64, -O0: after a call whose callee pops its arguments, a value is read beside its stack slot.
#
# Expected: after a call of tailcc with arguments in memory, which the callee pops, the caller lowers the stack pointer
# again and then reads its slots; x86-64 does so. Observed: at -O0 a reload relative to SP stands between the call and
# `sub sp, sp, #16`, so it reads 16 bytes above the slot. The result is wrong, or the program crashes, as soon as the
# value is used. Source: RegAllocFast (llvm/lib/CodeGen/RegAllocFast.cpp) reloads a register that a call changes right
# behind the call, in front of ADJCALLSTACKUP, whose popped bytes AArch64FrameLowering.cpp gives back there, and
# AArch64RegisterInfo::eliminateFrameIndex() takes SP for constant. The greedy allocator reloads behind. Statepoints
# have no part in it. Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > call.ll <<'END'
declare i64 @first(i64)
declare tailcc i64 @popping(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)
define void @caller(i64 %k, ptr %to) {
  %a = call i64 @first(i64 %k)
  %b = call tailcc i64 @popping(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 %k)
  %d = sub i64 %a, %b
  store i64 %d, ptr %to
  ret void
}
END
# The code from the call of popping() to the return.
show() {
  $tools/llc -mtriple="$1" "$2" call.ll -o call.s
  echo "$1 $2:"
  sed -n '/\(bl\|callq\)[[:space:]]*popping/,/[[:space:]]ret/p' call.s | grep -v '\.cfi' | sed 's/ *\(\/\/\|#\) .*//' |
    tee "$3"
}
show x86_64-linux-gnu -O0 x86
show aarch64-linux-gnu -O1 optimised
show aarch64-linux-gnu -O0 plain
sed -n 2p x86 | grep -q subq && sed -n 2p optimised | grep -q 'sub.sp, sp, #16' &&
  sed -n 2p plain | grep -q 'ldr.*\[sp' && sed -n 3p plain | grep -q 'sub.sp, sp, #16'
