-- A solver of one-way constraints with strengths (DeltaBlue, by Freeman-Benson and Maloney).
local harness = require "harness"
local class = require "class"
local max = math.max

-- Strengths: the smaller is the stronger.
local REQUIRED = 0
local PREFERRED = 2
local STRONG_DEFAULT = 3
local NORMAL = 4
local WEAKEST = 6
local NONE = 0
local FORWARD = 1
local BACKWARD = 2

local function filter(values, test)
  local result = {}
  for _, v in ipairs(values) do
    if test(v) then result[#result + 1] = v end
  end
  return result
end

local Variable = class()

function Variable:init(value)
  self.value = value
  self.constraints = {}
  self.determined_by = nil
  self.mark = 0
  self.strength = WEAKEST
  self.stay = true
end

function Variable:add(constraint)
  self.constraints[#self.constraints + 1] = constraint
end

function Variable:drop(constraint)
  self.constraints = filter(self.constraints, function(c) return c ~= constraint end)
  if self.determined_by == constraint then self.determined_by = nil end
end

local Constraint = class()

function Constraint:init(strength, planner)
  self.strength = strength
  self.planner = planner
end

function Constraint:post()
  self:enter()
  self.planner:add(self)
end

-- Makes the constraint hold if it can; the constraint that it takes the place of, or nil.
function Constraint:satisfy(mark)
  self:choose(mark)
  if not self:is_satisfied() then
    if self.strength == REQUIRED then error("a required constraint fails") end
    return nil
  end
  self:mark_inputs(mark)
  local out = self:output()
  local overridden = out.determined_by
  if overridden ~= nil then overridden:mark_unsatisfied() end
  out.determined_by = self
  if not self.planner:propagate(self, mark) then error("a cycle") end
  out.mark = mark
  return overridden
end

function Constraint:destroy()
  if self:is_satisfied() then self.planner:remove(self) else self:leave() end
end

function Constraint:is_input()
  return false
end

local Unary = class(Constraint)

function Unary:init(variable, strength, planner)
  Constraint.init(self, strength, planner)
  self.variable = variable
  self.satisfied = false
end

function Unary:enter()
  self.variable:add(self)
  self.satisfied = false
end

function Unary:leave()
  self.variable:drop(self)
  self.satisfied = false
end

function Unary:choose(mark)
  self.satisfied = self.variable.mark ~= mark and self.strength < self.variable.strength
end

function Unary:is_satisfied()
  return self.satisfied
end

function Unary:mark_inputs(mark) end

function Unary:mark_unsatisfied()
  self.satisfied = false
end

function Unary:output()
  return self.variable
end

function Unary:inputs_known(mark)
  return true
end

function Unary:recalculate()
  self.variable.strength = self.strength
  self.variable.stay = not self:is_input()
  if self.variable.stay then self:execute() end
end

function Unary:execute() end

local Stay = class(Unary)

local Edit = class(Unary)

function Edit:is_input()
  return true
end

local Binary = class(Constraint)

function Binary:init(first, second, strength, planner)
  Constraint.init(self, strength, planner)
  self.first = first
  self.second = second
  self.direction = NONE
end

function Binary:enter()
  self.first:add(self)
  self.second:add(self)
  self.direction = NONE
end

function Binary:leave()
  self.first:drop(self)
  self.second:drop(self)
  self.direction = NONE
end

function Binary:choose(mark)
  local first = self.first
  local second = self.second
  self.direction = NONE
  if first.mark == mark then
    if second.mark ~= mark and self.strength < second.strength then self.direction = FORWARD end
  elseif second.mark == mark then
    if self.strength < first.strength then self.direction = BACKWARD end
  elseif first.strength > second.strength then
    if self.strength < first.strength then self.direction = BACKWARD end
  elseif self.strength < second.strength then
    self.direction = FORWARD
  end
end

function Binary:is_satisfied()
  return self.direction ~= NONE
end

function Binary:mark_inputs(mark)
  self:input().mark = mark
end

function Binary:mark_unsatisfied()
  self.direction = NONE
end

function Binary:input()
  if self.direction == FORWARD then return self.first end
  return self.second
end

function Binary:output()
  if self.direction == FORWARD then return self.second end
  return self.first
end

function Binary:inputs_known(mark)
  local input = self:input()
  return input.mark == mark or input.stay or input.determined_by == nil
end

function Binary:recalculate()
  local input = self:input()
  local out = self:output()
  out.strength = max(self.strength, input.strength)
  out.stay = input.stay
  if out.stay then self:execute() end
end

local Equality = class(Binary)

function Equality:execute()
  self:output().value = self:input().value
end

local Scale = class(Binary)

function Scale:init(first, scale, offset, second, strength, planner)
  Binary.init(self, first, second, strength, planner)
  self.scale = scale
  self.offset = offset
end

function Scale:enter()
  Binary.enter(self)
  self.scale:add(self)
  self.offset:add(self)
end

function Scale:leave()
  Binary.leave(self)
  self.scale:drop(self)
  self.offset:drop(self)
end

function Scale:mark_inputs(mark)
  Binary.mark_inputs(self, mark)
  self.scale.mark = mark
  self.offset.mark = mark
end

function Scale:execute()
  if self.direction == FORWARD then
    self.second.value = self.first.value * self.scale.value + self.offset.value
  else
    self.first.value = (self.second.value - self.offset.value) / self.scale.value
  end
end

function Scale:recalculate()
  local input = self:input()
  local out = self:output()
  out.strength = max(self.strength, input.strength)
  out.stay = input.stay and self.scale.stay and self.offset.stay
  if out.stay then self:execute() end
end

local Planner = class()

function Planner:init()
  self.mark = 0
end

function Planner:new_mark()
  self.mark = self.mark + 1
  return self.mark
end

function Planner:add(constraint)
  local mark = self:new_mark()
  local overridden = constraint:satisfy(mark)
  while overridden ~= nil do overridden = overridden:satisfy(mark) end
end

function Planner:remove(constraint)
  local out = constraint:output()
  constraint:mark_unsatisfied()
  constraint:leave()
  local unsatisfied = self:reset_from(out)
  for strength = REQUIRED, WEAKEST - 1 do
    for _, c in ipairs(unsatisfied) do
      if c.strength == strength then self:add(c) end
    end
  end
end

function Planner:plan(sources)
  local mark = self:new_mark()
  local plan = {}
  local todo = sources
  while #todo > 0 do
    local c = table.remove(todo)
    local out = c:output()
    if out.mark ~= mark and c:inputs_known(mark) then
      plan[#plan + 1] = c
      out.mark = mark
      self:add_consumers(out, todo)
    end
  end
  return plan
end

-- False at a cycle.
function Planner:propagate(constraint, mark)
  local todo = {constraint}
  while #todo > 0 do
    local c = table.remove(todo)
    local out = c:output()
    if out.mark == mark then
      self:remove(constraint)
      return false
    end
    c:recalculate()
    self:add_consumers(out, todo)
  end
  return true
end

-- Without a constraint that determines `out`: the constraints downstream that do not hold.
function Planner:reset_from(out)
  out.determined_by = nil
  out.strength = WEAKEST
  out.stay = true
  local unsatisfied = {}
  local todo = {out}
  while #todo > 0 do
    local v = table.remove(todo)
    for _, c in ipairs(v.constraints) do
      if not c:is_satisfied() then unsatisfied[#unsatisfied + 1] = c end
    end
    for _, c in ipairs(v.constraints) do
      if c ~= v.determined_by and c:is_satisfied() then
        c:recalculate()
        todo[#todo + 1] = c:output()
      end
    end
  end
  return unsatisfied
end

function Planner:add_consumers(variable, todo)
  local determining = variable.determined_by
  for _, c in ipairs(variable.constraints) do
    if c ~= determining and c:is_satisfied() then todo[#todo + 1] = c end
  end
end

local function sources_of(constraints)
  return filter(constraints, function(c) return c:is_input() and c:is_satisfied() end)
end

local function execute(plan)
  for _, c in ipairs(plan) do c:execute() end
end

-- A chain of equalities with an edit at one end.
local function chain(n)
  local planner = Planner.new()
  local first = Variable.new(0)
  local last = first
  for i = 0, n - 1 do
    local next = Variable.new(0)
    Equality.new(last, next, REQUIRED, planner):post()
    last = next
  end
  Stay.new(last, STRONG_DEFAULT, planner):post()
  local edit = Edit.new(first, PREFERRED, planner)
  edit:post()
  local plan = planner:plan(sources_of({edit}))
  local sum = 0
  for i = 0, 99 do
    first.value = i
    execute(plan)
    if last.value ~= i then error("chain") end
    sum = sum + last.value
  end
  return sum
end

local function change(variable, value, planner)
  local edit = Edit.new(variable, PREFERRED, planner)
  edit:post()
  local plan = planner:plan(sources_of({edit}))
  for i = 0, 9 do
    variable.value = value
    execute(plan)
  end
  edit:destroy()
end

-- Two sets of variables, each of one a linear function of one of the other.
local function projection(n)
  local planner = Planner.new()
  local scale = Variable.new(10)
  local offset = Variable.new(1000)
  local source = nil
  local target = nil
  local targets = {}
  for i = 0, n - 1 do
    source = Variable.new(i)
    target = Variable.new(i)
    targets[#targets + 1] = target
    Stay.new(source, NORMAL, planner):post()
    Scale.new(source, scale, offset, target, REQUIRED, planner):post()
  end
  change(source, 17, planner)
  if target.value ~= 1170 then error("projection 1") end
  change(target, 1050, planner)
  if source.value ~= 5 then error("projection 2") end
  change(scale, 5, planner)
  for i = 0, n - 2 do
    if targets[i + 1].value ~= i * 5 + 1000 then error("projection 3") end
  end
  change(offset, 2000, planner)
  local sum = 0
  for i = 0, n - 2 do
    if targets[i + 1].value ~= i * 5 + 2000 then error("projection 4") end
    sum = sum + targets[i + 1].value
  end
  return sum
end

local function deltablue(runs)
  local sum = 0
  for i = 0, runs - 1 do sum = sum + chain(100) + projection(100) end
  return string.format("%d", sum)
end

harness.run(150, deltablue)
