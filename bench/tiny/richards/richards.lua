-- The kernel of an operating system in small (Martin Richards): tasks send packets to each other.
local harness = require "harness"
local floor = math.floor
-- The Luas write it differently.
local xor = bit and bit.bxor or load("return function(a, b) return a ~ b end")()

local IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 1, 2, 3, 4, 5, 6
local DEVICE_PACKET, WORK_PACKET = 0, 1

local Packet = {}
Packet.__index = Packet

local function new_packet(link, id, kind)
  return setmetatable({link = link, id = id, kind = kind, datum = 0, data = {0, 0, 0, 0}}, Packet)
end

-- The queue with this packet at its end.
function Packet:append_to(queue)
  self.link = nil
  if queue == nil then return self end
  local last = queue
  while last.link ~= nil do last = last.link end
  last.link = self
  return queue
end

local Task = {}
Task.__index = Task

local function new_task(link, id, priority, queue, work)
  return setmetatable({link = link, id = id, priority = priority, queue = queue, work = work, held = false,
                       suspended = true, runnable = queue ~= nil}, Task)
end

function Task:is_blocked()
  return self.held or self.suspended and not self.runnable
end

function Task:run()
  local packet = nil
  if self.suspended and self.runnable and not self.held then
    packet = self.queue
    self.queue = packet.link
    self.suspended = false
    self.runnable = self.queue ~= nil
  end
  return self.work:run(packet)
end

function Task:add(current, packet)
  if self.queue == nil then
    self.queue = packet
    self.runnable = true
    if self.priority > current.priority then return self end
  else
    self.queue = packet:append_to(self.queue)
  end
  return current
end

local Scheduler = {}
Scheduler.__index = Scheduler

local function new_scheduler()
  return setmetatable({queued = 0, held = 0, tasks = {}, list = nil, current = nil}, Scheduler)
end

function Scheduler:add(id, priority, queue, work)
  self.current = new_task(self.list, id, priority, queue, work)
  self.list = self.current
  self.tasks[id] = self.current
end

function Scheduler:run()
  self.current = self.list
  while self.current ~= nil do
    if self.current:is_blocked() then
      self.current = self.current.link
    else
      self.current = self.current:run()
    end
  end
end

function Scheduler:release(id)
  local task = self.tasks[id]
  task.held = false
  if task.priority > self.current.priority then return task end
  return self.current
end

function Scheduler:hold()
  self.held = self.held + 1
  self.current.held = true
  return self.current.link
end

function Scheduler:suspend()
  self.current.suspended = true
  return self.current
end

function Scheduler:send(packet)
  local task = self.tasks[packet.id]
  self.queued = self.queued + 1
  packet.link = nil
  packet.id = self.current.id
  return task:add(self.current, packet)
end

local Idle = {}
Idle.__index = Idle

function Idle:run()
  self.count = self.count - 1
  if self.count == 0 then return self.scheduler:hold() end
  if self.seed % 2 == 0 then
    self.seed = floor(self.seed / 2)
    return self.scheduler:release(DEVICE_A)
  end
  self.seed = xor(floor(self.seed / 2), 0xd008)
  return self.scheduler:release(DEVICE_B)
end

local Device = {}
Device.__index = Device

function Device:run(packet)
  if packet ~= nil then
    self.pending = packet
    return self.scheduler:hold()
  end
  if self.pending == nil then return self.scheduler:suspend() end
  local pending = self.pending
  self.pending = nil
  return self.scheduler:send(pending)
end

local Worker = {}
Worker.__index = Worker

function Worker:run(packet)
  if packet == nil then return self.scheduler:suspend() end
  if self.destination == HANDLER_A then self.destination = HANDLER_B else self.destination = HANDLER_A end
  packet.id = self.destination
  packet.datum = 0
  for i = 1, 4 do
    self.letter = self.letter + 1
    if self.letter > 26 then self.letter = 1 end
    packet.data[i] = self.letter
  end
  return self.scheduler:send(packet)
end

local Handler = {}
Handler.__index = Handler

function Handler:run(packet)
  if packet ~= nil then
    if packet.kind == WORK_PACKET then
      self.work = packet:append_to(self.work)
    else
      self.devices = packet:append_to(self.devices)
    end
  end
  local work = self.work
  if work ~= nil then
    local count = work.datum
    if count >= 4 then
      self.work = work.link
      return self.scheduler:send(work)
    end
    local device = self.devices
    if device ~= nil then
      self.devices = device.link
      device.datum = work.data[count + 1]
      work.datum = count + 1
      return self.scheduler:send(device)
    end
  end
  return self.scheduler:suspend()
end

local function packets(count, id, kind)
  local queue = nil
  for i = 1, count do queue = new_packet(queue, id, kind) end
  return queue
end

local function richards(runs)
  local queued, held = 0, 0
  for i = 1, runs do
    local s = new_scheduler()
    s:add(IDLE, 0, nil, setmetatable({scheduler = s, seed = 1, count = 1000}, Idle))
    s.current.suspended = false
    s:add(WORKER, 1000, packets(2, WORKER, WORK_PACKET),
          setmetatable({scheduler = s, destination = HANDLER_A, letter = 0}, Worker))
    s:add(HANDLER_A, 2000, packets(3, DEVICE_A, DEVICE_PACKET), setmetatable({scheduler = s}, Handler))
    s:add(HANDLER_B, 3000, packets(3, DEVICE_B, DEVICE_PACKET), setmetatable({scheduler = s}, Handler))
    s:add(DEVICE_A, 4000, nil, setmetatable({scheduler = s}, Device))
    s:add(DEVICE_B, 5000, nil, setmetatable({scheduler = s}, Device))
    s:run()
    queued = queued + s.queued
    held = held + s.held
  end
  return queued .. " " .. held
end

harness.run(150, richards)
