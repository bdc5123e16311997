// A text of records is parsed into maps and arrays, and written again with sorted names.
const harness = require("../harness");

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.end = text.length;
  }
  fail(message) {
    throw new Error(`${message} at ${this.at}`);
  }
  // The code of the next character; 0 at the end.
  next() {
    if (this.at >= this.end) return 0;
    return this.text.charCodeAt(this.at);
  }
  skip() {
    let c = this.next();
    while (c === 32 || c === 10) {
      this.at++;
      c = this.next();
    }
  }
  expect(code) {
    this.skip();
    if (this.next() !== code) this.fail(`expected ${code}`);
    this.at++;
  }
  word(text, value) {
    if (this.text.slice(this.at, this.at + text.length) !== text) this.fail("unknown word");
    this.at += text.length;
    return value;
  }
  value() {
    this.skip();
    const c = this.next();
    if (c === 123) return this.object();
    if (c === 91) return this.array();
    if (c === 34) return this.string();
    if (c === 116) return this.word("true", true);
    if (c === 102) return this.word("false", false);
    if (c === 110) return this.word("null", null);
    return this.number();
  }
  object() {
    const result = new Map();
    this.expect(123);
    this.skip();
    while (this.next() !== 125) {
      this.skip();
      const name = this.string();
      this.expect(58);
      result.set(name, this.value());
      this.skip();
      if (this.next() === 44) this.at++;
    }
    this.at++;
    return result;
  }
  array() {
    const result = [];
    this.expect(91);
    this.skip();
    while (this.next() !== 93) {
      result.push(this.value());
      this.skip();
      if (this.next() === 44) this.at++;
    }
    this.at++;
    return result;
  }
  string() {
    this.expect(34);
    let start = this.at, result = "";
    for (;;) {
      let c = this.next();
      if (c === 0) this.fail("unfinished string");
      if (c === 34) break;
      if (c === 92) {
        result += this.text.slice(start, this.at);
        this.at++;
        c = this.next();
        if (c === 110) result += "\n";
        else result += this.text[this.at];
        start = this.at + 1;
      }
      this.at++;
    }
    result += this.text.slice(start, this.at);
    this.at++;
    return result;
  }
  number() {
    const start = this.at;
    let c = this.next();
    while (c === 45 || c === 46 || (c >= 48 && c <= 57)) {
      this.at++;
      c = this.next();
    }
    if (start === this.at) this.fail("unexpected character");
    return Number(this.text.slice(start, this.at));
  }
}

function writeString(s, out) {
  out.push('"');
  let start = 0;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c === 34 || c === 92 || c === 10) {
      out.push(s.slice(start, i));
      if (c === 10) out.push("\\n");
      else out.push("\\", s[i]);
      start = i + 1;
    }
  }
  out.push(s.slice(start, s.length), '"');
}

function writeValue(v, out) {
  if (typeof v === "string") {
    writeString(v, out);
  } else if (Array.isArray(v)) {
    out.push("[");
    for (let i = 0; i < v.length; i++) {
      if (i > 0) out.push(", ");
      writeValue(v[i], out);
    }
    out.push("]");
  } else if (v instanceof Map) {
    const names = [...v.keys()];
    names.sort();
    out.push("{");
    for (let i = 0; i < names.length; i++) {
      if (i > 0) out.push(", ");
      writeString(names[i], out);
      out.push(": ");
      writeValue(v.get(names[i]), out);
    }
    out.push("}");
  } else if (v === null) {
    out.push("null");
  } else {
    out.push(String(v));
  }
}

function makeText(records) {
  const out = ["["];
  for (let i = 0; i < records; i++) {
    if (i > 0) out.push(", ");
    out.push(`{"id": ${i}, "name": "item \\"${i}\\"", "nested": {"x": ${i * 7 % 100}, "y": -${i % 10}.5}, `);
    out.push('"none": null, "ok": true, "tags": ["red", "line\\nbreak", "blue"]}');
  }
  out.push("]");
  return out.join("");
}

function json(records) {
  const text = makeText(records);
  const value = new Parser(text).value();
  const out = [];
  writeValue(value, out);
  let sum = 0;
  for (const record of value) sum += record.get("id") + record.get("nested").get("y");
  return `${text.length} ${out.join("") === text} ${Math.trunc(sum)}`;
}

harness.run(12000, json);
