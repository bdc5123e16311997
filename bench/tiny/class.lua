-- class(base): a table of methods, which objects and derived classes inherit; new(...) makes an object by init(...).
local function class(base)
  local methods = {}
  for name, method in pairs(base or {}) do methods[name] = method end
  methods.__index = methods
  function methods.new(...)
    local object = setmetatable({}, methods)
    object:init(...)
    return object
  end
  return methods
end

return class
