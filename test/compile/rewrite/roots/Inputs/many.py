#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""many.py CALLS LIVE [apart]: a function of CALLS safepoints over which LIVE references live, each call's result in the
place of one of them. With `apart`, the calls are on a path of their own, on which none of them is used."""
import sys

calls, live, apart = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ['apart']
print('''target triple = "x86_64-unknown-linux-gnu"
declare ptr addrspace(1) @make(ptr addrspace(1))
declare void @use(ptr addrspace(1)) "gc-leaf-function"
define void @f(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:''')
values = [f'%l{i}' for i in range(live)]
for value in values:
    print(f'  {value} = load ptr addrspace(1), ptr addrspace(1) %a')
if apart:
    print('  br i1 %c, label %calls, label %end\ncalls:')
for i in range(calls):
    print(f'  %c{i} = call ptr addrspace(1) @make(ptr addrspace(1) {"null" if apart else values[i % live]})')
    if not apart:
        values[i % live] = f'%c{i}'
print('  ret void\nend:' if apart else '  br label %end\nend:')
for value in values:
    print(f'  call void @use(ptr addrspace(1) {value})')
print('  ret void\n}')
