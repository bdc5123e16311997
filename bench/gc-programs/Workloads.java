/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of bench/gc, by Java's collectors: Workloads NAME THREADS ARGUMENT....
 */
import java.util.function.LongSupplier;

public class Workloads {
  static long[] arguments;

  static final class Random {
    long state = 1;

    int next() {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      return (int) (state >> 8);
    }
  }

  /* ---- bintrees ---- */

  static final class Tree {
    Tree left, right;
  }

  static Tree grow(long depth) {
    Tree tree = new Tree();
    if (depth > 0) {
      tree.left = grow(depth - 1);
      tree.right = grow(depth - 1);
    }
    return tree;
  }

  static long count(Tree tree) {
    return tree.left == null ? 1 : 1 + count(tree.left) + count(tree.right);
  }

  static long bintrees() {
    long depth = arguments[0], sum = count(grow(depth + 1));
    Tree kept = grow(depth);
    for (long d = 4; d <= depth; d += 2)
      for (long i = 0; i < 1L << (depth - d + 4); i++)
        sum += count(grow(d));
    return sum + count(kept);
  }

  /* ---- gcbench ---- */

  static final class Node {
    Node left, right;
    int i, j;
  }

  static void fillDown(Node node, long depth) {
    if (depth == 0)
      return;
    node.left = new Node();
    node.right = new Node();
    fillDown(node.left, depth - 1);
    fillDown(node.right, depth - 1);
  }

  static Node buildUp(long depth) {
    if (depth == 0)
      return new Node();
    Node left = buildUp(depth - 1), right = buildUp(depth - 1);
    Node node = new Node();
    node.left = left;
    node.right = right;
    return node;
  }

  static long countNodes(Node node) {
    return node.left == null ? 1 : 1 + countNodes(node.left) + countNodes(node.right);
  }

  static long size(long depth) {
    return (1L << (depth + 1)) - 1;
  }

  static long gcbench() {
    long depth = arguments[0], stretch = depth + 2, sum = countNodes(buildUp(stretch));
    Node kept = new Node();
    double[] numbers = new double[500000];
    fillDown(kept, depth + 1);
    for (int i = 0; i < numbers.length / 2; i++)
      numbers[i] = 1.0 / (i + 1);
    for (long d = 4; d <= depth; d += 2)
      for (long i = 0; i < 2 * size(stretch) / size(d); i++) {
        Node node = new Node();
        fillDown(node, d);
        sum += countNodes(node);
        sum += countNodes(buildUp(d));
      }
    return sum + countNodes(kept) + (numbers[999] != 1.0 / 1000 ? 1 : 0);
  }

  /* ---- churn ---- */

  static final class Item {
    Item next;
    long number, step;
  }

  static long churn() {
    Random random = new Random();
    Item[] table = new Item[(int) arguments[0]];
    long sum = 0;
    for (long i = 0; i < arguments[1]; i++) {
      int slot = random.next() % table.length;
      Item item = new Item(), old = table[slot];
      item.number = i & 127;
      item.step = i;
      item.next = old;
      if (old != null)
        old.next = null;
      table[slot] = item;
    }
    for (Item first : table)
      for (Item item = first; item != null; item = item.next)
        sum += item.number + (item.step & 1);
    return sum;
  }

  /* ---- deep ---- */

  static final class Cell {
    Cell next;
    long number;

    Cell(Cell next, long number) {
      this.next = next;
      this.number = number;
    }
  }

  static Cell build(long depth, long[] sum) {
    if (depth == 0)
      return null;
    for (long i = 0; i < arguments[2]; i++) {
      Cell garbage = new Cell(null, depth + i);
      sum[0] += garbage.number & 1;
    }
    Cell rest = build(depth - 1, sum);
    return new Cell(rest, depth & 63);
  }

  static long deep() {
    long[] sum = {0};
    for (long i = 0; i < arguments[1]; i++)
      for (Cell cell = build(arguments[0], sum); cell != null; cell = cell.next)
        sum[0] += cell.number;
    return sum[0];
  }

