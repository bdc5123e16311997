#!/bin/sh
# LLVM 22.1.8, AArch64, -O3: the block that makes a frame is copied, and the unwind information knows one copy alone.
#
# Expected: behind the frame's making each instruction has unwind information that says so, however many copies of this
# code there are. Observed: a block behind the entry makes the frame (shrink wrapping), block placement copies it into
# both predecessors, and all code behind the copies gets `.cfi_def_cfa wsp, 0` and `.cfi_same_value w30`: an unwinder
# takes the word at SP for the caller's, and x30 for its return address. Source:
# CFIFixup (llvm/lib/CodeGen/CFIFixup.cpp) looks for one prologue and follows it in the order of blocks, after
# MachineBlockPlacement, whose tail duplication takes CFI instructions for harmless. With `-tail-dup-placement=false`
# there is one copy, rightly described. Statepoints have no part in it; clang -O3 makes such code of plain C.
# Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat >depth.ll <<'END'
@word = external thread_local(localexec) global i32
define i32 @depth(ptr %node) uwtable "frame-pointer"="all" {
entry:
  %known = load ptr, ptr %node
  %none = icmp eq ptr %known, null
  br i1 %none, label %begin, label %read
read:
  %first = load i32, ptr %known
  br label %begin
begin:
  %start = phi i32 [ %first, %read ], [ 0, %entry ]
  %next = getelementptr i8, ptr %node, i64 8
  %head = load ptr, ptr %next
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %end, label %before
before:
  %place = call ptr @llvm.threadlocal.address.p0(ptr @word)
  br label %loop
loop:
  %at = phi ptr [ %head, %before ], [ %up, %loop ]
  %sum = phi i32 [ %start, %before ], [ %more, %loop ]
  call preserve_allcc void @visit(ptr %place)
  %more = add i32 %sum, 1
  %link = getelementptr i8, ptr %at, i64 8
  %up = load ptr, ptr %link
  %last = icmp eq ptr %up, null
  br i1 %last, label %end, label %loop
end:
  %result = phi i32 [ %start, %begin ], [ %more, %loop ]
  ret i32 %result
}
declare preserve_allcc void @visit(ptr)
END
# The frame's makings, and the unwind information before the call.
report() { # NAME
  echo "$1: $(grep -cE 'stp.x29, x30' "$1") makings of the frame; before the call:" \
    "$(sed -n '/^depth:/,/visit$/p' "$1" | grep 'def_cfa' | tail -n 1 | tr '\t' ' ')"
}
$tools/llc -mtriple=aarch64-linux-gnu -O3 depth.ll -o copied
$tools/llc -mtriple=aarch64-linux-gnu -O3 -tail-dup-placement=false depth.ll -o single
for name in copied single; do report $name; done >seen
cat seen
grep -q '^copied: 2 .* \.cfi_def_cfa wsp, 0$' seen
grep -q '^single: 1 .* \.cfi_def_cfa w29, 16$' seen
