declare void @oracle_safepoint()
define void @gc.safepoint_poll() {
  call void @oracle_safepoint()
  ret void
}
