// Permutations of 0..n-1 in an order of the Benchmarks Game; reversals of prefixes until 0 is first.
const harness = require("../harness");

function flipsOf(p, q, n) {
  let first = p[0];
  for (let i = 1; i < n; i++) q[i] = p[i];
  let flips = 1;
  for (;;) {
    const next = q[first];
    if (next === 0) return flips;
    q[first] = first;
    for (let i = 1, j = first - 1; i < j; i++, j--) {
      const t = q[i];
      q[i] = q[j];
      q[j] = t;
    }
    first = next;
    flips++;
  }
}

// The next permutation after an even one; false after the last.
function advance(p, left, n) {
  let t = p[1];
  p[1] = p[2];
  p[2] = t;
  for (let i = 2; i < n; i++) {
    if (left[i] !== 1) {
      left[i]--;
      return true;
    }
    if (i === n - 1) return false;
    left[i] = i + 1;
    t = p[0];
    for (let j = 0; j <= i; j++) p[j] = p[j + 1];
    p[i + 1] = t;
  }
}

function fannkuch(n) {
  const p = new Array(n).fill(0), q = new Array(n).fill(0), left = new Array(n).fill(0);
  for (let i = 0; i < n; i++) {
    p[i] = i;
    left[i] = i + 1;
  }
  let sign = 1, checksum = 0, most = 0;
  for (;;) {
    if (p[0] !== 0) {
      const flips = flipsOf(p, q, n);
      checksum += sign * flips;
      if (flips > most) most = flips;
    }
    if (sign === 1) {
      const t = p[0];
      p[0] = p[1];
      p[1] = t;
    } else if (!advance(p, left, n)) {
      return `${checksum} ${most}`;
    }
    sign = -sign;
  }
}

harness.run(10, fannkuch);
