/* SPDX-License-Identifier: Apache-2.0
 *
 * What an object costs, for bench/allocation: what objects.c does, by Java's collectors; `ObjectsBench COUNT`.
 */
import java.lang.management.ManagementFactory;
import java.util.function.LongUnaryOperator;

public class ObjectsBench {
  static final int LENGTH = 1000, REPEATS = 7;

  static final class Bytes16 {
    long a;
    Bytes16 next;
  }

  static final class Bytes32 {
    long a, b, c;
    Bytes32 next;
  }

  static final class Bytes64 {
    long a, b, c, d, e, f, g;
    Bytes64 next;
  }

  static long bytes16(long count) {
    long sum = 0;
    for (long i = 0; i < count;) {
      Bytes16 list = null;
      for (int n = 0; n < LENGTH; n++, i++) {
        Bytes16 o = new Bytes16();
        o.a = i;
        o.next = list;
        list = o;
      }
      for (; list != null; list = list.next)
        sum += list.a;
    }
    return sum;
  }

  static long bytes32(long count) {
    long sum = 0;
    for (long i = 0; i < count;) {
      Bytes32 list = null;
      for (int n = 0; n < LENGTH; n++, i++) {
        Bytes32 o = new Bytes32();
        o.a = i;
        o.b = i + 1;
        o.c = i + 2;
        o.next = list;
        list = o;
      }
      for (; list != null; list = list.next)
        sum += list.a;
    }
    return sum;
  }

  static long bytes64(long count) {
    long sum = 0;
    for (long i = 0; i < count;) {
      Bytes64 list = null;
      for (int n = 0; n < LENGTH; n++, i++) {
        Bytes64 o = new Bytes64();
        o.a = i;
        o.b = i + 1;
        o.c = i + 2;
        o.d = i + 3;
        o.e = i + 4;
        o.f = i + 5;
        o.g = i + 6;
        o.next = list;
        list = o;
      }
      for (; list != null; list = list.next)
        sum += list.a;
    }
    return sum;
  }

  static long two(long count) {
    long sum = 0;
    for (long i = 0; i < count;) {
      Bytes16 list = null;
      for (int n = 0; n < LENGTH; n += 2, i += 2) {
        Bytes16 first = new Bytes16(), second = new Bytes16();
        first.a = i;
        second.a = i + 1;
        first.next = list;
        second.next = first;
        list = second;
      }
      for (; list != null; list = list.next)
        sum += list.a;
    }
    return sum;
  }

  static long dies(long count) {
    long sum = 0;
    for (long i = 0; i < count; i++) {
      Bytes16 o = new Bytes16();
      o.a = sum ^ i;
      o.next = null;
      sum += o.a;
    }
    return sum;
  }

  static long nanoseconds() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  static void measure(String name, LongUnaryOperator run, long count) {
    long least = Long.MAX_VALUE, sum = 0;
    for (int r = 0; r < REPEATS; r++) {
      long start = nanoseconds();
      sum = run.applyAsLong(count);
      least = Math.min(least, nanoseconds() - start);
    }
    System.out.printf("%s %.3f %d%n", name, (double) least / count, sum);
  }

  public static void main(String[] args) {
    long count = Long.parseLong(args[0]);
    measure("bytes16", ObjectsBench::bytes16, count);
    measure("bytes32", ObjectsBench::bytes32, count);
    measure("bytes64", ObjectsBench::bytes64, count);
    measure("two", ObjectsBench::two, count);
    measure("dies", ObjectsBench::dies, count);
  }
}
