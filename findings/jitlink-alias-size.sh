#!/bin/sh
# LLVM 22.1.8: JITLink refuses an alias into an object that is not private; LLVM itself writes the alias's wrong size.
#
# Expected: an alias of type i32 at the third element of an array is valid IR (the reference, "Aliases": the aliasee is
# a constant expression), and its symbol has 4 bytes; an object that ld accepts runs under JITLink too. Observed: the
# symbol has the array's 16 bytes, from offset 8, so it ends after its object. The program of ld runs; llvm-jitlink ends
# with "symbol third (0x8 -- 0x18) extends 0x8 bytes past the end of its containing block". If the array is private, the
# symbol has 4 bytes and JITLink runs it. Source: emitGlobalAlias() in llvm/lib/CodeGen/AsmPrinter/AsmPrinter.cpp gives
# a size to aliases of private objects alone, ELFWriter::writeSymbol() in llvm/lib/MC/ELFObjectWriter.cpp takes the size
# of the base for the others, and graphifySymbols() in llvm/lib/ExecutionEngine/JITLink/ELFLinkGraphBuilder.h compares
# it with the block. LLVM's issue 87985 (open) reports the same. Packages: libllvm22 and llvm-22 of Debian, into a
# folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root || exit 2; done
tools=root/usr/lib/llvm-22/bin
for linkage in internal private; do
  cat > "$linkage.ll" <<END
target triple = "x86_64-unknown-linux-gnu"
@table = $linkage constant [4 x i32] [i32 1, i32 2, i32 42, i32 4]
@third = alias i32, getelementptr inbounds ([4 x i32], ptr @table, i64 0, i64 2)
define i32 @main() {
  %v = load i32, ptr @third
  ret i32 %v
}
END
  "$tools/llc" -filetype=obj -relocation-model=pic "$linkage.ll" -o "$linkage.o" || exit 2
  cc "$linkage.o" -o "$linkage" || exit 2
done
size_of() { "$tools/llvm-readelf" -s "$1.o" | awk '$8 == "third" { print $3 }'; }
# Prints "42" if main() runs, "refused", or "another".
link() {
  status=0
  "$tools/llvm-jitlink" "$1.o" > answers 2>&1 || status=$?
  if [ "$status" = 42 ]; then echo 42
  elif grep -q 'symbol third .* past the end of its containing block' answers; then echo refused
  else cat answers >&2; echo another; fi
}
static=0
./internal || static=$?
size=$(size_of internal) linked=$(link internal) private_size=$(size_of private) private=$(link private)
echo "LLVM $version: an alias of type i32 has size $size, main() of ld: $static, of JITLink: $linked; of a private" \
  "array it has size $private_size, main() of JITLink: $private"
[ "$size" = 16 ] && [ "$static" = 42 ] && [ "$linked" = refused ] && [ "$private_size" = 4 ] && [ "$private" = 42 ]
