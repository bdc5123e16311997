-- Nested loops of control-flow graphs, reducible and irreducible ones (Havlak's algorithm).
local harness = require "harness"
local class = require "class"

local NON_HEADER = 0
local REDUCIBLE = 1
local SELF = 2
local IRREDUCIBLE = 3

local function has(values, value)
  for _, v in ipairs(values) do
    if v == value then return true end
  end
  return false
end

local Block = class()

function Block:init(name)
  self.name = name
  self.sources = {}
  self.targets = {}
end

local Graph = class()

function Graph:init()
  self.blocks = {}
end

function Graph:node(name)
  while #self.blocks <= name do self.blocks[#self.blocks + 1] = Block.new(#self.blocks) end
  return self.blocks[name + 1]
end

function Graph:edge(a, b)
  local source = self:node(a)
  local target = self:node(b)
  source.targets[#source.targets + 1] = target
  target.sources[#target.sources + 1] = source
end

function Graph:diamond(start)
  self:edge(start, start + 1)
  self:edge(start, start + 2)
  self:edge(start + 1, start + 3)
  self:edge(start + 2, start + 3)
  return start + 3
end

function Graph:straight(start, count)
  for i = 0, count - 1 do self:edge(start + i, start + i + 1) end
  return start + count
end

function Graph:base_loop(start)
  local header = self:straight(start, 1)
  local first = self:diamond(header)
  local middle = self:straight(first, 1)
  local second = self:diamond(middle)
  local footer = self:straight(second, 1)
  self:edge(second, middle)
  self:edge(first, header)
  self:edge(footer, start)
  return self:straight(footer, 1)
end

local Loop = class()

function Loop:init(is_reducible)
  self.is_reducible = is_reducible
  self.parent = nil
  self.blocks = {}
end

function Loop:depth()
  if self.parent == nil then return 1 end
  return 1 + self.parent:depth()
end

-- A block in the order of the search, and the set of blocks that it belongs to.
local Node = class()

function Node:init(block, number)
  self.block = block
  self.number = number
  self.parent = nil
  self.loop = nil
end

function Node:find()
  local root = self
  while root.parent ~= nil do root = root.parent end
  local node = self
  while node ~= root do
    local next = node.parent
    node.parent = root
    node = next
  end
  return root
end

local Finder = class()

function Finder:init(graph)
  self.graph = graph
  self.loops = {}
  self.nodes = {}
  self.number, self.last, self.types = {}, {}, {}
  self.back, self.others = {}, {}
  for i = 1, #graph.blocks do
    self.number[i], self.last[i], self.types[i] = -1, 0, NON_HEADER
    self.back[i], self.others[i] = {}, {}
  end
end

function Finder:search(block)
  local number = #self.nodes
  self.number[block.name + 1] = number
  self.nodes[#self.nodes + 1] = Node.new(block, number)
  for _, target in ipairs(block.targets) do
    if self.number[target.name + 1] == -1 then self:search(target) end
  end
  self.last[number + 1] = #self.nodes - 1
end

function Finder:is_ancestor(w, v)
  return w <= v and v <= self.last[w + 1]
end

function Finder:classify()
  for w = 0, #self.nodes - 1 do
    for _, source in ipairs(self.nodes[w + 1].block.sources) do
      local v = self.number[source.name + 1]
      if v ~= -1 then
        local set = self:is_ancestor(w, v) and self.back[w + 1] or self.others[w + 1]
        set[#set + 1] = v
      end
    end
  end
end

-- The nodes from which w is reached by a back edge, and the nodes between.
function Finder:pool_of(w)
  local pool, back, others = {}, self.back[w + 1], self.others[w + 1]
  for _, v in ipairs(back) do
    if v == w then self.types[w + 1] = SELF else pool[#pool + 1] = self.nodes[v + 1]:find() end
  end
  if #pool > 0 then self.types[w + 1] = REDUCIBLE end
  local at = 1
  while at <= #pool do
    local x = pool[at]
    at = at + 1
    for _, v in ipairs(self.others[x.number + 1]) do
      local y = self.nodes[v + 1]:find()
      if not self:is_ancestor(w, y.number) then
        self.types[w + 1] = IRREDUCIBLE
        if not has(others, y.number) then others[#others + 1] = y.number end
      elseif y.number ~= w and not has(pool, y) then
        pool[#pool + 1] = y
      end
    end
  end
  return pool
end

function Finder:find()
  self:search(self.graph.blocks[1])
  self:classify()
  local w = #self.nodes - 1
  while w >= 0 do
    local pool = self:pool_of(w)
    if #pool > 0 or self.types[w + 1] == SELF then
      local loop = Loop.new(self.types[w + 1] ~= IRREDUCIBLE)
      self.loops[#self.loops + 1] = loop
      self.nodes[w + 1].loop = loop
      loop.blocks[#loop.blocks + 1] = self.nodes[w + 1].block
      for _, node in ipairs(pool) do
        node.parent = self.nodes[w + 1]
        if node.loop ~= nil then node.loop.parent = loop else loop.blocks[#loop.blocks + 1] = node.block end
      end
    end
    w = w - 1
  end
  return self.loops
end

local function make_graph()
  local graph = Graph.new()
  graph:base_loop(0)
  graph:edge(0, 2)
  local n = #graph.blocks - 1
  for i = 0, 3 do
    graph:edge(2, n + 1)
    n = n + 1
    for j = 0, 9 do
      local top = n
      n = graph:straight(n, 1)
      for k = 0, 4 do n = graph:base_loop(n) end
      local bottom = graph:straight(n, 1)
      graph:edge(n, top)
      n = bottom
    end
    graph:edge(n, 1)
  end
  return graph
end

local function havlak(runs)
  local graph = make_graph()
  local loops = 0
  local blocks = 0
  local depths = 0
  local irreducible = 0
  for i = 0, runs - 1 do
    for _, loop in ipairs(Finder.new(graph):find()) do
      loops = loops + 1
      blocks = blocks + #loop.blocks
      depths = depths + loop:depth()
      if not loop.is_reducible then irreducible = irreducible + 1 end
    end
  end
  return #graph.blocks .. " " .. loops .. " " .. blocks .. " " .. depths .. " " .. irreducible
end

harness.run(150, havlak)
