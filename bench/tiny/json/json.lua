-- A text of records is parsed into tables, and written again with sorted names.
local harness = require "harness"
local byte, sub = string.byte, string.sub

local null = {}
local Parser = {}
Parser.__index = Parser

local function parser(text)
  return setmetatable({text = text, at = 1, stop = #text}, Parser)
end

function Parser:fail(message)
  error(message .. " at " .. self.at)
end

-- The code of the next character; 0 at the end.
function Parser:next()
  if self.at > self.stop then return 0 end
  return byte(self.text, self.at)
end

function Parser:skip()
  local c = self:next()
  while c == 32 or c == 10 do
    self.at = self.at + 1
    c = self:next()
  end
end

function Parser:expect(code)
  self:skip()
  if self:next() ~= code then self:fail("expected " .. code) end
  self.at = self.at + 1
end

function Parser:word(text, value)
  if sub(self.text, self.at, self.at + #text - 1) ~= text then self:fail("unknown word") end
  self.at = self.at + #text
  return value
end

function Parser:value()
  self:skip()
  local c = self:next()
  if c == 123 then return self:object() end
  if c == 91 then return self:array() end
  if c == 34 then return self:string() end
  if c == 116 then return self:word("true", true) end
  if c == 102 then return self:word("false", false) end
  if c == 110 then return self:word("null", null) end
  return self:number()
end

function Parser:object()
  local result = {}
  self:expect(123)
  self:skip()
  while self:next() ~= 125 do
    self:skip()
    local name = self:string()
    self:expect(58)
    result[name] = self:value()
    self:skip()
    if self:next() == 44 then self.at = self.at + 1 end
  end
  self.at = self.at + 1
  return result
end

function Parser:array()
  local result = {}
  self:expect(91)
  self:skip()
  while self:next() ~= 93 do
    result[#result + 1] = self:value()
    self:skip()
    if self:next() == 44 then self.at = self.at + 1 end
  end
  self.at = self.at + 1
  return result
end

function Parser:string()
  self:expect(34)
  local start, result = self.at, ""
  while true do
    local c = self:next()
    if c == 0 then self:fail("unfinished string") end
    if c == 34 then break end
    if c == 92 then
      result = result .. sub(self.text, start, self.at - 1)
      self.at = self.at + 1
      c = self:next()
      if c == 110 then result = result .. "\n" else result = result .. sub(self.text, self.at, self.at) end
      start = self.at + 1
    end
    self.at = self.at + 1
  end
  result = result .. sub(self.text, start, self.at - 1)
  self.at = self.at + 1
  return result
end

function Parser:number()
  local start = self.at
  local c = self:next()
  while c == 45 or c == 46 or c >= 48 and c <= 57 do
    self.at = self.at + 1
    c = self:next()
  end
  if start == self.at then self:fail("unexpected character") end
  return tonumber(sub(self.text, start, self.at - 1))
end

local function write_string(s, out)
  out[#out + 1] = '"'
  local start = 1
  for i = 1, #s do
    local c = byte(s, i)
    if c == 34 or c == 92 or c == 10 then
      out[#out + 1] = sub(s, start, i - 1)
      if c == 10 then
        out[#out + 1] = "\\n"
      else
        out[#out + 1] = "\\"
        out[#out + 1] = sub(s, i, i)
      end
      start = i + 1
    end
  end
  out[#out + 1] = sub(s, start)
  out[#out + 1] = '"'
end

local function write_value(v, out)
  if type(v) == "string" then
    write_string(v, out)
  elseif v == null then
    out[#out + 1] = "null"
  elseif type(v) == "table" and v[1] ~= nil then
    out[#out + 1] = "["
    for i = 1, #v do
      if i > 1 then out[#out + 1] = ", " end
      write_value(v[i], out)
    end
    out[#out + 1] = "]"
  elseif type(v) == "table" then
    local names = {}
    for name in pairs(v) do names[#names + 1] = name end
    table.sort(names)
    out[#out + 1] = "{"
    for i = 1, #names do
      if i > 1 then out[#out + 1] = ", " end
      write_string(names[i], out)
      out[#out + 1] = ": "
      write_value(v[names[i]], out)
    end
    out[#out + 1] = "}"
  else
    out[#out + 1] = tostring(v)
  end
end

local function make_text(records)
  local out = {"["}
  for i = 0, records - 1 do
    if i > 0 then out[#out + 1] = ", " end
    out[#out + 1] = '{"id": ' .. i .. ', "name": "item \\"' .. i .. '\\"", "nested": {"x": ' .. i * 7 % 100 ..
      ', "y": -' .. i % 10 .. ".5}, "
    out[#out + 1] = '"none": null, "ok": true, "tags": ["red", "line\\nbreak", "blue"]}'
  end
  out[#out + 1] = "]"
  return table.concat(out)
end

local function json(records)
  local text = make_text(records)
  local value = parser(text):value()
  local out = {}
  write_value(value, out)
  local sum = 0
  for i = 1, #value do sum = sum + value[i].id + value[i].nested.y end
  return string.format("%d %s %d", #text, tostring(table.concat(out) == text), sum)
end

harness.run(12000, json)
