#!/bin/sh
# BOLT 22.1.8: moves the calls of a function, and updates one half of LLVM's stack map.
#
# Expected: llvm-bolt either updates .llvm_stackmaps or leaves the functions alone that it describes. Observed: the
# function's address follows, by the relocation that --emit-relocs keeps, and the offsets of the calls within it stay as
# they were: after blocks are reordered, at least one record is at no return address. No warning names the section.
# Source: an offset of a record is a constant of the section without a relocation. `--skip-funcs` leaves functions as
# they are. Packages: libllvm22, llvm-22, lld-22 and bolt-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" "lld-22=$version" "bolt-22=$version" \
  2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > work.ll <<'END'
target triple = "x86_64-unknown-linux-gnu"
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
define void @safepoint() noinline {
  call void asm sideeffect "nop", ""()
  ret void
}
define void @work(i64 %count, ptr %flag) noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %back ]
  %wanted = load volatile i1, ptr %flag
  br i1 %wanted, label %stop, label %back
stop:
  %s = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 1, i32 0,
    ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 %i) ]
  store volatile i1 false, ptr %flag
  br label %back
back:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %out
out:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2, i32 0,
    ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 %next) ]
  ret void
}
define void @_start(ptr %flag) {
  call void @work(i64 9, ptr %flag)
  ret void
}
END
$tools/llc -O2 -filetype=obj work.ll -o work.o
$tools/ld.lld --emit-relocs work.o -o before
$tools/llvm-bolt before -o after --reorder-blocks=reverse > log 2>&1 || { cat log; exit 2; }
# Prints, for each record, "right" if a call ends at its place.
judge() {
  start=$($tools/llvm-nm "$1" | sed -n 's/ T work$//p')
  recorded=$($tools/llvm-readobj --stackmap "$1" | sed -n 's/.*Function address: \([0-9]*\),.*/\1/p')
  [ "$recorded" = $((0x$start)) ] || { echo "function address"; return; }
  $tools/llvm-objdump -d --no-show-raw-insn --disassemble-symbols=work "$1" |
    sed -n '/call/{n;s/^ *\([0-9a-f]*\):.*/\1/p}' > returns
  for offset in $($tools/llvm-readobj --stackmap "$1" | sed -n 's/.*instruction offset: //p'); do
    if grep -qx "$(printf %x $((recorded + offset)))" returns; then echo right; else echo wrong; fi
  done
}
plain=$(judge before | xargs) bolted=$(judge after | xargs)
echo "$($tools/llvm-bolt --version | grep -o 'version.*'): records before: $plain; after: $bolted"
[ "$plain" = 'right right' ] && case $bolted in *function*) false;; *wrong*) true;; *) false;; esac
