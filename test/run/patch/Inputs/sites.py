"""Prints IR with COUNT functions of two sites each: sites.py COUNT.

Function `site_K` has a patchpoint, id K, and a patchable statepoint, id COUNT + K. A shadow of 160 + K bytes before the
patchpoint, or of 160 + 4 K on AArch64, gives the functions different alignments.
Both take an object, whose first word is a number, and a number; they return the sum and 1 or 2, by their target.
`run_sites` calls each function and counts wrong results; `run_site` calls one and returns both last terms.
"""
import os
import sys

count = int(sys.argv[1])
# The smallest length of code, and that of a site, for a far call.
unit, length = (4, 16) if os.environ.get('TEST_MACHINE') == '183' else (1, 13)
print('''
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare i64 @absent(ptr addrspace(1), i64)''')
for k in range(count):
    print(f'''
define internal i64 @site_{k}(ptr addrspace(1) %object, i64 %n) noinline align 128 gc "statepoint-example" {{
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 {2 * count + k}, i32 {160 + unit * k})
  %leaf = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 {k}, i32 {length}, ptr null, i32 2, ptr addrspace(1) %object, i64 %n, i64 %n)
  %call = call i64 @absent(ptr addrspace(1) %object, i64 %n) "statepoint-id"="{count + k}" "statepoint-num-patch-bytes"="{length}"
  %number = load i64, ptr addrspace(1) %object
  %sum = add i64 %number, %n
  %a = sub i64 %leaf, %sum
  %b = sub i64 %call, %sum
  %high = shl i64 %a, 32
  %both = add i64 %high, %b
  ret i64 %both
}}''')
print('''
define i64 @run_sites(ptr addrspace(1) %object, i64 %n) noinline gc "statepoint-example" {''')
for k in range(count):
    print(f'''  %r{k} = call i64 @site_{k}(ptr addrspace(1) %object, i64 %n)
  %other{k} = sub i64 %r{k}, 4294967297
  %outside{k} = and i64 %other{k}, -4294967298
  %wrong{k} = icmp ne i64 %outside{k}, 0
  %add{k} = zext i1 %wrong{k} to i64
  %bad{k} = add i64 {f"%bad{k - 1}" if k else "0"}, %add{k}''')
print(f'''  ret i64 %bad{count - 1}
}}

define i64 @run_site(ptr addrspace(1) %object, i64 %n, i64 %k) noinline gc "statepoint-example" {{
  switch i64 %k, label %none [''')
for k in range(count):
    print(f'    i64 {k}, label %at{k}')
print('  ]\nnone:\n  ret i64 0')
for k in range(count):
    print(f'at{k}:\n  %r{k} = call i64 @site_{k}(ptr addrspace(1) %object, i64 %n)\n  ret i64 %r{k}')
print('}')
