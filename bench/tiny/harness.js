// Runs the work of a program argv[2] times on size argv[3]. Prints milliseconds of each, and the result.
exports.run = function (size, work) {
  const iterations = Number(process.argv[2] || 1);
  size = Number(process.argv[3] || size);
  let result;
  for (let i = 0; i < iterations; i++) {
    const start = performance.now();
    result = work(size);
    console.log("ms", performance.now() - start);
  }
  console.log("result", result);
};
