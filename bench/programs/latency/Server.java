/* SPDX-License-Identifier: Apache-2.0
 *
 * The server of bench/latency in Java, with its meter: as server.c and meter.c.
 */
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;

public class Server extends Thread {
  static final int VALUES = 5, CELLS = 20, RECORD_BYTES = 8 + 24 + CELLS * 48, READS = 4, REPLACED = 4, CHECKED = 2000;

  static final class Cell {
    Cell next;
    long v0, v1, v2, v3, v4;
  }

  static final class Record {
    Cell cells;
    long key, version;
  }

  /* ---- the meter ---- */

  static final int WARM = 0, CAPACITY = 1, FIRST_LOAD = 2, LONGER = 5, PLANTED = 5;
  static final long HEAD_START = 10000000;
  static final long[] milliseconds = new long[FIRST_LOAD + 1];
  static Server[] servers;
  static long mib, stop, least, phaseBegin;
  static String folder;
  static double[] percent;
  static double capacity;
  static volatile int phase = WARM - 1;
  static CyclicBarrier barrier;

  /* Outside of the heap: as in C, the collector has nothing to do with it. */
  ByteBuffer memory = ByteBuffer.allocateDirect(0);
  LongBuffer starts, ends;
  int count, next;
  long done, took, bits;

  double draw() {
    bits ^= bits << 13;
    bits ^= bits >>> 7;
    bits ^= bits << 17;
    return ((bits >>> 11) + 1) / 9007199254740992.0;
  }

  void schedule(double rate, int count) {
    double moment = 0;
    this.count = count;
    next = 0;
    if (memory.capacity() < 16 * count)
      memory = ByteBuffer.allocateDirect(16 * count).order(ByteOrder.nativeOrder());
    memory.limit(16 * count);
    starts = memory.slice(0, 8 * count).order(ByteOrder.nativeOrder()).asLongBuffer();
    ends = memory.slice(8 * count, 8 * count).order(ByteOrder.nativeOrder()).asLongBuffer();
    for (int i = 0; i < count; i++) {
      moment += -Math.log(draw()) / rate * 1e9;
      starts.put(i, (long) moment);
      ends.put(i, -1);
    }
  }

  static void planLoad(int load) {
    double rate = capacity * percent[load] / 100 / servers.length;
    int usual = (int) (rate * milliseconds[FIRST_LOAD] / 1000) + 1;
    int count = (int) Math.max(usual, Math.min(least / servers.length, LONGER * usual));
    for (Server server : servers)
      server.schedule(rate, count);
    long begin = System.nanoTime() + HEAD_START, end = 0;
    for (Server server : servers) {
      for (int i = 0; i < count; i++)
        server.starts.put(i, server.starts.get(i) + begin);
      end = Math.max(end, server.starts.get(count - 1));
    }
    System.out.printf("load %d %d %d%n", (long) percent[load], begin, end);
  }

