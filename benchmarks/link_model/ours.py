"""This library's algorithms (kernels/exchange.hpp, two_shot.hpp, platform/gpu_flagged.hpp) on a Node.

A process stands for an equal part of the resident warps of a GPU; it meets the same part on the peers, as blocks do.
Values are 16 bits wide.
"""
import random
from math import ceil

from .engine import Event
from .machine import Node

WIDTH = 2
MOST_STEPS = 256  # of all parts of a GPU together; longer messages are cut into larger pieces than the real tiles


class Call:
    """One call: how it is cut, and the events on which its parts wait."""

    def __init__(self, machine, ranks, codec, size, window=None):
        self.node = Node(machine, ranks, machine.direct_gb_s, window)
        self.codec, self.ranks, self.m = codec, ranks, machine
        values = size / WIDTH
        resident = (machine.compute_units * machine.blocks_per_unit * machine.waves_per_block * machine.values_per_wave)
        steps = ceil(values / resident)
        self.parts = max(8, min(32, ceil(values / 16384))) if steps < 8 else 8
        self.steps = min(steps, MOST_STEPS // self.parts)
        self.values = values / self.parts / self.steps  # of one part in one step
        self.events = {}
        self._order = random.Random(1)

    def arrival(self, *key):
        """The event that `ranks - 1` peers have signalled."""
        return self.events.setdefault(key, Event(self.ranks - 1))

    def push(self, rank, amount, key):
        """Sends to all peers in turn; yields until the stores are done. The peers' event happens a signal later."""
        engine, done = self.node.engine, 0.0
        peers = [(rank + distance) % self.ranks for distance in range(1, self.ranks)]
        if self.node.windows:
            self._order.shuffle(peers)  # parts drift apart
        for peer in peers:
            if self.node.windows:
                yield self.node.windows[rank].take()
            end = self.node.links.send(rank, peer, amount)
            if self.node.windows:
                engine.at(end, self.node.windows[rank].give)
            done = max(done, end)
        yield max(0.0, done - engine.now)
        for peer in peers:
            engine.at(engine.now + self.m.flag_us + self.m.handshake_us, self.arrival(key, peer).happen)

    def run(self, process):
        for rank in range(self.ranks):
            for part in range(self.parts):
                self.node.engine.start(process(self, rank, part))
        return self.node.engine.run()


def exchange(call, rank, part):
    node, n, values = call.node, call.ranks, call.values
    coded = values * call.codec.bits / 8

    def send(step):
        yield node.access(rank, values * WIDTH)
        yield node.compute(rank, values, call.codec.encode)
        yield from call.push(rank, coded, (part, step))

    yield call.m.launch_us
    yield from send(0)
    for step in range(call.steps):
        if step + 1 < call.steps:
            yield from send(step + 1)
        yield call.arrival((part, step), rank)
        yield node.access(rank, coded * (n - 1))
        yield node.compute(rank, values, call.codec.decode * n)
        yield node.access(rank, values * WIDTH)


def two_shot(call, rank, part):
    """In a step: first shot of the next tile, sum and second shot of this one, then the results of the one before."""
    node, n, values, codec = call.node, call.ranks, call.values, call.codec
    coded = values * codec.bits / 8

    def first(step):
        yield node.access(rank, values * WIDTH)
        yield node.compute(rank, values * (n - 1) / n, codec.encode)
        yield from call.push(rank, coded / n, (part, step, 1))

    def second(step):
        yield call.arrival((part, step, 1), rank)
        yield node.access(rank, coded * (n - 1) / n)
        yield node.compute(rank, values / n, codec.decode * n + codec.encode)
        yield from call.push(rank, coded / n, (part, step, 2))

    def third(step):
        yield call.arrival((part, step, 2), rank)
        yield node.access(rank, coded * (n - 1) / n)
        yield node.compute(rank, values * (n - 1) / n, codec.decode)
        yield node.access(rank, values * WIDTH)

    yield call.m.launch_us
    yield from first(0)
    for step in range(call.steps):
        if step + 1 < call.steps:
            yield from first(step + 1)
        yield from second(step)
        if step > 0:
            yield from third(step - 1)
    yield from third(call.steps - 1)


def flagged(call, rank, part):
    """Data and epoch in one store: no drain, no signal; a reader has its data one flag's time after they were sent."""
    engine, n = call.node.engine, call.ranks
    amount = call.values * call.codec.flagged / 8
    yield call.m.launch_us + call.node.access(rank, call.values * WIDTH)
    for distance in range(1, n):
        peer = (rank + distance) % n
        engine.at(call.node.links.send(rank, peer, amount) + call.m.flag_us, call.arrival((part,), peer).happen)
    yield call.arrival((part,), rank)
    yield call.m.flagged_us + call.node.access(rank, amount * (n - 1) + call.values * WIDTH)


ALGORITHMS = {"exchange": exchange, "two_shot": two_shot, "flagged": flagged}


def time(machine, algorithm, ranks, codec, size, window=None):
    """Microseconds of a call on `size` bytes a rank."""
    return Call(machine, ranks, codec, size, window).run(ALGORITHMS[algorithm])


def fits_flagged(ranks, size):
    """lib/backends/hip: up to 512 / n blocks of 2,048 values."""
    return size / WIDTH <= 512 // ranks * 2048
