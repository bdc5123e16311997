-- Runs the work of a program arg[1] times on size arg[2]. Prints milliseconds of each, and the result.
local harness = {}
local floor = math.floor

function harness.run(size, work)
  local iterations = floor(tonumber(arg[1] or 1))
  size = floor(tonumber(arg[2] or size))
  local result
  for i = 1, iterations do
    local start = os.clock()
    result = work(size)
    print("ms " .. (os.clock() - start) * 1000)
  end
  print("result " .. result)
end

return harness
