#!/bin/sh
# LLVM 22.1.8: place-safepoints leaves a cycle with two entries without a poll, even with -spp-all-backedges.
#
# Expected: an endless loop of a managed function polls on each iteration; the option's name promises all back edges.
# Observed: a cycle with one entry has its poll, the same cycle with a second entry has none, so a thread in it never
# reaches a safepoint. C makes such cycles by goto or a switch into a loop, and jump threading makes them of ordinary
# loops. Source: llvm/lib/Transforms/Scalar/PlaceSafepoints.cpp goes by LoopInfo, whose loops have one header.
# Packages: libllvm22 and llvm-22 of Debian, into a folder. Exits non-zero if that changes.
set -eu
version='1:22.1.8-1~deb12u1'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libllvm22=$version" "llvm-22=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
tools=root/usr/lib/llvm-22/bin
for entries in one two; do
  second=first
  [ "$entries" = one ] || second=other
  cat > "$entries.ll" <<END
declare void @poll()
define void @gc.safepoint_poll() {
  call void @poll()
  ret void
}
define void @cycle(i1 %choice, ptr %flag) gc "statepoint-example" {
  br i1 %choice, label %first, label %$second
first:
  %a = load volatile i1, ptr %flag
  br i1 %a, label %other, label %out
other:
  %b = load volatile i1, ptr %flag
  br i1 %b, label %first, label %out
out:
  ret void
}
END
done
polls() {
  $tools/opt -passes=place-safepoints -spp-all-backedges -spp-no-entry -S "$1.ll" |
    sed -n '/define void @cycle/,/^}/p' | grep -c 'call void @poll' || true
}
one=$(polls one) two=$(polls two)
echo "$($tools/opt --version | grep -o 'version.*'): polls in a cycle with one entry: $one, with two entries: $two"
[ "$one" -gt 0 ] && [ "$two" = 0 ]
