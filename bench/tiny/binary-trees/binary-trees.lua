-- Many short-lived trees beside one that stays (the Benchmarks Game's).
local harness = require "harness"

local Tree = {}
Tree.__index = Tree

local function tree(left, right)
  return setmetatable({left = left, right = right}, Tree)
end

function Tree:count()
  if self.left == nil then return 1 end
  return 1 + self.left:count() + self.right:count()
end

local function make(depth)
  if depth == 0 then return tree(nil, nil) end
  return tree(make(depth - 1), make(depth - 1))
end

local function binary_trees(deepest)
  local result = tostring(make(deepest + 1):count())
  local kept = make(deepest)
  for depth = 4, deepest, 4 do
    local count = 2 ^ (deepest - depth + 4)
    local sum = 0
    for i = 1, count do sum = sum + make(depth):count() end
    result = result .. " " .. sum
  end
  return result .. " " .. kept:count()
end

harness.run(15, binary_trees)
