// The points of a grid that stay in the Mandelbrot set for 50 iterations; a hash of the image's bits.
const harness = require("../harness");

function stays(cr, ci) {
  let zr = 0.0, zi = 0.0, rr = 0.0, ii = 0.0;
  for (let i = 0; i < 50; i++) {
    zi = 2.0 * zr * zi + ci;
    zr = rr - ii + cr;
    rr = zr * zr;
    ii = zi * zi;
    if (rr + ii > 4.0) return 0;
  }
  return 1;
}

function mandelbrot(n) {
  let hash = 0, count = 0;
  for (let y = 0; y < n; y++) {
    const ci = 2.0 * y / n - 1.0;
    for (let x = 0; x < n; x++) {
      const bit = stays(2.0 * x / n - 1.5, ci);
      count += bit;
      hash = (hash * 2 + bit) % 1000003;
    }
  }
  return `${count} ${hash}`;
}

harness.run(800, mandelbrot);
