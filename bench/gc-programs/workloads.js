// SPDX-License-Identifier: Apache-2.0
//
// Programs of bench/retained/run, by node's collector: workloads.js NAME 1 ARGUMENT....
'use strict';

// ---- chains ----

const CHAIN_NODES = 100;

class Node {
  constructor(next, number) {
    this.next = next;
    this.number = number;
  }
}

function makeChain(first) {
  let chain = null;
  for (let i = 0; i < CHAIN_NODES; i++)
    chain = new Node(chain, (first + i) & 127);
  return chain;
}

function sumChain(chain) {
  let sum = 0;
  for (; chain !== null; chain = chain.next)
    sum += chain.number;
  return sum;
}

function chains(kept, rounds) {
  const stay = new Array(kept).fill(null), die = new Array(kept).fill(null);
  let sum = 0;
  for (let round = 0; round <= rounds; round++)
    for (let i = 0; i < kept; i++) {
      if (round === 0)
        stay[i] = makeChain(i);
      else
        sum += die[i].number;
      die[i] = makeChain(i + round);
    }
  for (let i = 0; i < kept; i++)
    sum += sumChain(stay[i]) + sumChain(die[i]);
  return sum;
}

const programs = {chains};
const [name, threads, ...words] = process.argv.slice(2);
if (!Object.hasOwn(programs, name) || threads !== '1')
  throw new Error(`unknown program: ${name}, ${threads} threads`);
console.log(String(programs[name](...words.map(Number))));
