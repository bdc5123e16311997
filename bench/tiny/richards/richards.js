// The kernel of an operating system in small (Martin Richards): tasks send packets to each other.
const harness = require("../harness");

const IDLE = 0, WORKER = 1, HANDLER_A = 2, HANDLER_B = 3, DEVICE_A = 4, DEVICE_B = 5;
const DEVICE_PACKET = 0, WORK_PACKET = 1;

class Packet {
  constructor(link, id, kind) {
    this.link = link;
    this.id = id;
    this.kind = kind;
    this.datum = 0;
    this.data = [0, 0, 0, 0];
  }
  // The queue with this packet at its end.
  appendTo(queue) {
    this.link = null;
    if (queue === null) return this;
    let last = queue;
    while (last.link !== null) last = last.link;
    last.link = this;
    return queue;
  }
}

class Task {
  constructor(link, id, priority, queue, work) {
    this.link = link;
    this.id = id;
    this.priority = priority;
    this.queue = queue;
    this.work = work;
    this.held = false;
    this.suspended = true;
    this.runnable = queue !== null;
  }
  isBlocked() {
    return this.held || (this.suspended && !this.runnable);
  }
  run() {
    let packet = null;
    if (this.suspended && this.runnable && !this.held) {
      packet = this.queue;
      this.queue = packet.link;
      this.suspended = false;
      this.runnable = this.queue !== null;
    }
    return this.work.run(packet);
  }
  add(current, packet) {
    if (this.queue === null) {
      this.queue = packet;
      this.runnable = true;
      if (this.priority > current.priority) return this;
    } else {
      this.queue = packet.appendTo(this.queue);
    }
    return current;
  }
}

class Scheduler {
  constructor() {
    this.queued = 0;
    this.held = 0;
    this.tasks = new Array(6).fill(null);
    this.list = null;
    this.current = null;
  }
  add(id, priority, queue, work) {
    this.current = new Task(this.list, id, priority, queue, work);
    this.list = this.current;
    this.tasks[id] = this.current;
  }
  run() {
    this.current = this.list;
    while (this.current !== null) {
      if (this.current.isBlocked()) this.current = this.current.link;
      else this.current = this.current.run();
    }
  }
  release(id) {
    const task = this.tasks[id];
    task.held = false;
    if (task.priority > this.current.priority) return task;
    return this.current;
  }
  hold() {
    this.held++;
    this.current.held = true;
    return this.current.link;
  }
  suspend() {
    this.current.suspended = true;
    return this.current;
  }
  send(packet) {
    const task = this.tasks[packet.id];
    this.queued++;
    packet.link = null;
    packet.id = this.current.id;
    return task.add(this.current, packet);
  }
}

class Idle {
  constructor(scheduler, count) {
    this.scheduler = scheduler;
    this.seed = 1;
    this.count = count;
  }
  run(packet) {
    this.count--;
    if (this.count === 0) return this.scheduler.hold();
    if (this.seed % 2 === 0) {
      this.seed = Math.floor(this.seed / 2);
      return this.scheduler.release(DEVICE_A);
    }
    this.seed = Math.floor(this.seed / 2) ^ 0xd008;
    return this.scheduler.release(DEVICE_B);
  }
}

class Device {
  constructor(scheduler) {
    this.scheduler = scheduler;
    this.pending = null;
  }
  run(packet) {
    if (packet !== null) {
      this.pending = packet;
      return this.scheduler.hold();
    }
    if (this.pending === null) return this.scheduler.suspend();
    const pending = this.pending;
    this.pending = null;
    return this.scheduler.send(pending);
  }
}

class Worker {
  constructor(scheduler) {
    this.scheduler = scheduler;
    this.destination = HANDLER_A;
    this.letter = 0;
  }
  run(packet) {
    if (packet === null) return this.scheduler.suspend();
    if (this.destination === HANDLER_A) this.destination = HANDLER_B;
    else this.destination = HANDLER_A;
    packet.id = this.destination;
    packet.datum = 0;
    for (let i = 0; i < 4; i++) {
      this.letter++;
      if (this.letter > 26) this.letter = 1;
      packet.data[i] = this.letter;
    }
    return this.scheduler.send(packet);
  }
}

class Handler {
  constructor(scheduler) {
    this.scheduler = scheduler;
    this.work = null;
    this.devices = null;
  }
  run(packet) {
    if (packet !== null) {
      if (packet.kind === WORK_PACKET) this.work = packet.appendTo(this.work);
      else this.devices = packet.appendTo(this.devices);
    }
    const work = this.work;
    if (work !== null) {
      const count = work.datum;
      if (count >= 4) {
        this.work = work.link;
        return this.scheduler.send(work);
      }
      const device = this.devices;
      if (device !== null) {
        this.devices = device.link;
        device.datum = work.data[count];
        work.datum = count + 1;
        return this.scheduler.send(device);
      }
    }
    return this.scheduler.suspend();
  }
}

function packets(count, id, kind) {
  let queue = null;
  for (let i = 0; i < count; i++) queue = new Packet(queue, id, kind);
  return queue;
}

function richards(runs) {
  let queued = 0, held = 0;
  for (let i = 0; i < runs; i++) {
    const scheduler = new Scheduler();
    scheduler.add(IDLE, 0, null, new Idle(scheduler, 1000));
    scheduler.current.suspended = false;
    scheduler.add(WORKER, 1000, packets(2, WORKER, WORK_PACKET), new Worker(scheduler));
    scheduler.add(HANDLER_A, 2000, packets(3, DEVICE_A, DEVICE_PACKET), new Handler(scheduler));
    scheduler.add(HANDLER_B, 3000, packets(3, DEVICE_B, DEVICE_PACKET), new Handler(scheduler));
    scheduler.add(DEVICE_A, 4000, null, new Device(scheduler));
    scheduler.add(DEVICE_B, 5000, null, new Device(scheduler));
    scheduler.run();
    queued += scheduler.queued;
    held += scheduler.held;
  }
  return `${queued} ${held}`;
}

harness.run(150, richards);
