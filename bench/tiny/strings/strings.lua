-- Text is built from pieces, split into words, counted in a map, joined in order, and searched.
local harness = require "harness"
local floor = math.floor

local syllables = {"ka", "to", "mi", "ren", "sul", "da", "pe", "lor"}

local function make_text(words)
  local text = {}
  local seed = 42
  for i = 1, words do
    seed = (seed * 1309 + 13849) % 65536
    local word = ""
    for j = 0, seed % 3 do
      word = word .. syllables[(floor(seed / 8) + j * 3) % 8 + 1]
    end
    if i > 1 then text[#text + 1] = " " end
    text[#text + 1] = word
  end
  return table.concat(text)
end

local function counts_of(text)
  local counts, names = {}, {}
  for word in text:gmatch("[^ ]+") do
    if counts[word] then
      counts[word] = counts[word] + 1
    else
      counts[word] = 1
      names[#names + 1] = word
    end
  end
  return counts, names
end

local function vowels_of(text)
  local count = 0
  for i = 1, #text do
    local c = text:sub(i, i)
    if c == "a" or c == "e" or c == "i" or c == "o" or c == "u" then count = count + 1 end
  end
  return count
end

local function strings(words)
  local text = make_text(words)
  local counts, names = counts_of(text)
  table.sort(names)
  local lines = {}
  for i = 1, #names do lines[i] = names[i] .. "=" .. counts[names[i]] end
  local joined = table.concat(lines, ";")
  local replaced = text:gsub("ka", "xyz"):upper()
  local found = 0
  local at = replaced:find("XYZ", 1, true)
  while at do
    found = found + 1
    at = replaced:find("XYZ", at + 3, true)
  end
  return #text .. " " .. #names .. " " .. #joined .. " " .. vowels_of(text) .. " " .. found .. " " .. joined:sub(1, 30)
end

harness.run(500000, strings)
