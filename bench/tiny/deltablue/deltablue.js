// A solver of one-way constraints with strengths (DeltaBlue, by Freeman-Benson and Maloney).
const harness = require("../harness");

// Strengths: the smaller is the stronger.
const REQUIRED = 0;
const PREFERRED = 2;
const STRONG_DEFAULT = 3;
const NORMAL = 4;
const WEAKEST = 6;
const NONE = 0;
const FORWARD = 1;
const BACKWARD = 2;

class Variable {
  constructor(value) {
    this.value = value;
    this.constraints = [];
    this.determinedBy = null;
    this.mark = 0;
    this.strength = WEAKEST;
    this.stay = true;
  }
  add(constraint) {
    this.constraints.push(constraint);
  }
  drop(constraint) {
    this.constraints = this.constraints.filter((c) => c !== constraint);
    if (this.determinedBy === constraint) this.determinedBy = null;
  }
}

class Constraint {
  constructor(strength, planner) {
    this.strength = strength;
    this.planner = planner;
  }
  post() {
    this.enter();
    this.planner.add(this);
  }
  // Makes the constraint hold if it can; the constraint that it takes the place of, or nil.
  satisfy(mark) {
    this.choose(mark);
    if (!this.isSatisfied()) {
      if (this.strength === REQUIRED) throw new Error("a required constraint fails");
      return null;
    }
    this.markInputs(mark);
    const out = this.output();
    const overridden = out.determinedBy;
    if (overridden !== null) overridden.markUnsatisfied();
    out.determinedBy = this;
    if (!this.planner.propagate(this, mark)) throw new Error("a cycle");
    out.mark = mark;
    return overridden;
  }
  destroy() {
    if (this.isSatisfied()) this.planner.remove(this);
    else this.leave();
  }
  isInput() {
    return false;
  }
}

class Unary extends Constraint {
  constructor(variable, strength, planner) {
    super(strength, planner);
    this.variable = variable;
    this.satisfied = false;
  }
  enter() {
    this.variable.add(this);
    this.satisfied = false;
  }
  leave() {
    this.variable.drop(this);
    this.satisfied = false;
  }
  choose(mark) {
    this.satisfied = this.variable.mark !== mark && this.strength < this.variable.strength;
  }
  isSatisfied() {
    return this.satisfied;
  }
  markInputs(mark) {}
  markUnsatisfied() {
    this.satisfied = false;
  }
  output() {
    return this.variable;
  }
  inputsKnown(mark) {
    return true;
  }
  recalculate() {
    this.variable.strength = this.strength;
    this.variable.stay = !this.isInput();
    if (this.variable.stay) this.execute();
  }
  execute() {}
}

class Stay extends Unary {}

class Edit extends Unary {
  isInput() {
    return true;
  }
}

class Binary extends Constraint {
  constructor(first, second, strength, planner) {
    super(strength, planner);
    this.first = first;
    this.second = second;
    this.direction = NONE;
  }
  enter() {
    this.first.add(this);
    this.second.add(this);
    this.direction = NONE;
  }
  leave() {
    this.first.drop(this);
    this.second.drop(this);
    this.direction = NONE;
  }
  choose(mark) {
    const first = this.first;
    const second = this.second;
    this.direction = NONE;
    if (first.mark === mark) {
      if (second.mark !== mark && this.strength < second.strength) this.direction = FORWARD;
    } else if (second.mark === mark) {
      if (this.strength < first.strength) this.direction = BACKWARD;
    } else if (first.strength > second.strength) {
      if (this.strength < first.strength) this.direction = BACKWARD;
    } else if (this.strength < second.strength) {
      this.direction = FORWARD;
    }
  }
  isSatisfied() {
    return this.direction !== NONE;
  }
  markInputs(mark) {
    this.input().mark = mark;
  }
  markUnsatisfied() {
    this.direction = NONE;
  }
  input() {
    if (this.direction === FORWARD) return this.first;
    return this.second;
  }
  output() {
    if (this.direction === FORWARD) return this.second;
    return this.first;
  }
  inputsKnown(mark) {
    const input = this.input();
    return input.mark === mark || input.stay || input.determinedBy === null;
  }
  recalculate() {
    const input = this.input();
    const out = this.output();
    out.strength = Math.max(this.strength, input.strength);
    out.stay = input.stay;
    if (out.stay) this.execute();
  }
}

class Equality extends Binary {
  execute() {
    this.output().value = this.input().value;
  }
}

class Scale extends Binary {
  constructor(first, scale, offset, second, strength, planner) {
    super(first, second, strength, planner);
    this.scale = scale;
    this.offset = offset;
  }
  enter() {
    super.enter();
    this.scale.add(this);
    this.offset.add(this);
  }
  leave() {
    super.leave();
    this.scale.drop(this);
    this.offset.drop(this);
  }
  markInputs(mark) {
    super.markInputs(mark);
    this.scale.mark = mark;
    this.offset.mark = mark;
  }
  execute() {
    if (this.direction === FORWARD) {
      this.second.value = this.first.value * this.scale.value + this.offset.value;
    } else {
      this.first.value = (this.second.value - this.offset.value) / this.scale.value;
    }
  }
  recalculate() {
    const input = this.input();
    const out = this.output();
    out.strength = Math.max(this.strength, input.strength);
    out.stay = input.stay && this.scale.stay && this.offset.stay;
    if (out.stay) this.execute();
  }
}

