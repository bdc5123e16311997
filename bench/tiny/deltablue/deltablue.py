"""A solver of one-way constraints with strengths (DeltaBlue, by Freeman-Benson and Maloney)."""
import harness

# Strengths: the smaller is the stronger.
REQUIRED = 0
PREFERRED = 2
STRONG_DEFAULT = 3
NORMAL = 4
WEAKEST = 6
NONE = 0
FORWARD = 1
BACKWARD = 2


class Variable:
    def __init__(self, value):
        self.value = value
        self.constraints = []
        self.determined_by = None
        self.mark = 0
        self.strength = WEAKEST
        self.stay = True

    def add(self, constraint):
        self.constraints.append(constraint)

    def drop(self, constraint):
        self.constraints = [c for c in self.constraints if c != constraint]
        if self.determined_by == constraint:
            self.determined_by = None


class Constraint:
    def __init__(self, strength, planner):
        self.strength = strength
        self.planner = planner

    def post(self):
        self.enter()
        self.planner.add(self)

    def satisfy(self, mark):
        """Makes the constraint hold if it can; the constraint that it takes the place of, or nil."""
        self.choose(mark)
        if not self.is_satisfied():
            if self.strength == REQUIRED:
                raise ValueError('a required constraint fails')
            return None
        self.mark_inputs(mark)
        out = self.output()
        overridden = out.determined_by
        if overridden is not None:
            overridden.mark_unsatisfied()
        out.determined_by = self
        if not self.planner.propagate(self, mark):
            raise ValueError('a cycle')
        out.mark = mark
        return overridden

    def destroy(self):
        if self.is_satisfied():
            self.planner.remove(self)
        else:
            self.leave()

    def is_input(self):
        return False


class Unary(Constraint):
    def __init__(self, variable, strength, planner):
        super().__init__(strength, planner)
        self.variable = variable
        self.satisfied = False

    def enter(self):
        self.variable.add(self)
        self.satisfied = False

    def leave(self):
        self.variable.drop(self)
        self.satisfied = False

    def choose(self, mark):
        self.satisfied = self.variable.mark != mark and self.strength < self.variable.strength

    def is_satisfied(self):
        return self.satisfied

    def mark_inputs(self, mark):
        pass

    def mark_unsatisfied(self):
        self.satisfied = False

    def output(self):
        return self.variable

    def inputs_known(self, mark):
        return True

    def recalculate(self):
        self.variable.strength = self.strength
        self.variable.stay = not self.is_input()
        if self.variable.stay:
            self.execute()

    def execute(self):
        pass


class Stay(Unary):
    pass


class Edit(Unary):
    def is_input(self):
        return True


class Binary(Constraint):
    def __init__(self, first, second, strength, planner):
        super().__init__(strength, planner)
        self.first = first
        self.second = second
        self.direction = NONE

    def enter(self):
        self.first.add(self)
        self.second.add(self)
        self.direction = NONE

    def leave(self):
        self.first.drop(self)
        self.second.drop(self)
        self.direction = NONE

    def choose(self, mark):
        first = self.first
        second = self.second
        self.direction = NONE
        if first.mark == mark:
            if second.mark != mark and self.strength < second.strength:
                self.direction = FORWARD
        elif second.mark == mark:
            if self.strength < first.strength:
                self.direction = BACKWARD
        elif first.strength > second.strength:
            if self.strength < first.strength:
                self.direction = BACKWARD
        elif self.strength < second.strength:
            self.direction = FORWARD

    def is_satisfied(self):
        return self.direction != NONE

    def mark_inputs(self, mark):
        self.input().mark = mark

    def mark_unsatisfied(self):
        self.direction = NONE

    def input(self):
        if self.direction == FORWARD:
            return self.first
        return self.second

    def output(self):
        if self.direction == FORWARD:
            return self.second
        return self.first

    def inputs_known(self, mark):
        input = self.input()
        return input.mark == mark or input.stay or input.determined_by is None

    def recalculate(self):
        input = self.input()
        out = self.output()
        out.strength = max(self.strength, input.strength)
        out.stay = input.stay
        if out.stay:
            self.execute()


class Equality(Binary):
    def execute(self):
        self.output().value = self.input().value


