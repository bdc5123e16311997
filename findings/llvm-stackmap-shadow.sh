#!/bin/sh
# LLVM 22.1.8: a safepoint returns into the shadow of a stackmap, since no-ops precede calls there and not statepoints.
#
# Expected: as after an ordinary call, no thread returns into a shadow, so that a runtime may overwrite the bytes (the
# Stack Map document, "llvm.experimental.stackmap"; the comment of StackMapShadowTracker in X86AsmPrinter.h). Observed:
# before an ordinary call in a shadow of 32 bytes there are 27 bytes of no-ops, and the call is its end; before a
# statepoint there are none, and the return address is 5 bytes after the record. Source: LowerSTATEPOINT() of
# llvm/lib/Target/X86/X86MCInstLower.cpp neither counts the call nor flushes the shadow, as emitInstruction() does for
# calls. Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root || exit 2; done
tools=root/usr/lib/llvm-22/bin
cat > points.ll <<END
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @g()
define void @ordinary() {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 32)
  call void @g()
  ret void
}
define void @statepoint() gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 32)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0)
  ret void
}
END
"$tools/llc" -filetype=obj points.ll -o points.o || exit 2
# The offset of the call in its function: the record is at the prologue's end in both.
call_of() {
  "$tools/llvm-objdump" -d --no-show-raw-insn --disassemble-symbols="$1" points.o |
    awk '/>:$/ { start = $1 } /call/ { sub(":", "", $1); print start, $1; exit }' |
    { read -r start at; echo $((0x$at - 0x$start)); }
}
ordinary=$(call_of ordinary) statepoint=$(call_of statepoint)
echo "$("$tools/llc" --version | grep -o 'version.*'): with a shadow of 32 bytes at offset 4, the ordinary call is at" \
  "$ordinary, the statepoint at $statepoint"
[ "$ordinary" -ge 31 ] && [ "$statepoint" -lt 31 ]
