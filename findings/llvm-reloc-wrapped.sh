#!/bin/sh
# LLVM 22.1.8, assembler: `.reloc label-4` at the start of a fragment makes a relocation at 2^32 + its place.
#
# Expected: the offset of the relocation is that of the label less 4, or an error, as from GNU as ("reloc not within
# (fixed part of) section"). Observed: if the label begins a fragment, for instance behind an alignment, the offset is
# larger by 2^32. lld 22 then says that the section is too large for a range extension thunk, and GNU ld ends by a
# signal. A label in the middle of a fragment is right. Large sections have fragments of their own accord, so the same
# text works in a small file and fails in a large one. Source: the offset within the fragment is a 32-bit number
# (MCFixup::Offset, llvm/MC/MCFixup.h), which is negative here, and is added to the fragment's 64-bit offset. Packages:
# libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
# The offset of the relocation 4 bytes before a label, behind `nop` and $1.
offset() {
  printf ' nop\n nop\n%s\nlabel:\n .reloc label-4, R_X86_64_PC32, target\n nop\n' "$1" >text.s
  $tools/llvm-mc -triple=x86_64-linux-gnu -filetype=obj text.s -o text.o
  $tools/llvm-readelf -rW text.o | awk '/R_X86_64_PC32/ { print $1 }'
}
within=$(offset ' nop
 nop')
behind=$(offset ' .p2align 4')
echo "a label at 4, within a fragment: relocation at 0x$within"
echo "a label at 16, behind an alignment: relocation at 0x$behind"
[ "$within" = 0000000000000000 ] && [ "$behind" = 000000010000000c ]
