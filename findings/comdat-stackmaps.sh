#!/bin/sh
# GNU ld 2.40, lld 22.1.8, mold 1.10.1: the stack map of a discarded COMDAT function describes the one that is kept.
#
# Expected: if two objects define one inline function, and the linker keeps the first, either the map of the second goes
# with its function, or its address becomes 0, as in .debug_info, or the link fails. Observed: both maps have the kept
# function's address. If one object was compiled with a frame pointer and the other without, which the one-definition
# rule allows, the records for one return address name different stack slots. Source: LLVM's section .llvm_stackmaps
# belongs to no group, and its relocations go by the symbol's name, which the kept definition answers. Packages:
# libllvm22, llvm-22, lld-22, mold and GNU ld of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" "lld-22=$version" mold=1.10.1+dfsg-1 \
  binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2 libctf-nobfd0=2.40-2 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
for unit in first second; do
  frame=none
  [ "$unit" = first ] || frame=all
  cat > "$unit.ll" <<END
target triple = "x86_64-unknown-linux-gnu"
\$shared = comdat any
declare void @safepoint()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
define linkonce_odr i64 @shared(i64 %x) noinline "frame-pointer"="$frame" comdat gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 1, i32 0,
    ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 %x) ]
  ret i64 %x
}
define i64 @$unit(i64 %x) {
  %r = call i64 @shared(i64 %x)
  ret i64 %r
}
END
  $tools/llc -O2 -filetype=obj "$unit.ll" -o "$unit.o"
done
echo 'define void @safepoint() { ret void }' | $tools/llc -filetype=obj -o rest.o
# Prints an 8-byte word of the section in the file "map".
word() {
  od -An -tx8 -j "$1" -N 8 map | tr -d ' '
}
LD_LIBRARY_PATH=$folder/$(dirname "$(find root/usr/lib -name 'libbfd*.so' | head -n 1)") # of GNU ld and mold
export LD_LIBRARY_PATH
for linker in root/usr/bin/x86_64-linux-gnu-ld.bfd $tools/ld.lld root/usr/bin/mold; do
  $linker -e first first.o second.o rest.o -o program
  $tools/llvm-objcopy --dump-section=.llvm_stackmaps=map program
  half=$(($(wc -c < map) / 2))
  one=$(word 16) two=$(word $((half + 16)))
  slot_one=$(word 96) slot_two=$(word $((half + 96)))
  echo "$($linker --version | head -n 1): addresses in the two maps: $one $two, slots: $slot_one $slot_two"
  [ "$half" = 112 ] && [ "$one" = "$two" ] && [ "$one" != 0000000000000000 ] && [ "$slot_one" != "$slot_two" ]
done
