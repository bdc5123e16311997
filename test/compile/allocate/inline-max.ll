; The largest block that is allocated in line, by option. What could go wrong: a collector does not see a block that it
; is to see; a small bound makes a huge one of the room for elements; a group of small blocks is a large one.
; RUN: %cairn opt -p layouts,allocate --inline-max=256 -S %s | FileCheck %s --check-prefixes=CHECK,SOME
; RUN: %cairn opt -p layouts,allocate --inline-max=40 -S %s | FileCheck %s --check-prefixes=CHECK,FEW
; RUN: %cairn opt -p layouts,allocate --inline-max=16 -S %s | FileCheck %s --check-prefixes=CHECK,SIXTEEN
; RUN: %cairn opt -p layouts,allocate --inline-max=8 -S %s | FileCheck %s --check-prefixes=CHECK,EIGHT
; RUN: %cairn opt -p layouts,allocate --inline-max=0 -S %s | FileCheck %s --check-prefixes=CHECK,NONE --implicit-check-not=alloc.fast
; RUN: %cairn opt -p layouts,allocate --inline-max=8184 -S %s > %t.most && %cairn opt -p layouts,allocate -S %s | diff %t.most -
; RUN: for b in 0 16 256; do %cairn opt -p layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --inline-max=$b --disable-output %s || exit 1; done
; RUN: for b in 12 8192 -8 8x 4294967296; do not %cairn opt --inline-max=$b --disable-output %s 2>&1 | FileCheck %s --check-prefix=WRONG || exit 1; done
; WRONG: --inline-max: '{{.*}}' is not a multiple of 8 from 0 to 8184

; What the images say: the size and a 1, above the kind of barriers; the one with sections, 0.
; RUN: %cairn opt -p layouts,allocate,globals --inline-max=256 -S %s | FileCheck %s --check-prefix=IMAGE
; IMAGE-DAG: @cairn.image.data = {{.*}}, i64 65536 }
; IMAGE-DAG: @cairn.image.inline.256.data = {{.*}}, i64 16842752 }
; IMAGE-DAG: @cairn.inline.kind = hidden constant i8 0, comdat($cairn.image.inline.256)
; RUN: %cairn opt -p layouts,allocate,globals --inline-max=0 -S %s | FileCheck %s --check-prefix=IMAGE0
; IMAGE0-DAG: @cairn.image.data = {{.*}}, i64 65536 }
; IMAGE0-DAG: @cairn.image.inline.0.data = {{.*}}, i64 65536 }
; IMAGE0-DAG: @cairn.inline.kind = hidden constant i8 0, comdat($cairn.image.inline.0)
; RUN: %cairn opt -p layouts,allocate,globals -S %s | FileCheck %s --check-prefix=DEFAULT
; DEFAULT-DAG: @cairn.image.data = {{.*}}, i64 65536 }
; DEFAULT-DAG: @cairn.image.inline.8184.data = {{.*}}, i64 536412160 }
; DEFAULT-DAG: @cairn.inline.kind = hidden constant i8 0, comdat($cairn.image.inline.8184)
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
@node = internal constant { ptr addrspace(1), ptr addrspace(1) } zeroinitializer
@page = internal constant [31 x i64] zeroinitializer
@long = internal constant i64 0
@byte = internal constant i8 0
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)

; A block of 24 bytes.
; CHECK-LABEL: @object(
; SOME: alloc.fast:
; FEW: alloc.fast:
; SIXTEEN-NOT: alloc.fast
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
define ptr addrspace(1) @object() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  ret ptr addrspace(1) %r
}

; 256 bytes.
; CHECK-LABEL: @large(
; SOME: %end = add i64 %free, 256
; FEW-NOT: alloc.fast
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
define ptr addrspace(1) @large() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc(ptr @page, i64 248)
  ret ptr addrspace(1) %r
}

; 16 bytes and the elements.
; CHECK-LABEL: @array(
; SOME: icmp ugt i64 %n, 30
; FEW: icmp ugt i64 %n, 3
; SIXTEEN-NOT: alloc.fast
; EIGHT-NOT: alloc.fast
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow(
define ptr addrspace(1) @array(i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 %n)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: @uninit(
; SOME: icmp ugt i64 %n, 240
; FEW: icmp ugt i64 %n, 24
; SIXTEEN-NOT: alloc.fast
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_uninit_slow(
define ptr addrspace(1) @uninit(i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @byte, i64 %n)
  ret ptr addrspace(1) %r
}

; 16 bytes, all of which are the header and the count.
; CHECK-LABEL: @no_elements(
; SIXTEEN: %end = add i64 %free, 16
; EIGHT-NOT: alloc.fast
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow(
define ptr addrspace(1) @no_elements() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 0)
  ret ptr addrspace(1) %r
}

; Two blocks of 24 bytes share a check only where 48 may.
; CHECK-LABEL: @two(
; SOME: %end = add i64 %free, 48
; FEW: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; FEW: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; NONE: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
; NONE: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
define ptr addrspace(1) @two() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  store ptr addrspace(1) %a, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}