  static void writeLoad(int load) {
    for (int i = 0; i < servers.length; i++) {
      Path path = Path.of(folder, (long) percent[load] + "-" + i);
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                                                  StandardOpenOption.WRITE)) {
        ByteBuffer from = servers[i].memory.duplicate();
        while (from.hasRemaining())
          channel.write(from);
      } catch (IOException failed) {
        throw new RuntimeException(failed);
      }
    }
  }

  /* Runs in one thread while the others wait at the barrier. */
  static void planPhase() {
    if (phase == CAPACITY) {
      for (Server server : servers)
        capacity += server.done * 1e9 / server.took;
      System.out.printf("capacity %.0f%n", capacity);
    } else if (phase >= FIRST_LOAD) {
      writeLoad(phase - FIRST_LOAD);
    }
    if (phase + 1 >= FIRST_LOAD) {
      if (phase + 1 < FIRST_LOAD + percent.length)
        planLoad(phase + 1 - FIRST_LOAD);
    } else {
      for (Server server : servers)
        server.done = 0;
      phaseBegin = System.nanoTime();
    }
    phase++;
  }

  static void waitUntil(long moment) {
    for (long left; (left = moment - System.nanoTime()) > 0;)
      LockSupport.parkNanos(left);
  }

  static void changePhase() {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException failed) {
      throw new RuntimeException(failed);
    }
  }

  void plant() {
    int distance = count / (PLANTED + 1);
    if (stop != 0 && distance != 0 && next % distance == 0 && next / distance <= PLANTED)
      waitUntil(System.nanoTime() + stop * 1000000);
  }

  boolean isOver() {
    long usual = milliseconds[phase] * 1000000, enough = phase == CAPACITY ? least / servers.length : 0;
    took = System.nanoTime() - phaseBegin;
    return took >= usual && (done >= enough || took >= LONGER * usual);
  }

  boolean nextRequest() {
    if (phase < WARM)
      changePhase();
    while (phase < FIRST_LOAD) {
      if (!isOver()) {
        done++;
        return true;
      }
      changePhase();
    }
    for (; phase != FIRST_LOAD + percent.length; changePhase()) {
      if (next > 0)
        ends.put(next - 1, System.nanoTime());
      if (next == count)
        continue;
      waitUntil(starts.get(next));
      next++;
      plant();
      return true;
    }
    return false;
  }

  /* ---- the server ---- */

  final int number;
  long random, checksum, wrong;
  volatile long other;

  Server(int number) {
    this.number = number;
    random = 1 + number;
    bits = 88172645463325252L + number;
  }

  int nextRandom() {
    random = (random * 1103515245 + 12345) & 0x7fffffff;
    return (int) (random >> 8);
  }

  static Record makeRecord(long key, long version) {
    Cell cells = null;
    for (long at = CELLS; at-- > 0;) {
      Cell cell = new Cell();
      long first = key + 7 * version + 3 * at;
      cell.v0 = first;
      cell.v1 = first + 1;
      cell.v2 = first + 2;
      cell.v3 = first + 3;
      cell.v4 = first + 4;
      cell.next = cells;
      cells = cell;
    }
    Record record = new Record();
    record.cells = cells;
    record.key = key;
    record.version = version;
    return record;
  }

  static Cell copyBackwards(Cell list, long more) {
    Cell copy = null;
    for (; list != null; list = list.next) {
      Cell cell = new Cell();
      cell.v0 = list.v0 + more;
      cell.v1 = list.v1 + more;
      cell.v2 = list.v2 + more;
      cell.v3 = list.v3 + more;
      cell.v4 = list.v4 + more;
      cell.next = copy;
      copy = cell;
    }
    return copy;
  }

  static long addUp(Cell list) {
    long sum = 0;
    for (long at = 1; list != null; list = list.next, at++)
      sum += at * (list.v0 + list.v1 + list.v2 + list.v3 + list.v4);
    return sum;
  }

  static long readRecord(Record record) {
    Cell first = copyBackwards(record.cells, record.version);
    return addUp(copyBackwards(first, record.key));
  }

  long answer(Record[] table) {
    long sum = 0;
    for (int i = 0; i < READS; i++)
      sum += readRecord(table[nextRandom() % table.length]);
    for (int i = 0; i < REPLACED; i++) {
      int key = nextRandom() % table.length;
      table[key] = makeRecord(key, table[key].version + 1);
    }
    return sum;
  }

  static long countWrong(Record record, long key) {
    long wrong = record.key != key ? 1 : 0, at = 0;
    for (Cell cell = record.cells; cell != null; cell = cell.next, at++) {
      long first = key + 7 * record.version + 3 * at;
      if (cell.v0 != first || cell.v1 != first + 1 || cell.v2 != first + 2 || cell.v3 != first + 3
          || cell.v4 != first + 4)
        wrong++;
    }
    return wrong + (at != CELLS ? 1 : 0);
  }

  @Override
  public void run() {
    Record[] table = new Record[(int) ((mib << 20) / RECORD_BYTES / servers.length)];
    for (int key = 0; key < table.length; key++)
      table[key] = makeRecord(key, 0);
    for (int i = 0; i < CHECKED; i++)
      checksum += answer(table);
    while (nextRequest())
      other = answer(table);
    for (int key = 0; key < table.length; key++)
      wrong += countWrong(table[key], key);
  }

  /* SERVERS MIB WARM CAPACITY LOAD STOP LEAST FOLDER PERCENT... */
  public static void main(String[] words) throws InterruptedException, IOException {
    servers = new Server[Integer.parseInt(words[0])];
    mib = Long.parseLong(words[1]);
    for (int i = WARM; i <= FIRST_LOAD; i++)
      milliseconds[i] = Long.parseLong(words[2 + i]);
    stop = Long.parseLong(words[5]);
    least = Long.parseLong(words[6]);
    folder = words[7];
    percent = new double[words.length - 8];
    for (int i = 0; i < percent.length; i++)
      percent[i] = Integer.parseInt(words[8 + i]);
    barrier = new CyclicBarrier(servers.length, Server::planPhase);
    for (int i = 0; i < servers.length; i++)
      servers[i] = new Server(i);
    for (Server server : servers)
      server.start();
    long checksum = 0, wrong = 0;
    for (Server server : servers) {
      server.join();
      checksum += server.checksum;
      wrong += server.wrong;
    }
    System.out.printf("checksum %d%nwrong %d%n", checksum, wrong);
    System.in.readAllBytes();
  }
}
