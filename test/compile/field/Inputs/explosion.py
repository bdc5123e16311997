# One function of N calls with N references live over all of them.
import sys

count = int(sys.argv[1])
print('declare void @foo()')
print('declare ptr addrspace(1) @make()')
print('declare void @use(ptr addrspace(1))')
print('define void @f() gc "statepoint-example" {')
for i in range(count):
    print(f'  %r{i} = call ptr addrspace(1) @make()')
for i in range(count):
    print('  call void @foo()')
for i in range(count):
    print(f'  store volatile i64 1, ptr addrspace(1) %r{i}')
print('  ret void\n}')
