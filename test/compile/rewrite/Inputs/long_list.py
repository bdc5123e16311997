#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A function with a long list at one call: long_list.py statepoint|call|references COUNT."""
import sys

form, count = sys.argv[1], int(sys.argv[2])
numbers = ', '.join(f'i64 {n}' for n in range(count))
print('declare void @foo()')
if form == 'statepoint':
    print('declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)')
    print('define void @f() gc "statepoint-example" {')
    print('  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, '
          f'ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"({numbers}) ]')
elif form == 'call':
    print('define void @f() gc "statepoint-example" {')
    print(f'  call void @foo() [ "deopt"({numbers}) ]')
else:
    print('define void @f(ptr %from, ptr %to) gc "statepoint-example" {')
    for n in range(count):
        print(f'  %v{n} = load ptr addrspace(1), ptr %from')
    print('  call void @foo()')
    for n in range(count):
        print(f'  store ptr addrspace(1) %v{n}, ptr %to')
print('  ret void')
print('}')