class Planner {
  constructor() {
    this.mark = 0;
  }
  newMark() {
    this.mark++;
    return this.mark;
  }
  add(constraint) {
    const mark = this.newMark();
    let overridden = constraint.satisfy(mark);
    while (overridden !== null) overridden = overridden.satisfy(mark);
  }
  remove(constraint) {
    const out = constraint.output();
    constraint.markUnsatisfied();
    constraint.leave();
    const unsatisfied = this.resetFrom(out);
    for (let strength = REQUIRED; strength < WEAKEST; strength++) {
      for (const c of unsatisfied) {
        if (c.strength === strength) this.add(c);
      }
    }
  }
  plan(sources) {
    const mark = this.newMark();
    const plan = [];
    const todo = sources;
    while (todo.length > 0) {
      const c = todo.pop();
      const out = c.output();
      if (out.mark !== mark && c.inputsKnown(mark)) {
        plan.push(c);
        out.mark = mark;
        this.addConsumers(out, todo);
      }
    }
    return plan;
  }
  // False at a cycle.
  propagate(constraint, mark) {
    const todo = [constraint];
    while (todo.length > 0) {
      const c = todo.pop();
      const out = c.output();
      if (out.mark === mark) {
        this.remove(constraint);
        return false;
      }
      c.recalculate();
      this.addConsumers(out, todo);
    }
    return true;
  }
  // Without a constraint that determines `out`: the constraints downstream that do not hold.
  resetFrom(out) {
    out.determinedBy = null;
    out.strength = WEAKEST;
    out.stay = true;
    const unsatisfied = [];
    const todo = [out];
    while (todo.length > 0) {
      const v = todo.pop();
      for (const c of v.constraints) {
        if (!c.isSatisfied()) unsatisfied.push(c);
      }
      for (const c of v.constraints) {
        if (c !== v.determinedBy && c.isSatisfied()) {
          c.recalculate();
          todo.push(c.output());
        }
      }
    }
    return unsatisfied;
  }
  addConsumers(variable, todo) {
    const determining = variable.determinedBy;
    for (const c of variable.constraints) {
      if (c !== determining && c.isSatisfied()) todo.push(c);
    }
  }
}

function sourcesOf(constraints) {
  return constraints.filter((c) => c.isInput() && c.isSatisfied());
}

function execute(plan) {
  for (const c of plan) c.execute();
}

// A chain of equalities with an edit at one end.
function chain(n) {
  const planner = new Planner();
  const first = new Variable(0);
  let last = first;
  for (let i = 0; i < n; i++) {
    const next = new Variable(0);
    new Equality(last, next, REQUIRED, planner).post();
    last = next;
  }
  new Stay(last, STRONG_DEFAULT, planner).post();
  const edit = new Edit(first, PREFERRED, planner);
  edit.post();
  const plan = planner.plan(sourcesOf([edit]));
  let sum = 0;
  for (let i = 0; i < 100; i++) {
    first.value = i;
    execute(plan);
    if (last.value !== i) throw new Error("chain");
    sum += last.value;
  }
  return sum;
}

function change(variable, value, planner) {
  const edit = new Edit(variable, PREFERRED, planner);
  edit.post();
  const plan = planner.plan(sourcesOf([edit]));
  for (let i = 0; i < 10; i++) {
    variable.value = value;
    execute(plan);
  }
  edit.destroy();
}

// Two sets of variables, each of one a linear function of one of the other.
function projection(n) {
  const planner = new Planner();
  const scale = new Variable(10);
  const offset = new Variable(1000);
  let source = null;
  let target = null;
  const targets = [];
  for (let i = 0; i < n; i++) {
    source = new Variable(i);
    target = new Variable(i);
    targets.push(target);
    new Stay(source, NORMAL, planner).post();
    new Scale(source, scale, offset, target, REQUIRED, planner).post();
  }
  change(source, 17, planner);
  if (target.value !== 1170) throw new Error("projection 1");
  change(target, 1050, planner);
  if (source.value !== 5) throw new Error("projection 2");
  change(scale, 5, planner);
  for (let i = 0; i < n - 1; i++) {
    if (targets[i].value !== i * 5 + 1000) throw new Error("projection 3");
  }
  change(offset, 2000, planner);
  let sum = 0;
  for (let i = 0; i < n - 1; i++) {
    if (targets[i].value !== i * 5 + 2000) throw new Error("projection 4");
    sum += targets[i].value;
  }
  return sum;
}

function deltablue(runs) {
  let sum = 0;
  for (let i = 0; i < runs; i++) sum += chain(100) + projection(100);
  return Math.trunc(sum);
}

harness.run(150, deltablue);
