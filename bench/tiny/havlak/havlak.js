// Nested loops of control-flow graphs, reducible and irreducible ones (Havlak's algorithm).
const harness = require("../harness");

const NON_HEADER = 0;
const REDUCIBLE = 1;
const SELF = 2;
const IRREDUCIBLE = 3;

class Block {
  constructor(name) {
    this.name = name;
    this.sources = [];
    this.targets = [];
  }
}

class Graph {
  constructor() {
    this.blocks = [];
  }
  node(name) {
    while (this.blocks.length <= name) this.blocks.push(new Block(this.blocks.length));
    return this.blocks[name];
  }
  edge(a, b) {
    const source = this.node(a);
    const target = this.node(b);
    source.targets.push(target);
    target.sources.push(source);
  }
  diamond(start) {
    this.edge(start, start + 1);
    this.edge(start, start + 2);
    this.edge(start + 1, start + 3);
    this.edge(start + 2, start + 3);
    return start + 3;
  }
  straight(start, count) {
    for (let i = 0; i < count; i++) this.edge(start + i, start + i + 1);
    return start + count;
  }
  baseLoop(start) {
    const header = this.straight(start, 1);
    const first = this.diamond(header);
    const middle = this.straight(first, 1);
    const second = this.diamond(middle);
    const footer = this.straight(second, 1);
    this.edge(second, middle);
    this.edge(first, header);
    this.edge(footer, start);
    return this.straight(footer, 1);
  }
}

class Loop {
  constructor(isReducible) {
    this.isReducible = isReducible;
    this.parent = null;
    this.blocks = [];
  }
  depth() {
    if (this.parent === null) return 1;
    return 1 + this.parent.depth();
  }
}

// A block in the order of the search, and the set of blocks that it belongs to.
class Node {
  constructor(block, number) {
    this.block = block;
    this.number = number;
    this.parent = null;
    this.loop = null;
  }
  find() {
    let root = this;
    while (root.parent !== null) root = root.parent;
    let node = this;
    while (node !== root) {
      const next = node.parent;
      node.parent = root;
      node = next;
    }
    return root;
  }
}

class Finder {
  constructor(graph) {
    const count = graph.blocks.length;
    this.graph = graph;
    this.loops = [];
    this.nodes = [];
    this.number = new Array(count).fill(-1);
    this.last = new Array(count).fill(0);
    this.types = new Array(count).fill(NON_HEADER);
    this.back = [];
    this.others = [];
    for (let i = 0; i < count; i++) {
      this.back.push([]);
      this.others.push([]);
    }
  }
  search(block) {
    const number = this.nodes.length;
    this.number[block.name] = number;
    this.nodes.push(new Node(block, number));
    for (const target of block.targets) {
      if (this.number[target.name] === -1) this.search(target);
    }
    this.last[number] = this.nodes.length - 1;
  }
  isAncestor(w, v) {
    return w <= v && v <= this.last[w];
  }
  classify() {
    for (let w = 0; w < this.nodes.length; w++) {
      for (const source of this.nodes[w].block.sources) {
        const v = this.number[source.name];
        if (v !== -1) {
          if (this.isAncestor(w, v)) this.back[w].push(v);
          else this.others[w].push(v);
        }
      }
    }
  }
  // The nodes from which w is reached by a back edge, and the nodes between.
  poolOf(w) {
    const pool = [];
    for (const v of this.back[w]) {
      if (v === w) this.types[w] = SELF;
      else pool.push(this.nodes[v].find());
    }
    if (pool.length > 0) this.types[w] = REDUCIBLE;
    let at = 0;
    while (at < pool.length) {
      const x = pool[at];
      at++;
      for (const v of this.others[x.number]) {
        const y = this.nodes[v].find();
        if (!this.isAncestor(w, y.number)) {
          this.types[w] = IRREDUCIBLE;
          if (!has(this.others[w], y.number)) this.others[w].push(y.number);
        } else if (y.number !== w && !has(pool, y)) {
          pool.push(y);
        }
      }
    }
    return pool;
  }
  find() {
    this.search(this.graph.blocks[0]);
    this.classify();
    let w = this.nodes.length - 1;
    while (w >= 0) {
      const pool = this.poolOf(w);
      if (pool.length > 0 || this.types[w] === SELF) {
        const loop = new Loop(this.types[w] !== IRREDUCIBLE);
        this.loops.push(loop);
        this.nodes[w].loop = loop;
        loop.blocks.push(this.nodes[w].block);
        for (const node of pool) {
          node.parent = this.nodes[w];
          if (node.loop !== null) node.loop.parent = loop;
          else loop.blocks.push(node.block);
        }
      }
      w--;
    }
    return this.loops;
  }
}

function has(values, value) {
  for (const v of values) {
    if (v === value) return true;
  }
  return false;
}

function makeGraph() {
  const graph = new Graph();
  graph.baseLoop(0);
  graph.edge(0, 2);
  let n = graph.blocks.length - 1;
  for (let i = 0; i < 4; i++) {
    graph.edge(2, n + 1);
    n++;
    for (let j = 0; j < 10; j++) {
      const top = n;
      n = graph.straight(n, 1);
      for (let k = 0; k < 5; k++) n = graph.baseLoop(n);
      const bottom = graph.straight(n, 1);
      graph.edge(n, top);
      n = bottom;
    }
    graph.edge(n, 1);
  }
  return graph;
}

function havlak(runs) {
  const graph = makeGraph();
  let loops = 0;
  let blocks = 0;
  let depths = 0;
  let irreducible = 0;
  for (let i = 0; i < runs; i++) {
    for (const loop of new Finder(graph).find()) {
      loops++;
      blocks += loop.blocks.length;
      depths += loop.depth();
      if (!loop.isReducible) irreducible++;
    }
  }
  return `${graph.blocks.length} ${loops} ${blocks} ${depths} ${irreducible}`;
}

harness.run(150, havlak);
