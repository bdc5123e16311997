// The spectral norm of an infinite matrix, by power iterations (the Benchmarks Game's).
const harness = require("../harness");

function element(i, j) {
  const sum = i + j;
  return 1.0 / (Math.floor(sum * (sum + 1) / 2) + i + 1);
}

function multiply(v, result, n) {
  for (let i = 0; i < n; i++) {
    let sum = 0.0;
    for (let j = 0; j < n; j++) sum += element(i, j) * v[j];
    result[i] = sum;
  }
}

function multiplyTransposed(v, result, n) {
  for (let i = 0; i < n; i++) {
    let sum = 0.0;
    for (let j = 0; j < n; j++) sum += element(j, i) * v[j];
    result[i] = sum;
  }
}

function spectralNorm(n) {
  const u = new Array(n).fill(1.0), v = new Array(n).fill(0.0), t = new Array(n).fill(0.0);
  for (let i = 0; i < 10; i++) {
    multiply(u, t, n);
    multiplyTransposed(t, v, n);
    multiply(v, t, n);
    multiplyTransposed(t, u, n);
  }
  let dot = 0.0, square = 0.0;
  for (let i = 0; i < n; i++) {
    dot += u[i] * v[i];
    square += v[i] * v[i];
  }
  return Math.sqrt(dot / square).toFixed(9);
}

harness.run(400, spectralNorm);