  /* ---- bytes ---- */

  static long bytes() {
    Random random = new Random();
    byte[][] table = new byte[(int) arguments[1]][];
    long sum = 0;
    for (long i = 0; i < arguments[0]; i++) {
      int chance = random.next(), power = 16 << chance % 12;
      int size = power + (chance >> 4) % power;
      byte[] array = new byte[size];
      array[0] = (byte) (i & 127);
      array[size - 1] = (byte) (size & 127);
      chance = random.next();
      if (chance % 8 != 0) {
        sum += array[size - 1];
        continue;
      }
      int slot = (chance >> 3) % table.length;
      if (table[slot] != null)
        sum += table[slot][0];
      table[slot] = array;
    }
    return sum;
  }

  /* ---- lru ---- */

  static final class Entry {
    Entry chain, newer, older;
    byte[] key, value;
  }

  static byte[] makeKey(long number) {
    byte[] digits = new byte[24];
    int length = 0;
    do {
      digits[length++] = (byte) ('0' + number % 10);
      number /= 10;
    } while (number != 0);
    byte[] key = new byte[4 + length];
    key[0] = 'k';
    key[1] = 'e';
    key[2] = 'y';
    key[3] = ':';
    System.arraycopy(digits, 0, key, 4, length);
    return key;
  }

