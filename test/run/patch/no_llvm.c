// A program that patches, keeps assumptions and has inline caches needs nothing of LLVM.
// RUN: %cairn-cc -O2 %s -o %t && %t && %cairn-cc -O2 -static %s -o %t.static && %t.static
// RUN: llvm-readelf --needed-libs %t > %t.libraries && FileCheck --check-prefix=LIBRARIES %s < %t.libraries
// RUN: llvm-nm %t %t.static > %t.names && FileCheck --check-prefix=NAMES %s < %t.names
// LIBRARIES-NOT: LLVM
// LIBRARIES: libc.so
// LIBRARIES-NOT: LLVM
// NAMES-NOT: LLVM
// NAMES: T main
// NAMES-NOT: LLVM
// NAMES: T main
// NAMES-NOT: LLVM
#include <cairn/cairn.h>
#include <cairn/assembler.h>
#include <cairn/assumption.h>
#include <cairn/inline_cache.h>
#include <cairn/patch.h>
#include <cairn/patch_stub.h>

CAIRN_INLINE_CACHE_GROUP(caches, 1)

cairn_unmanaged static uintptr_t go_on(struct cairn_point_state *state)
{
  return state->resume;
}

/* Uses each header; the program has no points. */
cairn_unmanaged static int use_all(void)
{
  struct cairn_patch_stub *stub;
  struct cairn_assembler code;
  struct cairn_assumption *assumption = cairn_assumption_new();
  unsigned char bytes[8];

  cairn_assembler_begin(&code, bytes, sizeof bytes, 0);
  if (cairn_assembler_end(&code) || cairn_points_with_id(1, NULL, 0) != 0)
    return 1;
  if (cairn_patch_stub_new(go_on, NULL, (uintptr_t)use_all, &stub))
    return 2;
  cairn_patch_stub_free(stub);
  if (cairn_assumption_depend(assumption, cairn_patch_begin(), NULL) ||
      cairn_assumption_invalidate(&assumption, 1, NULL) || cairn_patch_commit(cairn_patch_begin(), NULL))
    return 3;
  return cairn_inline_cache_fill(&caches[0], 1, (struct cairn_inline_cache_values){{2, 3}}) ? 4 : 0;
}

int main(void)
{
  return use_all();
}
