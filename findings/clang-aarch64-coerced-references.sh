#!/bin/sh
# clang 22.1.8, AArch64: a struct with a reference is passed as integers, so statepoints neither list nor relocate it.
#
# Expected: a member of address space 1, whose pointers a collector may move, is a value of type `ptr addrspace(1)` in
# IR where its struct is passed, as for x86-64; rewrite-statepoints-for-gc then lists it at each call that it lives
# across. Observed: for AArch64 (and RISC-V) the parameter is a [2 x i64], the statepoint lists no reference, and the
# next call gets the old address. No tool complains: an integer may be live across a statepoint. Source:
# AArch64ABIInfo::classifyArgumentType() passes each aggregate of up to 16 bytes that is not of floating-point numbers
# in registers as integers (clang/lib/CodeGen/Targets/AArch64.cpp); X86_64ABIInfo asks for the type of each
# eightbyte. Packages: clang-22, libclang-cpp22, llvm-22 and libllvm22 of Debian, into a folder.
# Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" "clang-22=$version" "libclang-cpp22=$version" 2>log ||
  { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
cat > struct.c <<'END'
struct pair {
  long __attribute__((address_space(1))) *object;
  long number;
};
void collect(void);
long get(struct pair pair);
long collect_and_get(struct pair pair)
{
  collect();
  return get(pair);
}
END
# The function after rewrite-statepoints-for-gc, in short: its head, and the references of the first safepoint.
show() {
  $tools/clang --target="$1" -O1 -S -emit-llvm struct.c -o struct.ll
  sed -i '/^define/s/ [a-z_]* #[0-9]* {/ gc "statepoint-example" {/' struct.ll
  $tools/opt -passes=rewrite-statepoints-for-gc -S struct.ll -o statepoint.ll
  echo "$1: $(grep -o '^define.*)' statepoint.ll), references at the call of collect():" \
    "$(grep '@collect,' statepoint.ll | grep -o '"gc-live".*' || echo none)" | tee "$2"
}
show x86_64-linux-gnu x86
show aarch64-linux-gnu aarch64
grep -q 'gc-live"(ptr addrspace(1)' x86 && grep -q 'i64\].*none' aarch64
