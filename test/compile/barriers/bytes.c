// cairn_copy() is memcpy, and has its barrier, in pieces too: nothing says what the bytes are. Fewer than a reference
// has, and bytes one by one, have none, of whatever kind. Wrong: a barrier takes bytes for references, or memcpy goes
// without.
// RUN: for k in cards snapshot loads; do for o in -O0 -O2; do \
// RUN:   %cairn-cc $o -fcairn-barriers=$k -S -emit-llvm %s -o %t.ll && \
// RUN:   FileCheck --check-prefix=BYTES %s < %t.ll || exit 1; done || exit 1; \
// RUN:   FileCheck --check-prefix=COPY %s < %t.ll || exit 1; done
#include <cairn/cairn.h>

// BYTES-LABEL: define {{.*}}@some(
// BYTES-NOT: cairn_barrier
// BYTES-NOT: lshr i64 %{{.*}}, 9
// BYTES: {{store i16|call void @llvm.memcpy.p1.p1.i64\(.*, i64 3, i1 false\)}}
// BYTES-NOT: cairn_barrier
// BYTES-NOT: lshr i64 %{{.*}}, 9
// BYTES: ret void
void some(char managed *to, char managed *from)
{
  cairn_copy(to, from, 3);
}

// COPY-LABEL: define {{.*}}@many(
// COPY: cairn_barrier_range(
// COPY: call void @llvm.memcpy.p1.p1.i64(
// COPY: @cairn.long.llvm.memcpy.p1.p1.i64
// COPY: define internal void @cairn.long.llvm.memcpy.p1.p1.i64(
// COPY: cairn_poll
// COPY: cairn_barrier_range(
// COPY: call void @llvm.memcpy.p1.p1.i64(
void many(char managed *restrict to, char managed *restrict from, long n)
{
  cairn_copy(to, from, n);
}
