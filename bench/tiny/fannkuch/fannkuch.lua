-- Permutations of 1..n in an order of the Benchmarks Game; reversals of prefixes until 1 is first.
local harness = require "harness"

local function flips_of(p, q, n)
  local first = p[1]
  for i = 2, n do q[i] = p[i] end
  local flips = 1
  while true do
    local next = q[first]
    if next == 1 then return flips end
    q[first] = first
    local i, j = 2, first - 1
    while i < j do
      q[i], q[j] = q[j], q[i]
      i, j = i + 1, j - 1
    end
    first = next
    flips = flips + 1
  end
end

-- The next permutation after an even one; false after the last.
local function advance(p, left, n)
  p[2], p[3] = p[3], p[2]
  for i = 3, n do
    if left[i] ~= 1 then
      left[i] = left[i] - 1
      return true
    end
    if i == n then return false end
    left[i] = i
    local t = p[1]
    for j = 1, i do p[j] = p[j + 1] end
    p[i + 1] = t
  end
end

local function fannkuch(n)
  local p, q, left = {}, {}, {}
  for i = 1, n do p[i], q[i], left[i] = i, i, i end
  local sign, checksum, most = 1, 0, 0
  while true do
    if p[1] ~= 1 then
      local flips = flips_of(p, q, n)
      checksum = checksum + sign * flips
      if flips > most then most = flips end
    end
    if sign == 1 then
      p[1], p[2] = p[2], p[1]
    elseif not advance(p, left, n) then
      return checksum .. " " .. most
    end
    sign = -sign
  end
end

harness.run(10, fannkuch)
