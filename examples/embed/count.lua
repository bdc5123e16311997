-- SPDX-License-Identifier: Apache-2.0
-- The table of words.h in Lua 5.4: count.lua TABLES ADDITIONS
local words = require 'words'

local function count(additions)
  local t = words.new()
  for i = 0, additions - 1 do t:add('word' .. i * 7 % 100) end
  return #t, t:add('word7')
end

for _ = 1, tonumber(arg[1]) do
  print(count(tonumber(arg[2])))
  collectgarbage() -- frees the handle
end
print(pcall(words.new().add, 'no table'))
