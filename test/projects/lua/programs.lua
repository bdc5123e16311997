-- SPDX-License-Identifier: Apache-2.0
-- Small programs whose results are known: loops, calls, tables and strings together.

local function sieve(n)
  local composite, found = {}, 0
  for i = 2, n do
    if not composite[i] then
      found = found + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return found
end
assert(sieve(100000) == 9592)

local function queens(n)
  local columns, up, down, solutions = {}, {}, {}, 0
  local function place(row)
    if row > n then solutions = solutions + 1; return end
    for c = 1, n do
      if not columns[c] and not up[row + c] and not down[row - c] then
        columns[c], up[row + c], down[row - c] = true, true, true
        place(row + 1)
        columns[c], up[row + c], down[row - c] = nil, nil, nil
      end
    end
  end
  place(1)
  return solutions
end
assert(queens(7) == 40)

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
assert(fib(25) == 75025)

local function ackermann(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end
assert(ackermann(2, 300) == 603)

-- A tree of tables, made and thrown away.
local function tree(depth) return depth == 0 and {} or {tree(depth - 1), tree(depth - 1)} end
local function check(node) return node[1] and 1 + check(node[1]) + check(node[2]) or 1 end
for _ = 1, 10 do assert(check(tree(12)) == 8191) end

-- Numbers: a matrix, a spectral norm, the Mandelbrot set by rows.
local function multiply(a, b, n)
  local c = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do
      local s = 0
      for k = 1, n do s = s + a[i][k] * b[k][j] end
      row[j] = s
    end
    c[i] = row
  end
  return c
end
local n, a = 60, {}
for i = 1, n do a[i] = {} for j = 1, n do a[i][j] = i == j and 2 or i == j + 1 and 1 or 0 end end
local power = a
for _ = 1, 9 do power = multiply(power, a, n) end
assert(power[1][1] == 1024 and power[2][1] == 5120)
local inside = 0
for y = -39, 39 do
  for x = -39, 39 do
    local cr, ci, zr, zi, k = x / 20 - 0.5, y / 20, 0, 0, 0
    while k < 50 and zr * zr + zi * zi <= 4 do zr, zi, k = zr * zr - zi * zi + cr, 2 * zr * zi + ci, k + 1 end
    if k == 50 then inside = inside + 1 end
  end
end
assert(inside == 644, inside)

-- Strings: a word count, a Caesar cipher, a small parser and evaluator.
local text, counts = ('the quick brown fox jumps over the lazy dog '):rep(200), {}
for word in text:gmatch('%a+') do counts[word] = (counts[word] or 0) + 1 end
assert(counts.the == 400 and counts.dog == 200)
local function rotate(s, by)
  return (s:gsub('%l', function(c) return string.char((c:byte() - 97 + by) % 26 + 97) end))
end
assert(rotate(rotate(text, 13), 13) == text)
local function evaluate(source)
  local at = 1
  local expression
  local function token() at = source:find('%S', at) or #source + 1; return source:sub(at, at) end
  local function atom()
    if token() == '(' then at = at + 1; local x = expression(); assert(token() == ')'); at = at + 1; return x end
    local number = source:match('^%d+', at)
    at = at + #number
    return tonumber(number)
  end
  local function term()
    local x = atom()
    while token():find('[*/]') do
      local op = token(); at = at + 1
      local y = atom()
      x = op == '*' and x * y or x // y
    end
    return x
  end
  function expression()
    local x = term()
    while token():find('[+-]') do
      local op = token(); at = at + 1
      local y = term()
      x = op == '+' and x + y or x - y
    end
    return x
  end
  return expression()
end
for _ = 1, 300 do assert(evaluate('2 * (3 + 4) * 5 - 60 / (1 + 2) + ((7))') == 57) end

-- A hundred coroutines in a ring pass a token on.
local ring = {}
for i = 1, 100 do
  ring[i] = coroutine.wrap(function(x) while true do x = coroutine.yield(x + i) end end)
end
local token = 0
for _ = 1, 50 do for i = 1, 100 do token = ring[i](token) end end
assert(token == 252500)
print('programs: all right')
