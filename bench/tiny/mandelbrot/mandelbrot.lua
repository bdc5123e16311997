-- The points of a grid that stay in the Mandelbrot set for 50 iterations; a hash of the image's bits.
local harness = require "harness"

local function stays(cr, ci)
  local zr, zi, rr, ii = 0.0, 0.0, 0.0, 0.0
  for i = 1, 50 do
    zi = 2.0 * zr * zi + ci
    zr = rr - ii + cr
    rr = zr * zr
    ii = zi * zi
    if rr + ii > 4.0 then return 0 end
  end
  return 1
end

local function mandelbrot(n)
  local hash, count = 0, 0
  for y = 0, n - 1 do
    local ci = 2.0 * y / n - 1.0
    for x = 0, n - 1 do
      local bit = stays(2.0 * x / n - 1.5, ci)
      count = count + bit
      hash = (hash * 2 + bit) % 1000003
    end
  end
  return count .. " " .. hash
end

harness.run(800, mandelbrot)