  static byte[] makeValue(int length, int first) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++)
      value[i] = (byte) (first + (i & 15));
    return value;
  }

  static int hash(byte[] key) {
    int hash = (int) 2166136261L;
    for (byte b : key)
      hash = (hash ^ b) * 16777619;
    return hash >>> 1;
  }

  static final class Cache {
    final Entry[] buckets;
    Entry newest, oldest;
    int used;

    Cache(int size) {
      buckets = new Entry[size];
    }

    Entry find(byte[] key) {
      Entry entry = buckets[hash(key) % buckets.length];
      while (entry != null && !java.util.Arrays.equals(entry.key, key))
        entry = entry.chain;
      return entry;
    }

    void unlink(Entry entry) {
      if (entry.newer != null)
        entry.newer.older = entry.older;
      else
        newest = entry.older;
      if (entry.older != null)
        entry.older.newer = entry.newer;
      else
        oldest = entry.newer;
    }

    void linkNewest(Entry entry) {
      entry.newer = null;
      entry.older = newest;
      if (newest != null)
        newest.newer = entry;
      else
        oldest = entry;
      newest = entry;
    }

    void evict() {
      Entry last = oldest;
      int bucket = hash(last.key) % buckets.length;
      unlink(last);
      if (buckets[bucket] == last) {
        buckets[bucket] = last.chain;
      } else {
        Entry before = buckets[bucket];
        while (before.chain != last)
          before = before.chain;
        before.chain = last.chain;
      }
      used--;
    }

    void insert(byte[] key, byte[] value) {
      Entry entry = new Entry();
      int bucket = hash(key) % buckets.length;
      entry.key = key;
      entry.value = value;
      entry.chain = buckets[bucket];
      buckets[bucket] = entry;
      linkNewest(entry);
      if (++used > buckets.length)
        evict();
    }
  }

  static long lru() {
    int size = (int) arguments[0];
    Random random = new Random();
    Cache cache = new Cache(size);
    long sum = 0;
    for (long i = 0; i < arguments[1]; i++) {
      int a = random.next() % (4 * size), b = random.next() % (4 * size), c = random.next() % (4 * size);
      byte[] key = makeKey(Math.min(Math.min(a, b), c));
      Entry entry = cache.find(key);
      if (entry != null) {
        sum += entry.value.length + entry.value[0];
        cache.unlink(entry);
        cache.linkNewest(entry);
      } else {
        cache.insert(key, makeValue(16 + a % 240, 'a' + (int) (i % 8)));
      }
    }
    return sum + cache.used;
  }

  /* ---- graph ---- */

  static final class Edge {
    final Vertex to;
    final long weight;

    Edge(Vertex to, long weight) {
      this.to = to;
      this.weight = weight;
    }
  }

  static final class Vertex {
    Edge out0, out1, out2, out3;
    long number, round = -1;

    Vertex(long number) {
      this.number = number;
    }

    Edge get(int k) {
      return k == 0 ? out0 : k == 1 ? out1 : k == 2 ? out2 : out3;
    }

    void set(int k, Edge edge) {
      switch (k) {
        case 0: out0 = edge; break;
        case 1: out1 = edge; break;
        case 2: out2 = edge; break;
        default: out3 = edge;
      }
    }
  }

  static void shuffle(Vertex[] nodes, Random random) {
    for (int i = 0; i < nodes.length; i++) {
      Vertex a = nodes[random.next() % nodes.length], b = nodes[random.next() % nodes.length];
      int k = random.next() % 4;
      Edge first = a.get(k), second = b.get(k);
      if (a == b)
        continue;
      a.set(k, new Edge(second.to, first.weight + 1));
      b.set(k, new Edge(first.to, second.weight));
    }
  }

  static long walk(Vertex[] nodes, long round) {
    Vertex[] stack = new Vertex[nodes.length];
    int depth = 0;
    long sum = 0;
    stack[depth++] = nodes[0];
    nodes[0].round = round;
    while (depth > 0) {
      Vertex node = stack[--depth];
      for (int k = 0; k < 4; k++) {
        Edge edge = node.get(k);
        Vertex to = edge.to;
        sum += edge.weight;
        if (to.round == round)
          continue;
        to.round = round;
        sum += to.number & 15;
        stack[depth++] = to;
      }
    }
    return sum;
  }

  static long graph() {
    Random random = new Random();
    Vertex[] nodes = new Vertex[(int) arguments[0]];
    long sum = 0;
    for (int i = 0; i < nodes.length; i++)
      nodes[i] = new Vertex(i);
    for (Vertex node : nodes)
      for (int k = 0; k < 4; k++)
        node.set(k, new Edge(nodes[random.next() % nodes.length], k));
    for (long round = 0; round < arguments[1]; round++) {
      shuffle(nodes, random);
      sum += walk(nodes, round);
    }
    return sum;
  }

  /* ---- json ---- */

  static final int NOTHING = 0, FALSE = 1, TRUE = 2, NUMBER = 3, TEXT = 4, ARRAY = 5, OBJECT = 6;

  static final class Value {
    Value next, first;
    byte[] name, text;
    int kind;
    long number;
  }

  static final class Reader {
    final byte[] document;
    int at;

    Reader(byte[] document) {
      this.document = document;
    }

    void skipSpace() {
      while (document[at] == ' ' || document[at] == '\n')
        at++;
    }

    byte[] readText() {
      int from = ++at;
      while (document[at] != '"')
        at++;
      return java.util.Arrays.copyOfRange(document, from, at++);
    }

    long readNumber() {
      long number = 0, sign = 1;
      if (document[at] == '-') {
        sign = -1;
        at++;
      }
      while (document[at] >= '0' && document[at] <= '9')
        number = number * 10 + (document[at++] - '0');
      return sign * number;
    }

    int readWord() {
      int kind = document[at] == 't' ? TRUE : document[at] == 'f' ? FALSE : NOTHING;
      at += kind == FALSE ? 5 : 4;
      return kind;
    }

    Value readAll(char end, boolean named) {
      Value first = null, last = null;
      at++;
      for (skipSpace(); document[at] != end; skipSpace()) {
        byte[] name = null;
        if (named) {
          name = readText();
          at++;
        }
        Value value = readValue();
        value.name = name;
        if (last == null)
          first = value;
        else
          last.next = value;
        last = value;
        skipSpace();
        if (document[at] == ',')
          at++;
      }
      at++;
      return first;
    }

    Value readValue() {
      Value value = new Value();
      skipSpace();
      byte next = document[at];
      if (next == '{') {
        value.kind = OBJECT;
        value.first = readAll('}', true);
      } else if (next == '[') {
        value.kind = ARRAY;
        value.first = readAll(']', false);
      } else if (next == '"') {
        value.kind = TEXT;
        value.text = readText();
      } else if (next == '-' || next >= '0' && next <= '9') {
        value.kind = NUMBER;
        value.number = readNumber();
      } else {
        value.kind = readWord();
      }
      return value;
    }
  }

  static long look(Value value) {
    long sum = 0;
    for (; value != null; value = value.next) {
      sum += value.kind + value.number;
      if (value.name != null)
        sum += value.name.length;
      if (value.text != null)
        sum += value.text[value.text.length - 1];
      sum += look(value.first);
    }
    return sum;
  }

  static byte[] writeDocument(long records) {
    StringBuilder to = new StringBuilder("[");
    Random random = new Random();
    for (long i = 0; i < records; i++) {
      int number = random.next();
      to.append(i == 0 ? "" : ",\n").append("{\"id\": ").append(i).append(", \"name\": \"name of ").append(number)
          .append("\", \"tags\": [\"one\", \"tag").append(number % 100).append("\", -").append(number % 7)
          .append("], \"place\": {\"x\": ").append(number % 640).append(", \"y\": ").append(number % 480)
          .append(", \"known\": ").append(number % 2 == 0).append("}, \"more\": null}");
    }
    return to.append("]").toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  static long json() {
    byte[] document = writeDocument(arguments[0]);
    long sum = 0;
    for (long i = 0; i < arguments[1]; i++)
      sum += look(new Reader(document).readValue());
    return sum;
  }

  /* ---- chains ---- */

  static final int CHAIN_NODES = 100;

  static Cell makeChain(long first) {
    Cell chain = null;
    for (long i = 0; i < CHAIN_NODES; i++)
      chain = new Cell(chain, (first + i) & 127);
    return chain;
  }

  static long sumChain(Cell chain) {
    long sum = 0;
    for (; chain != null; chain = chain.next)
      sum += chain.number;
    return sum;
  }

  static long chains() {
    int kept = (int) arguments[0];
    long rounds = arguments[1], sum = 0;
    Cell[] stay = new Cell[kept], die = new Cell[kept];
    for (long round = 0; round <= rounds; round++)
      for (int i = 0; i < kept; i++) {
        if (round == 0)
          stay[i] = makeChain(i);
        else
          sum += die[i].number;
        die[i] = makeChain(i + round);
      }
    for (int i = 0; i < kept; i++)
      sum += sumChain(stay[i]) + sumChain(die[i]);
    return sum;
  }

  static LongSupplier named(String name) {
    switch (name) {
      case "bintrees": return Workloads::bintrees;
      case "gcbench": return Workloads::gcbench;
      case "churn": return Workloads::churn;
      case "deep": return Workloads::deep;
      case "bytes": return Workloads::bytes;
      case "lru": return Workloads::lru;
      case "graph": return Workloads::graph;
      case "json": return Workloads::json;
      case "chains": return Workloads::chains;
      default: throw new IllegalArgumentException(name);
    }
  }

  public static void main(String[] args) throws InterruptedException {
    LongSupplier work = named(args[0]);
    int threads = Integer.parseInt(args[1]);
    arguments = new long[args.length - 2];
    for (int i = 0; i < arguments.length; i++)
      arguments[i] = Long.parseLong(args[2 + i]);
    long[] results = new long[threads];
    Thread[] started = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      int at = i;
      started[i] = new Thread(null, () -> results[at] = work.getAsLong(), "work", 1L << 30);
      started[i].start();
    }
    long sum = 0;
    for (int i = 0; i < threads; i++) {
      started[i].join();
      sum += results[i];
    }
    System.out.println(sum);
  }
}
