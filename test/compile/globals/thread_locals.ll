; A root of a thread-local names a function that says where the calling thread's is, plus 1. The model is such that it is
; as far from the thread pointer in all threads.
; RUN: %cairn opt --shared -p globals -S %s | FileCheck %s

$inline_one = comdat any
@one = thread_local global ptr addrspace(1) null
@inner = internal thread_local(localdynamic) global { i64, [2 x ptr addrspace(1)] } zeroinitializer
@here = thread_local(localexec) global ptr addrspace(1) null
@inline_one = linkonce_odr thread_local global ptr addrspace(1) null, comdat
@elsewhere = external thread_local global ptr addrspace(1)
@number = thread_local global i64 0

; CHECK: @one = thread_local(initialexec) global
; CHECK: @inner = internal thread_local(initialexec) global
; CHECK: @here = thread_local(localexec) global
; CHECK: @inline_one = linkonce_odr thread_local(initialexec) global
; CHECK: @elsewhere = external thread_local(initialexec) global
; CHECK: @number = thread_local global
; CHECK: @cairn.root = private constant { ptr, ptr } { ptr getelementptr inbounds (i8, ptr @cairn.thread_root, i64 1), ptr @cairn.layout.0 }, section "cairn_roots", align 8, !associated ![[ONE:[0-9]+]]
; CHECK: @cairn.root.6 = {{.*}} @cairn.thread_root.{{[0-9]+}}, {{.*}} comdat($inline_one), align 8, !associated
; CHECK: @cairn.root.8 = {{.*}}, section "cairn_roots", align 8{{$}}
; CHECK: @llvm.compiler.used = appending global [4 x ptr]
; CHECK: define private ptr @cairn.thread_root() align 16 {
; CHECK-NEXT: %[[AT:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@one)
; CHECK-NEXT: ret ptr %[[AT]]
; CHECK: define private ptr @cairn.thread_root.{{[0-9]+}}() comdat($inline_one) align 16 {
; CHECK: ![[ONE]] = !{ptr @one}
