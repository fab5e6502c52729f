"""QuickReduce's two-shot as published: 1,216 blocks, tiles of 32 KiB, a segment encoded and sent for each destination,
one flag a peer and phase, peers waited for one after the other.

What its figures on 4 and 8 GPUs show and its source does not say is that narrow stores do not fill all links. The
hypothesis here: a GPU can have `window` shares of tiles on their way, first come first served, to destinations in no
order (the blocks drift apart), so that a share for a busy link holds up those behind it that are for idle ones.
"""
import random
from math import ceil

from .engine import Event
from .machine import Node

MOST_PARTS = 12  # of a GPU's blocks; a part stands for blocks that go alike
PIECES = 3  # of a share of a tile: blocks send side by side, not one after the other


def time(machine, constants, ranks, codec, size):
    c, wide = constants, codec.bits == 16
    node = Node(machine, ranks, machine.direct_gb_s * (1 if wide else c.narrow_share),
                c.wide_window if wide else c.narrow_window)
    order = random.Random(1)
    tiles = ceil(size / c.tile_bytes)
    parts = min(tiles, MOST_PARTS)
    share = c.tile_bytes * codec.bits / 16 / ranks  # of one tile for one destination
    codec_us = 0 if wide else c.codec_us * 2100 / machine.clock_mhz
    peers = [[peer for peer in range(ranks) if peer != rank] for rank in range(ranks)]
    flags = {}

    def flag(key):
        return flags.setdefault(key, Event())

    def tiles_in(part, lap):
        """Tiles of this part of the blocks; the last lap has fewer than there are blocks."""
        in_lap = min(c.blocks, tiles - lap * c.blocks)
        return in_lap * (part + 1) // parts - in_lap * part // parts

    def process(rank, part):
        engine = node.engine
        yield machine.launch_us
        for lap in range(ceil(tiles / c.blocks)):
            count = tiles_in(part, lap)
            if count == 0:
                break
            for phase in (1, 2):
                yield node.access(rank, count * share * ranks)
                yield codec_us / 4
                sent = Event(PIECES * (ranks - 1))
                for _ in range(PIECES):
                    for peer in order.sample(peers[rank], ranks - 1):
                        yield node.windows[rank].take()
                        end = node.links.send(rank, peer, count * share / PIECES)
                        engine.at(end, node.windows[rank].give)
                        engine.at(end, sent.happen)
                yield sent
                for peer in range(ranks):
                    if peer != rank:
                        engine.at(engine.now + machine.flag_us, flag((lap, phase, part, rank, peer)).happen)
                for peer in range(ranks):
                    if peer != rank:
                        yield flag((lap, phase, part, peer, rank))
                    yield c.poll_us + codec_us / 4 / ranks

    for rank in range(ranks):
        for part in range(parts):
            node.engine.start(process(rank, part))
    return node.engine.run()
