; The mark that tells managed functions from native ones stands where prefix data would. Wrong: one
; of the two is lost, and a stub takes the function for native code.
; RUN: not %cairn opt -p transitions -S %s 2>&1 | FileCheck %s
; CHECK: function 'f'{{.*}}[prefix-data]
define void @f() gc "statepoint-example" prefix i32 1 {
  ret void
}