class Scale(Binary):
    def __init__(self, first, scale, offset, second, strength, planner):
        super().__init__(first, second, strength, planner)
        self.scale = scale
        self.offset = offset

    def enter(self):
        super().enter()
        self.scale.add(self)
        self.offset.add(self)

    def leave(self):
        super().leave()
        self.scale.drop(self)
        self.offset.drop(self)

    def mark_inputs(self, mark):
        super().mark_inputs(mark)
        self.scale.mark = mark
        self.offset.mark = mark

    def execute(self):
        if self.direction == FORWARD:
            self.second.value = self.first.value * self.scale.value + self.offset.value
        else:
            self.first.value = (self.second.value - self.offset.value) / self.scale.value

    def recalculate(self):
        input = self.input()
        out = self.output()
        out.strength = max(self.strength, input.strength)
        out.stay = input.stay and self.scale.stay and self.offset.stay
        if out.stay:
            self.execute()


class Planner:
    def __init__(self):
        self.mark = 0

    def new_mark(self):
        self.mark += 1
        return self.mark

    def add(self, constraint):
        mark = self.new_mark()
        overridden = constraint.satisfy(mark)
        while overridden is not None:
            overridden = overridden.satisfy(mark)

    def remove(self, constraint):
        out = constraint.output()
        constraint.mark_unsatisfied()
        constraint.leave()
        unsatisfied = self.reset_from(out)
        for strength in range(REQUIRED, WEAKEST):
            for c in unsatisfied:
                if c.strength == strength:
                    self.add(c)

    def plan(self, sources):
        mark = self.new_mark()
        plan = []
        todo = sources
        while todo:
            c = todo.pop()
            out = c.output()
            if out.mark != mark and c.inputs_known(mark):
                plan.append(c)
                out.mark = mark
                self.add_consumers(out, todo)
        return plan

    def propagate(self, constraint, mark):
        """False at a cycle."""
        todo = [constraint]
        while todo:
            c = todo.pop()
            out = c.output()
            if out.mark == mark:
                self.remove(constraint)
                return False
            c.recalculate()
            self.add_consumers(out, todo)
        return True

    def reset_from(self, out):
        """Without a constraint that determines `out`: the constraints downstream that do not hold."""
        out.determined_by = None
        out.strength = WEAKEST
        out.stay = True
        unsatisfied = []
        todo = [out]
        while todo:
            v = todo.pop()
            for c in v.constraints:
                if not c.is_satisfied():
                    unsatisfied.append(c)
            for c in v.constraints:
                if c != v.determined_by and c.is_satisfied():
                    c.recalculate()
                    todo.append(c.output())
        return unsatisfied

    def add_consumers(self, variable, todo):
        determining = variable.determined_by
        for c in variable.constraints:
            if c != determining and c.is_satisfied():
                todo.append(c)


def sources_of(constraints):
    return [c for c in constraints if c.is_input() and c.is_satisfied()]


def execute(plan):
    for c in plan:
        c.execute()


def chain(n):
    """A chain of equalities with an edit at one end."""
    planner = Planner()
    first = Variable(0)
    last = first
    for i in range(n):
        next = Variable(0)
        Equality(last, next, REQUIRED, planner).post()
        last = next
    Stay(last, STRONG_DEFAULT, planner).post()
    edit = Edit(first, PREFERRED, planner)
    edit.post()
    plan = planner.plan(sources_of([edit]))
    sum = 0
    for i in range(100):
        first.value = i
        execute(plan)
        if last.value != i:
            raise ValueError('chain')
        sum += last.value
    return sum


def change(variable, value, planner):
    edit = Edit(variable, PREFERRED, planner)
    edit.post()
    plan = planner.plan(sources_of([edit]))
    for i in range(10):
        variable.value = value
        execute(plan)
    edit.destroy()


def projection(n):
    """Two sets of variables, each of one a linear function of one of the other."""
    planner = Planner()
    scale = Variable(10)
    offset = Variable(1000)
    source = None
    target = None
    targets = []
    for i in range(n):
        source = Variable(i)
        target = Variable(i)
        targets.append(target)
        Stay(source, NORMAL, planner).post()
        Scale(source, scale, offset, target, REQUIRED, planner).post()
    change(source, 17, planner)
    if target.value != 1170:
        raise ValueError('projection 1')
    change(target, 1050, planner)
    if source.value != 5:
        raise ValueError('projection 2')
    change(scale, 5, planner)
    for i in range(n - 1):
        if targets[i].value != i * 5 + 1000:
            raise ValueError('projection 3')
    change(offset, 2000, planner)
    sum = 0
    for i in range(n - 1):
        if targets[i].value != i * 5 + 2000:
            raise ValueError('projection 4')
        sum += targets[i].value
    return sum


def deltablue(runs):
    sum = 0
    for i in range(runs):
        sum += chain(100) + projection(100)
    return int(sum)


harness.run(150, deltablue)
