"""Prints IR with a function of one patchpoint, id 8, whose live values are COUNT integers, a double, a float and two
constants: many_values.py COUNT. If COUNT is above the number of the machine's registers, memory has some of them.

The function loads the integers from an array, and returns the sum of their multiples and of the floating-point values.
The description of the point is in the form that describe_points.py takes.
"""
import sys

count = int(sys.argv[1])
values = ', '.join(f'i64 %v{k}' for k in range(count))
classes = ' '.join(['i64'] * count)
print('''declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
define i64 @point(ptr %p, double %d, float %f) uwtable gc "statepoint-example" {''')
for k in range(count):
    print(f'''  %q{k} = getelementptr i64, ptr %p, i64 {k}
  %v{k} = load volatile i64, ptr %q{k}''')
print(f'''  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 8, i32 16, ptr null, i32 0,
    {values}, double %d, float %f, i8 -1, i64 42,
    {{{{patchpoint 16 convention=13: {classes} f64 f32 i8 i64}}}})
  %di = fptosi double %d to i64
  %fi = fptosi float %f to i64
  %s = add i64 %di, %fi''')
for k in range(count):
    print(f'''  %m{k} = mul i64 %v{k}, {k + 3}
  %s{k} = add i64 %s{k - 1 if k else ""}, %m{k}''')
print(f'''  ret i64 %s{count - 1}
}}''')
