#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a random managed-C program of two to four threads whose output is the same in each run, from a seed.

Each thread runs functions of random_program.py's kind, whose globals are thread-locals here, and among their statements
those of threads/shared.h: items that go through a stack of atomics, slots and a ring under a lock; a treap behind one
atomic reference; a map under a lock; a thread that serves the others; callbacks of native code on this thread and on
native threads; signals that a thread raises, and a timer's, whose handlers allocate and collect; children of fork();
storms of threads that live briefly or are cancelled; a library that is loaded and unloaded. A program has some of these
kinds. Its threads meet after each round. Compiled with -DCAIRN_PLAIN by any C compiler it is its own oracle.

usage: random_threads.py SEED [--without=KIND,...] > program.c; ./program ROUNDS LIBRARY
"""
import random
import re
import sys
sys.dont_write_bytecode = True

import random_program

# By kind: statements, or expressions, whose value becomes a variable. {n} is a number, {r} a reference.
KINDS = {
    'stack': ['push({n});', 'push({n}); take(pop());', 'take(pop());', 'pop_all();'],
    'slots': ['swap_slot({n});', 'for (ulong k = 0; k < 3; k++) swap_slot({n} + k);'],
    'ring': ['send({n});', 'take(ring_take());', 'send({n}); send({n} + 1);'],
    'tree': ['plant({n}, {r});', 'r: look_up({n})', 'plant({n}, look_up({n}));', 'plant({n}, NIL);'],
    'map': ['count_text({n}, {r});', 'r: read_text({n})', 'count_text({n}, read_text({n}));'],
    'desk': ['r: ask({n})', 'n: sum_list(ask({n}))'],
    'callbacks': ['n: sort({n})', 'n: called({n} & 0xfff)', 'n: native_twice(called, {n} & 0xfff)'],
    'natives': ['n: native_threads(called, {n} & 0xff, 2)', 'n: native_threads(called, {n} & 0xff, 4)'],
    'raise': ['n: raise_one({n} & 0xffff)'],
    'timer': [],
    'fork': ['n: fork_one({n} & 0xffff, {r})'],
    'storm': ['n: storm({n} & 0xffff)'],
    'cancel': ['cancel({n} & 0xffff);'],
    'library': ['n: load({n} & 0xffff)'],
}
DEAR = ('natives', 'fork', 'storm', 'cancel', 'library', 'desk')
MEETINGS = ('meet_barrier', 'meet_condition', 'meet_spinning')

MAIN = """\
int main(int argc, char **argv)
{
  pthread_t thread[%(threads)d], server;
  void *result;

  rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
  prepare(%(threads)d, argc > 2 ? argv[2] : NULL);
  dirty();
  pthread_create(&server, NULL, serve, NULL);
  start_timer(%(timer)d);
  for (ulong i = %(first)d; i < %(threads)d; i++)
    if (pthread_create(&thread[i], NULL, starts[i], (void *)i) != 0) return 2;
  for (ulong i = 0; i < %(threads)d; i++) {
    if (i < %(first)d) result = starts[i]((void *)i);
    else pthread_join(thread[i], &result);
    printf("thread %%lu: %%lx\\n", i, (ulong)result);
  }
  pthread_mutex_lock(&desk.lock);
  desk.stop = 1;
  pthread_cond_signal(&desk.asked);
  pthread_mutex_unlock(&desk.lock);
  pthread_join(server, NULL);
  stop_timer();
  conclude();
  return 0;
}
"""


class Threads(random_program.Program):
    def __init__(self, seed, without):
        super().__init__(f'threads {seed}')
        kinds = list(KINDS)
        self.kinds = self.random.sample(kinds, self.pick([3, 5, 7, len(kinds)]))
        self.without = without

    def has(self, kind):
        return kind in self.kinds and kind not in self.without

    def statement(self, s, depth, budget):
        kind = self.pick(self.kinds)
        if self.chance(0.3) and KINDS[kind] and (kind not in DEAR or self.chance(0.15)):
            self.shared(s, depth, kind)
        else:
            super().statement(s, depth, budget)

    def shared(self, s, depth, kind):
        text = self.pick(KINDS[kind]).format(n=self.number(s, 2), r=self.ref(s, 2))
        what, colon, expression = text.partition(': ')
        name = self.fresh(what) if colon and what in 'nr' else ''
        if not self.has(kind):
            text = expression = '0' if what == 'n' else 'NIL'
        if name:
            self.line(depth, f'{"ulong" if what == "n" else "ref"} {name} = {expression};')
            s[what].append(name)
        elif self.has(kind):
            self.line(depth, text)

    def thread(self, number, meet):
        self.line(0, f'static void *start_{number}(void *number)')
        self.line(0, '{')
        self.line(1, 'self = (ulong)number;')
        self.line(1, 'rounds_state = BEGINS;')
        self.begin()
        self.line(1, 'struct node managed *top = global_ref;')
        self.line(1, 'for (long round = 0; round < rounds; round++) {')
        self.round(['top'], 2, self.pick([20, 60]))
        self.line(2, f'exchange_lists({meet});')
        self.line(1, '}')
        self.end()
        self.line(1, 'rounds_state = OUTSIDE;')
        self.line(1, 'return (void *)sum;')
        self.line(0, '}')

    def text(self):
        threads = self.pick([2, 2, 3, 4])
        for i in range(self.pick([1, 2, 2, 3])):
            self.function(i)
        meet = self.pick(MEETINGS)
        for i in range(threads):
            self.thread(i, meet)
        starts = ', '.join(f'start_{i}' for i in range(threads))
        self.line(0, f'static void *(*const starts[])(void *) = {{{starts}}};')
        timer = self.pick([150, 400, 1000]) if self.has('timer') else 0
        main = MAIN % {'threads': threads, 'timer': timer, 'first': self.pick([0, 1])}
        prelude = random_program.PRELUDE % {'fuel': 20}
        text = prelude + '#include "shared.h"\nstatic long rounds;\n' + '\n'.join(self.out) + '\n' + main
        return f'/* {", ".join(k for k in self.kinds if self.has(k))} */\n' + to_thread_locals(text)


def to_thread_locals(text):
    """random_program.py's globals and statics are each thread's."""
    text = re.sub(r'^( *static) (ref \w+\[|ulong turn|long fuel|ulong sum|struct [^();]*global_|ref managed \*global_|'
                  r'struct \{.*\} global_)', r'\1 _Thread_local \2', text, flags=re.M)
    return text


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith('--without=')]
    if len(arguments) != 1 or not arguments[0].isdigit():
        sys.exit(__doc__)
    without = [k for a in sys.argv[1:] if a.startswith('--without=') for k in a.split('=')[1].split(',')]
    print(Threads(int(arguments[0]), without).text(), end='')


main()
