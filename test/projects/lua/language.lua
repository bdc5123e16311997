-- SPDX-License-Identifier: Apache-2.0
-- The language and its libraries, each with what the manual says of it.

-- Numbers: integers wrap, floats do not, conversions are exact or nil.
assert(math.maxinteger + 1 == math.mininteger and math.mininteger // -1 == math.mininteger)
assert(7 // 2 == 3 and -7 // 2 == -4 and 7 % -3 == -2 and -7 % 3 == 2 and 7.5 // 2 == 3.0)
assert(5.3 % math.huge == 5.3 and -5.3 % math.huge == math.huge and 1 / 0 == math.huge)
assert(3 | 4 == 7 and 7 & ~2 == 5 and 1 << 63 == math.mininteger and 1 << 64 == 0 and -1 >> 60 == 15)
assert(math.type(3) == 'integer' and math.type(3.0) == 'float' and 3 == 3.0 and not math.tointeger(3.5))
assert(tonumber('0x1p4') == 16.0 and tonumber('zz', 36) == 1295 and not tonumber('1e') and 10 .. 20 == '1020')
assert(not pcall(function() return 1 // 0 end) and not pcall(function() return 1 % 0 end))
assert(math.ult(1, -1) and math.abs(math.mininteger) == math.mininteger and math.fmod(-7, 3) == -1)
for i = math.maxinteger - 1, math.maxinteger do assert(i > 0) end
local count = 0
for i = 1.0, 2.0, 0.25 do count = count + 1 end
for i = 3, 1 do count = -1 end
assert(count == 5 and not pcall(function() for i = 1, 2, 0 do end end))

-- Strings, patterns, packing.
assert(('x'):rep(3, ',') == 'x,x,x' and ('hello'):sub(-3, -2) == 'll' and #'\u{7FFFFFFF}' == 6)
assert(string.format('%5.2f|%-5d|%q|%x|%s', 3.14159, 42, 'a\n"b"', 255, nil) == ' 3.14|42   |"a\\\n\\"b\\""|ff|nil')
assert(('key = value'):match('^(%w+)%s*=%s*(%w+)$') == 'key' and ('THE (quick) fox'):find('%((%a+)%)') == 5)
assert(('hello world'):gsub('o', {o = '0'}) == 'hell0 w0rld' and ('abc'):gsub('%w', '%0%0') == 'aabbcc')
assert(('x = f(a(b)c)d'):match('%b()') == '(a(b)c)' and ('THE fox'):gsub('%f[%a]%a+', string.lower) == 'the fox')
local words = {}
for word in ('one two  three'):gmatch('%a+') do words[#words + 1] = word end
assert(table.concat(words, '-') == 'one-two-three' and select(2, ('aaa'):gsub('a', '', 2)) == 2)
local packed = string.pack('>i4 z s1 d', -2, 'zero', 'counted', 0.5)
local a, b, c, d, after = string.unpack('>i4 z s1 d', packed)
assert(a == -2 and b == 'zero' and c == 'counted' and d == 0.5 and after == #packed + 1)
assert(utf8.char(228, 8364, 0x10FFFF) == 'ä€\u{10FFFF}' and utf8.len('ä€') == 2 and not utf8.len('\xff'))
assert(not pcall(string.rep, 'x', 1 << 60) and not pcall(string.format, '%d', 1.5))

-- Tables.
local t = {10, 20, 30, nil, 50, n = 5, [2.0] = 'two'}
assert(t[2] == 20 and select('#', table.unpack(t, 1, 5)) == 5 and next({}) == nil)
table.insert(t, 1, 'first'); assert(t[1] == 'first' and t[2] == 10 and table.remove(t, 1) == 'first')
assert(table.concat(table.move({1, 2, 3}, 1, 3, 2), ',') == '1,1,2,3' and table.pack().n == 0)
local many = {}
for i = 1, 5000 do many[i] = (i * 7919) % 5003 end
table.sort(many)
for i = 2, #many do assert(many[i - 1] <= many[i]) end
table.sort(many, function(x, y) return x > y end)
assert(many[1] > many[#many] and not pcall(table.sort, {1, 2, 'x'}))
for i = 1, 2000 do many['k' .. i] = i end
local sum = 0
for k, v in pairs(many) do if type(k) == 'string' then sum = sum + v; many[k] = nil end end
assert(sum == 2001000 and #many == 5000)

-- Closures, varargs, goto, integer division of labour between upvalues.
local function counter() local n = 0; return function(by) n = n + (by or 1); return n end end
local one, two = counter(), counter()
assert(one() == 1 and one(5) == 6 and two() == 1)
local function varargs(...) local x, y = ...; return select('#', ...), x, y, ... end
assert(select('#', varargs(1, nil, nil)) == 6 and select(-1, 1, 2, 3) == 3)
local made = {}
for i = 1, 5 do
  if i == 3 then goto continue end
  made[#made + 1] = function() i = i + 1; return i end
  ::continue::
end
assert(#made == 4 and made[1]() == 2 and made[1]() == 3 and made[2]() == 3)
local function deep(n) if n == 0 then return 'bottom' end return deep(n - 1) end
assert(deep(1000000) == 'bottom' and not pcall(function() local function f() return 1 + f() end return f() end))

-- Metatables.
local vector = {}
vector.__index = vector
vector.__add = function(x, y) return setmetatable({x[1] + y[1]}, vector) end
vector.__eq = function(x, y) return x[1] == y[1] end
vector.__lt = function(x, y) return x[1] < y[1] end
vector.__le = function(x, y) return x[1] <= y[1] end
vector.__call = function(self, k) return self[1] * k end
vector.__len = function() return 99 end
vector.__concat = function(x, y) return 'joined' end
vector.__tostring = function(x) return 'v' .. x[1] end
vector.__unm = function(x) return setmetatable({-x[1]}, vector) end
local v, w = setmetatable({3}, vector), setmetatable({4}, vector)
assert((v + w)[1] == 7 and v ~= w and v < w and v <= w and v(5) == 15 and #v == 99 and v .. w == 'joined')
assert(tostring(-v) == 'v-3' and rawlen(v) == 1 and not rawequal(v, setmetatable({3}, vector)))
local log = {}
local proxy = setmetatable({}, {__index = function(_, k) return k .. '!' end,
                                __newindex = function(_, k, x) log[#log + 1] = k .. x end})
proxy.a = 'b'
assert(proxy.x == 'x!' and log[1] == 'ab' and rawget(proxy, 'a') == nil)
do
  local order = {}
  do
    local x <close> = setmetatable({}, {__close = function() order[#order + 1] = 'x' end})
    local y <close> = setmetatable({}, {__close = function() order[#order + 1] = 'y' end})
  end
  assert(table.concat(order) == 'yx')
end

-- Errors: by value, through C, with handlers, in coroutines.
local ok, err = pcall(error, {code = 7})
assert(not ok and err.code == 7)
assert(select(2, pcall(error, 'plain', 0)) == 'plain' and select(2, pcall(error)) == nil)
assert(select(2, xpcall(function() local x = nil; return x.y end, function(m) return 'H:' .. m end)):find('^H:.*nil value'))
assert(not pcall(string.gsub, 'x', 'x', function() error('in C') end) and not pcall(load('return 1 +') or error))
for depth = 1, 100 do
  local function nest(n) if n == 0 then error(depth) end local good, e = pcall(nest, n - 1); error(e) end
  assert(select(2, pcall(nest, depth)) == depth)
end

-- Coroutines: generators, passing of values, errors, wrap within sort and gsub, closing.
local function permutations(list)
  local function step(n)
    if n == 0 then coroutine.yield(table.concat(list)) end
    for i = 1, n do
      list[i], list[n] = list[n], list[i]; step(n - 1); list[i], list[n] = list[n], list[i]
    end
  end
  return coroutine.wrap(function() step(#list) end)
end
local seen, distinct = {}, 0
for p in permutations {'a', 'b', 'c', 'd', 'e'} do if not seen[p] then seen[p] = true; distinct = distinct + 1 end end
assert(distinct == 120)
local co = coroutine.create(function(x) local y = coroutine.yield(x * 2); local z = coroutine.yield(x + y); return x + y + z end)
assert(select(2, coroutine.resume(co, 5)) == 10 and select(2, coroutine.resume(co, 7)) == 12)
assert(select(2, coroutine.resume(co, 1)) == 13 and coroutine.status(co) == 'dead' and not coroutine.resume(co))
local failing = coroutine.create(function() pcall(coroutine.yield, 1); error('late') end)
assert(coroutine.resume(failing) and select(2, coroutine.resume(failing)):find('late'))
local pending = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() log.closed = true end}); coroutine.yield() end)
coroutine.resume(pending)
assert(coroutine.close(pending) and log.closed and not coroutine.isyieldable())

-- Compiling: text, functions, environments.
assert(load('return ...')(42) == 42 and load(string.dump(function(x) return x * 2 end))(21) == 42)
local environment = {}
assert(load('x = 1; return _ENV', 'chunk', 't', environment)() == environment and environment.x == 1)
local pieces, at = {'return ', '1 ', '+ 2'}, 0
assert(load(function() at = at + 1; return pieces[at] end)() == 3)
local long = {}
for i = 1, 3000 do long[i] = 'local x' .. i % 150 .. ' = ' .. i end
assert(load('do ' .. table.concat(long, ' end do ') .. ' end return true')())

-- Collection: weak tables, finalizers, ephemerons, both modes.
for _, mode in ipairs {'incremental', 'generational'} do
  collectgarbage(mode)
  local weak, finalized = setmetatable({}, {__mode = 'k'}), 0
  for i = 1, 20000 do
    weak[{}] = {i}
    if i % 100 == 0 then setmetatable({}, {__gc = function() finalized = finalized + 1 end}) end
  end
  collectgarbage(); collectgarbage()
  assert(next(weak) == nil and finalized == 200, finalized)
end
assert(collectgarbage('count') > 0)

-- Files.
local name = os.tmpname()
local file = assert(io.open(name, 'w'))
assert(file:write('line 1\n', 2, '\n', 3.5, '\nlast') and file:seek('cur') > 0 and file:close())
file = assert(io.open(name))
assert(file:read('l', 'n', 'n') == 'line 1' and file:seek('set', 0) == 0)
local lines = {}
for line in file:lines() do lines[#lines + 1] = line end
assert(#lines == 4 and lines[4] == 'last' and file:read('a') == '' and file:read('l') == nil)
file:close(); os.remove(name)
assert(io.type(file) == 'closed file' and not io.open('/no/such/file') and os.time {year = 2000, month = 1, day = 1, hour = 12} > 0)
assert(os.date('!%Y-%m-%d', 86400) == '1970-01-02' and debug.traceback('x'):find('stack traceback'))
print('language: all right')
