# Turns exceptions of an unwinder in IR into exceptions of the language with key 5: each invoke lies in a span.
s/native_raise/raise_5/g
s/native_caught/caught_5/g
/^declare .* @raise_5(/d
/^declare .* @caught_5(/d
/ invoke /i\  call void @cairn.span.begin(i64 5, ptr null)
/^\(on\|good\):/a\  call void @cairn.span.end(i64 5)
/ landingpad /a\  call void @cairn.span.end(i64 5)
1i\declare void @cairn.span.begin(i64, ptr)\
declare void @cairn.span.end(i64)
