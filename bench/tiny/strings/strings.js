// Text is built from pieces, split into words, counted in a map, joined in order, and searched.
const harness = require("../harness");

const SYLLABLES = ["ka", "to", "mi", "ren", "sul", "da", "pe", "lor"];

function makeText(words) {
  const text = [];
  let seed = 42;
  for (let i = 0; i < words; i++) {
    seed = (seed * 1309 + 13849) % 65536;
    let word = "";
    for (let j = 0; j < seed % 3 + 1; j++) word += SYLLABLES[(Math.floor(seed / 8) + j * 3) % 8];
    if (i > 0) text.push(" ");
    text.push(word);
  }
  return text.join("");
}

function countsOf(text) {
  const counts = new Map();
  for (const word of text.split(" ")) {
    if (counts.has(word)) counts.set(word, counts.get(word) + 1);
    else counts.set(word, 1);
  }
  return counts;
}

function vowelsOf(text) {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "a" || c === "e" || c === "i" || c === "o" || c === "u") count++;
  }
  return count;
}

function strings(words) {
  const text = makeText(words);
  const counts = countsOf(text);
  const names = [...counts.keys()];
  names.sort();
  const lines = [];
  for (const name of names) lines.push(`${name}=${counts.get(name)}`);
  const table = lines.join(";");
  const replaced = text.replaceAll("ka", "xyz").toUpperCase();
  let found = 0;
  let at = replaced.indexOf("XYZ");
  while (at >= 0) {
    found++;
    at = replaced.indexOf("XYZ", at + 3);
  }
  return `${text.length} ${names.length} ${table.length} ${vowelsOf(text)} ${found} ${table.slice(0, 30)}`;
}

harness.run(500000, strings);
