// SPDX-License-Identifier: Apache-2.0
// bench/programs/order.c in Java.

import java.lang.management.ManagementFactory;

final class Order {
    static final class Node {
        Node first, second, third;
        long number, round = -1;
    }

    static long state = 1;

    static long draw(long below) {
        state = (state * 6364136223846793005L + 1442695040888963407L) & 0x7fffffffffffffffL;
        return (state >> 20) % below;
    }

    static void shuffle(Node[] nodes) {
        for (int i = nodes.length - 1; i > 0; i--) {
            int other = (int) draw(i + 1);
            Node node = nodes[i];
            nodes[i] = nodes[other];
            nodes[other] = node;
        }
    }

    static Node build(String shape, int count) {
        Node[] nodes = new Node[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = new Node();
            nodes[i].number = i & 15;
        }
        if (shape.contains("shuffled"))
            shuffle(nodes);
        for (int i = 0; i < count; i++) {
            Node node = nodes[i];
            if (shape.startsWith("list")) {
                node.first = i + 1 < count ? nodes[i + 1] : null;
            } else if (shape.startsWith("tree")) {
                node.first = 2L * i + 1 < count ? nodes[2 * i + 1] : null;
                node.second = 2L * i + 2 < count ? nodes[2 * i + 2] : null;
            } else {
                node.first = nodes[(i + 1) % count];
                node.second = nodes[(int) draw(count)];
                node.third = nodes[(int) draw(count)];
            }
        }
        return nodes[0];
    }

    static int push(Node[] stack, int depth, Node to, long round) {
        if (to == null || to.round == round)
            return depth;
        to.round = round;
        stack[depth] = to;
        return depth + 1;
    }

    static long walk(Node first, Node[] stack, long round) {
        int depth = push(stack, 0, first, round);
        long sum = 0;
        while (depth > 0) {
            Node node = stack[--depth];
            sum += node.number;
            depth = push(stack, depth, node.third, round);
            depth = push(stack, depth, node.second, round);
            depth = push(stack, depth, node.first, round);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        int count = Integer.parseInt(arguments[1]), walks = Integer.parseInt(arguments[2]);
        Node first = build(arguments[0], count);
        Node[] stack = new Node[count];
        long sum = 0;
        double least = 1e300, total = 0;
        var threads = ManagementFactory.getThreadMXBean();

        System.gc();
        System.gc();
        for (int i = 0; i < walks; i++) {
            long start = threads.getCurrentThreadCpuTime();
            sum += walk(first, stack, i);
            double took = threads.getCurrentThreadCpuTime() - start;
            least = Math.min(least, took);
            total += took;
        }
        System.out.printf(java.util.Locale.ROOT, "%d %.2f %.2f%n", sum, least / count, total / count / walks);
    }
}
