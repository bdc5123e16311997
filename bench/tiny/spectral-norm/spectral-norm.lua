-- The spectral norm of an infinite matrix, by power iterations (the Benchmarks Game's).
local harness = require "harness"
local floor = math.floor

local function element(i, j)
  local sum = i + j
  return 1.0 / (floor(sum * (sum + 1) / 2) + i + 1)
end

local function multiply(v, result, n)
  for i = 0, n - 1 do
    local sum = 0.0
    for j = 0, n - 1 do sum = sum + element(i, j) * v[j + 1] end
    result[i + 1] = sum
  end
end

local function multiply_transposed(v, result, n)
  for i = 0, n - 1 do
    local sum = 0.0
    for j = 0, n - 1 do sum = sum + element(j, i) * v[j + 1] end
    result[i + 1] = sum
  end
end

local function spectral_norm(n)
  local u, v, t = {}, {}, {}
  for i = 1, n do u[i], v[i], t[i] = 1.0, 0.0, 0.0 end
  for i = 1, 10 do
    multiply(u, t, n)
    multiply_transposed(t, v, n)
    multiply(v, t, n)
    multiply_transposed(t, u, n)
  end
  local dot, square = 0.0, 0.0
  for i = 1, n do
    dot = dot + u[i] * v[i]
    square = square + v[i] * v[i]
  end
  return string.format("%.9f", math.sqrt(dot / square))
end

harness.run(400, spectral_norm)
