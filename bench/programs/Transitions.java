/* SPDX-License-Identifier: Apache-2.0
 *
 * Java's calls of native code, for bench/transitions, `Transitions TURNS`: nanoseconds for each. The library is
 * transitions_native.c; the loop is compiled before it is timed.
 */
public class Transitions {
  static native long call(long value);

  static native double now();

  static long sink;

  static void run(long turns) {
    long value = 0;

    for (long i = 0; i < turns; i++)
      value = call(value);
    sink = value;
  }

  public static void main(String[] arguments) {
    long turns = Long.parseLong(arguments[0]);

    System.loadLibrary("native");
    for (int i = 0; i < 20; i++)
      run(20000);
    double start = now();
    run(turns);
    System.out.printf("jni %.3f%n", (now() - start) / turns);
  }
}
