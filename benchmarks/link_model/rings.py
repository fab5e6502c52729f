"""NCCL and RCCL: a ring of reduce-scatter and all-gather for long messages, and a short form in which half of each word
is a flag: NCCL's LL on its ring, RCCL's between all pairs. A call takes the faster of the two, as their tuning does."""
from .engine import Event
from .machine import Node


def ring(machine, ranks, size, short=False):
    """Chunk c starts at rank c and takes 2 (n - 1) hops. On a mesh n - 1 rings each have links of their own and a part
    of the message: one of them is simulated."""
    node = Node(machine, ranks, machine.short_gb_s if short else machine.ring_gb_s)
    engine = node.engine
    rings = ranks - 1 if machine.network == "mesh" else 1
    amount = size / rings / ranks * (2 if short else 1)
    launch = machine.short_launch_us if short else machine.ring_launch_us
    step_us = machine.short_step_us if short else machine.ring_step_us

    def travel(start):
        yield launch
        for hop in range(2 * (ranks - 1)):
            at = (start + hop) % ranks
            yield node.links.send(at, (at + 1) % ranks, amount) + step_us - engine.now

    for chunk in range(ranks):
        engine.start(travel(chunk))
    return engine.run()


def all_pairs(machine, ranks, size):
    """Reduce-scatter and all-gather in one step each, over all links at once."""
    node = Node(machine, ranks, machine.short_gb_s)
    engine = node.engine
    arrived = {(shot, rank): Event(ranks - 1) for shot in (1, 2) for rank in range(ranks)}

    def process(rank):
        yield machine.short_launch_us
        for shot in (1, 2):
            for distance in range(1, ranks):
                peer = (rank + distance) % ranks
                end = node.links.send(rank, peer, 2 * size / ranks)
                engine.at(end + machine.short_step_us, arrived[shot, peer].happen)
            yield arrived[shot, rank]

    for rank in range(ranks):
        engine.start(process(rank))
    return engine.run()


def time(machine, ranks, size):
    long = ring(machine, ranks, size)
    if size > machine.short_up_to:
        return long
    short = all_pairs(machine, ranks, size) if machine.short_kind == "all_pairs" else ring(machine, ranks, size, True)
    return min(short, long)
