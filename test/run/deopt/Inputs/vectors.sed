# HAVE: eight numbers, from volatile factors. SAME: %same tells whether they are still these.
/^  HAVE$/c\
  %f0 = load volatile double, ptr @factors\
  %f1 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 8)\
  %f2 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 16)\
  %f3 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 24)\
  %f4 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 32)\
  %f5 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 40)\
  %f6 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 48)\
  %f7 = load volatile double, ptr getelementptr (i8, ptr @factors, i64 56)\
  %v0 = fmul double %x, %f0\
  %v1 = fmul double %x, %f1\
  %v2 = fmul double %x, %f2\
  %v3 = fmul double %x, %f3\
  %v4 = fmul double %x, %f4\
  %v5 = fmul double %x, %f5\
  %v6 = fmul double %x, %f6\
  %v7 = fmul double %x, %f7
/^  SAME$/c\
  %same = call i1 @are_same(double %x, double %v0, double %v1, double %v2, double %v3, double %v4, double %v5, double %v6, double %v7)
