; Globals that hold references. One that is left out keeps pointing to where its object was.
; RUN: %cairn opt -p globals -S %s | FileCheck %s
; RUN: %cairn opt --safepoints=none -p globals -S %s | FileCheck %s --check-prefix=NONE
; RUN: %cairn opt --shared -p globals -S %s | FileCheck %s --check-prefix=SHARED
; RUN: %cairn opt --words=000:10 -p globals -S %s | FileCheck %s --check-prefix=WORDS

$inline_one = comdat any
@plain = global i64 0
@null_table = constant [2 x ptr addrspace(1)] zeroinitializer
@half = constant { i64, ptr addrspace(1) } { i64 3, ptr addrspace(1) null }
@one = global ptr addrspace(1) null
@nested = internal global [2 x { i32, { ptr addrspace(1), i64 } }] zeroinitializer
@elsewhere = external global ptr addrspace(1)
@inline_one = linkonce_odr global ptr addrspace(1) null, comdat
@unmanaged = global ptr null

@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @early, ptr null }]

; CHECK: @cairn.root = private constant { ptr, ptr } { ptr @one, ptr @cairn.layout.0 }, section "cairn_roots", align 8, !associated ![[ONE:[0-9]+]]
; CHECK: @cairn.layout.1 = {{.*}} { i32 843993667, i32 2, i64 48, i64 0, i32 0, i32 0, i32 0, i32 0, [2 x i32] [i32 8, i32 32] }
; CHECK: @cairn.root.1 = private constant { ptr, ptr } { ptr @nested, ptr @cairn.layout.1 }
; It may be defined by a unit that Cairn did not compile: an entry of its own, not tied to a section
; of this file.
; CHECK: @cairn.root.2 = private constant { ptr, ptr } { ptr @elsewhere, ptr @cairn.layout.0 }, section "cairn_roots", align 8{{$}}
; An entry outside its global's group would refer to a section that the linker threw away.
; CHECK: @cairn.root.3 = {{.*}} { ptr @inline_one, {{.*}}, comdat($inline_one), align 8, !associated
; CHECK-NOT: @cairn.root.4
; CHECK: @llvm.compiler.used = appending global [3 x ptr] [ptr @cairn.root, ptr @cairn.root.1, ptr @cairn.root.3]
; What was not given frame maps does not link: nobody defines that symbol, which its rewriter renames.
; CHECK: @cairn_object_that_needs_cairn_frames_rewrite = external hidden global i8
; CHECK: @cairn.guard = private constant ptr @cairn_object_that_needs_cairn_frames_rewrite, section "cairn_guard", align 8
; CHECK: @llvm.used = appending global [2 x ptr] [ptr @cairn.root.2, ptr @cairn.guard]
; CHECK: @__stop_cairn_frames = extern_weak hidden global i8
; Its version and size come first.
; CHECK: @cairn.image.data = linkonce_odr hidden constant {{.*}} { i32 4, i32 96, ptr @cairn_object_that_needs_cairn_frames_rewrite, ptr @__stop_cairn_frames, ptr @__start_cairn_roots, ptr @__stop_cairn_roots, ptr @__start_cairn_layouts, ptr @__stop_cairn_layouts, ptr @__start_cairn_details, ptr @__stop_cairn_details, ptr @__start_cairn_points, ptr @__stop_cairn_points, i64 65536 }, comdat($cairn.image)
; Registered before the program's own constructors, which may collect.
; CHECK: @llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{{.*}} { i32 101, ptr @early, ptr null }, {{.*}} { i32 100, ptr @cairn.image, ptr @cairn.image }, {{.*}} { i32 100, ptr @cairn_code_that_needs_libcairn_a_or_fpic, ptr null }]
; CHECK-NOT: llvm.global_dtors
; CHECK: define linkonce_odr hidden void @cairn.image() comdat {
; CHECK-NEXT: call void @cairn_image_register(ptr @cairn.image.data)
; CHECK: ![[ONE]] = !{ptr @one}

; The flag must survive the linker's choice of one image for all units.
; NONE: @__start_cairn_frames = extern_weak
; NONE: @cairn.image.unsafe.data = linkonce_odr hidden constant {{.*}} { i32 4, i32 96, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, ptr null, i64 1 }, comdat($cairn.image.unsafe)
; Units of two kinds of words keep both images, where they are linked together; the flags say the kind, 3 and 0, 2 and 2.
; WORDS: @"cairn.image.words.000:10.data" = linkonce_odr hidden constant {{.*}} i64 565161861644288 }, comdat($"cairn.image.words.000:10")
; WORDS: call void @cairn_image_register(ptr @"cairn.image.words.000:10.data")
; SHARED: @llvm.global_dtors = {{.*}} { i32 100, ptr @cairn.image.leave, ptr @cairn.image.leave }
; SHARED: call void @cairn_image_unregister(ptr @cairn.image.data)

define void @early() gc "statepoint-example" {
  ret void
}
