// Many short-lived trees beside one that stays (the Benchmarks Game's).
const harness = require("../harness");

class Tree {
  constructor(left, right) {
    this.left = left;
    this.right = right;
  }
  count() {
    if (this.left === null) return 1;
    return 1 + this.left.count() + this.right.count();
  }
}

function make(depth) {
  if (depth === 0) return new Tree(null, null);
  return new Tree(make(depth - 1), make(depth - 1));
}

function binaryTrees(deepest) {
  let result = `${make(deepest + 1).count()}`;
  const kept = make(deepest);
  for (let depth = 4; depth <= deepest; depth += 4) {
    const count = 1 << (deepest - depth + 4);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += make(depth).count();
    result += ` ${sum}`;
  }
  return result + ` ${kept.count()}`;
}

harness.run(15, binaryTrees);
