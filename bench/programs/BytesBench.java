/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of bytes, most of which die at once: what bytes.c does, by Java's collectors; `BytesBench COUNT SLOTS`.
 */
public class BytesBench {
  public static void main(String[] args) {
    int count = Integer.parseInt(args[0]), slots = Integer.parseInt(args[1]);
    byte[][] table = new byte[slots][];
    long random = 1, sum = 0;

    for (int i = 0; i < count; i++) {
      random = (random * 1103515245 + 12345) & 0x7fffffff;
      int power = 16 << (random >> 8) % 12;
      int size = power + (int) ((random >> 12) % power);
      byte[] bytes = new byte[size];
      bytes[0] = (byte) (i & 127);
      bytes[size - 1] = (byte) (size & 127);
      random = (random * 1103515245 + 12345) & 0x7fffffff;
      if ((random >> 8) % 8 != 0) {
        sum += bytes[size - 1];
        continue;
      }
      int slot = (int) ((random >> 11) % slots);
      if (table[slot] != null)
        sum += table[slot][0];
      table[slot] = bytes;
    }
    System.out.println(sum);
  }
}
