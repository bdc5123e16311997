-- The sun and four planets, stepped by a symplectic integrator (the Benchmarks Game's).
local harness = require "harness"
local sqrt = math.sqrt

local DAY, SOLAR_MASS = 365.24, 4 * math.pi * math.pi

local function body(x, y, z, vx, vy, vz, mass)
  return {x = x, y = y, z = z, vx = vx * DAY, vy = vy * DAY, vz = vz * DAY, mass = mass * SOLAR_MASS}
end

local function make_bodies()
  return {
    body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
         0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
    body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
         -0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
    body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
         0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556, 0.0000436624404335156298),
    body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
         0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870, 0.0000515138902046611451),
  }
end

local function offset_momentum(bodies)
  local px, py, pz = 0.0, 0.0, 0.0
  for i = 1, #bodies do
    local b = bodies[i]
    px = px + b.vx * b.mass
    py = py + b.vy * b.mass
    pz = pz + b.vz * b.mass
  end
  local sun = bodies[1]
  sun.vx = -px / SOLAR_MASS
  sun.vy = -py / SOLAR_MASS
  sun.vz = -pz / SOLAR_MASS
end

local function advance(bodies, dt)
  local count = #bodies
  for i = 1, count do
    local a = bodies[i]
    for j = i + 1, count do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local square = dx * dx + dy * dy + dz * dz
      local magnitude = dt / (square * sqrt(square))
      local ma, mb = a.mass * magnitude, b.mass * magnitude
      a.vx = a.vx - dx * mb
      a.vy = a.vy - dy * mb
      a.vz = a.vz - dz * mb
      b.vx = b.vx + dx * ma
      b.vy = b.vy + dy * ma
      b.vz = b.vz + dz * ma
    end
  end
  for i = 1, count do
    local b = bodies[i]
    b.x = b.x + dt * b.vx
    b.y = b.y + dt * b.vy
    b.z = b.z + dt * b.vz
  end
end

local function energy(bodies)
  local e = 0.0
  local count = #bodies
  for i = 1, count do
    local a = bodies[i]
    e = e + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for j = i + 1, count do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      e = e - a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return e
end

local function nbody(steps)
  local bodies = make_bodies()
  offset_momentum(bodies)
  for i = 1, steps do advance(bodies, 0.01) end
  return string.format("%.9f", energy(bodies))
end

harness.run(150000, nbody)
