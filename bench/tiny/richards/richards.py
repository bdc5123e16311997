"""The kernel of an operating system in small (Martin Richards): tasks send packets to each other."""
import harness

IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 0, 1, 2, 3, 4, 5
DEVICE_PACKET, WORK_PACKET = 0, 1


class Packet:
    def __init__(self, link, id, kind):
        self.link = link
        self.id = id
        self.kind = kind
        self.datum = 0
        self.data = [0, 0, 0, 0]

    def append_to(self, queue):
        """The queue with this packet at its end."""
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, link, id, priority, queue, work):
        self.link = link
        self.id = id
        self.priority = priority
        self.queue = queue
        self.work = work
        self.held = False
        self.suspended = True
        self.runnable = queue is not None

    def is_blocked(self):
        return self.held or self.suspended and not self.runnable

    def run(self):
        packet = None
        if self.suspended and self.runnable and not self.held:
            packet = self.queue
            self.queue = packet.link
            self.suspended = False
            self.runnable = self.queue is not None
        return self.work.run(packet)

    def add(self, current, packet):
        if self.queue is None:
            self.queue = packet
            self.runnable = True
            if self.priority > current.priority:
                return self
        else:
            self.queue = packet.append_to(self.queue)
        return current


class Scheduler:
    def __init__(self):
        self.queued = 0
        self.held = 0
        self.tasks = [None] * 6
        self.list = None
        self.current = None

    def add(self, id, priority, queue, work):
        self.current = Task(self.list, id, priority, queue, work)
        self.list = self.current
        self.tasks[id] = self.current

    def run(self):
        self.current = self.list
        while self.current is not None:
            if self.current.is_blocked():
                self.current = self.current.link
            else:
                self.current = self.current.run()

    def release(self, id):
        task = self.tasks[id]
        task.held = False
        if task.priority > self.current.priority:
            return task
        return self.current

    def hold(self):
        self.held += 1
        self.current.held = True
        return self.current.link

    def suspend(self):
        self.current.suspended = True
        return self.current

    def send(self, packet):
        task = self.tasks[packet.id]
        self.queued += 1
        packet.link = None
        packet.id = self.current.id
        return task.add(self.current, packet)


class Idle:
    def __init__(self, scheduler, count):
        self.scheduler = scheduler
        self.seed = 1
        self.count = count

    def run(self, packet):
        self.count -= 1
        if self.count == 0:
            return self.scheduler.hold()
        if self.seed % 2 == 0:
            self.seed = self.seed // 2
            return self.scheduler.release(DEVICE_A)
        self.seed = self.seed // 2 ^ 0xd008
        return self.scheduler.release(DEVICE_B)


class Device:
    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.pending = None

    def run(self, packet):
        if packet is not None:
            self.pending = packet
            return self.scheduler.hold()
        if self.pending is None:
            return self.scheduler.suspend()
        pending = self.pending
        self.pending = None
        return self.scheduler.send(pending)


class Worker:
    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.destination = HANDLER_A
        self.letter = 0

    def run(self, packet):
        if packet is None:
            return self.scheduler.suspend()
        if self.destination == HANDLER_A:
            self.destination = HANDLER_B
        else:
            self.destination = HANDLER_A
        packet.id = self.destination
        packet.datum = 0
        for i in range(4):
            self.letter += 1
            if self.letter > 26:
                self.letter = 1
            packet.data[i] = self.letter
        return self.scheduler.send(packet)


class Handler:
    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.work = None
        self.devices = None

    def run(self, packet):
        if packet is not None:
            if packet.kind == WORK_PACKET:
                self.work = packet.append_to(self.work)
            else:
                self.devices = packet.append_to(self.devices)
        work = self.work
        if work is not None:
            count = work.datum
            if count >= 4:
                self.work = work.link
                return self.scheduler.send(work)
            device = self.devices
            if device is not None:
                self.devices = device.link
                device.datum = work.data[count]
                work.datum = count + 1
                return self.scheduler.send(device)
        return self.scheduler.suspend()


def packets(count, id, kind):
    queue = None
    for _ in range(count):
        queue = Packet(queue, id, kind)
    return queue


def richards(runs):
    queued = held = 0
    for _ in range(runs):
        scheduler = Scheduler()
        scheduler.add(IDLE, 0, None, Idle(scheduler, 1000))
        scheduler.current.suspended = False
        scheduler.add(WORKER, 1000, packets(2, WORKER, WORK_PACKET), Worker(scheduler))
        scheduler.add(HANDLER_A, 2000, packets(3, DEVICE_A, DEVICE_PACKET), Handler(scheduler))
        scheduler.add(HANDLER_B, 3000, packets(3, DEVICE_B, DEVICE_PACKET), Handler(scheduler))
        scheduler.add(DEVICE_A, 4000, None, Device(scheduler))
        scheduler.add(DEVICE_B, 5000, None, Device(scheduler))
        scheduler.run()
        queued += scheduler.queued
        held += scheduler.held
    return f'{queued} {held}'


harness.run(150, richards)
