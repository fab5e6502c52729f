"""Constants by name, and the resources of the GPUs of one node during one call."""
import json
import os

from .engine import Engine, Server, Tokens
from .network import network

HERE = os.path.dirname(os.path.realpath(__file__))


class Constants(dict):
    """Values without their sources, as attributes."""

    __getattr__ = dict.__getitem__

    @classmethod
    def of(cls, table):
        return cls({name: entry[0] for name, entry in table.items() if isinstance(entry, list)})


def read_constants(path=os.path.join(HERE, "constants.json")):
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    machines = {}
    for name, entries in table["machines"].items():
        base = table["machines"].get(entries.get("like"), {})
        machines[name] = Constants.of({**base, **entries})
    codecs = {name: Constants(entries) for name, entries in table["codecs"].items() if name != "about"}
    return machines, codecs, Constants.of(table["quickreduce"])


class Node:
    """An engine, `ranks` GPUs with memory and instructions, and the links between them."""

    def __init__(self, machine, ranks, link_gb_s, window=None):
        self.machine, self.ranks = machine, ranks
        self.engine = Engine()
        self.links = network(machine.network, self.engine, ranks, link_gb_s)
        self.memory = [Server(self.engine, machine.memory_gb_s * 1e3) for _ in range(ranks)]
        rate = machine.compute_units * machine.lanes * machine.clock_mhz * machine.issue_share
        self.instructions = [Server(self.engine, rate) for _ in range(ranks)]
        # Shares of data that a GPU can have on its way; None: as many as it likes.
        self.windows = window and [Tokens(window) for _ in range(ranks)]

    def compute(self, rank, values, instructions):
        """Microseconds for so many instructions a value: throughput of the GPU, or what one wave takes alone."""
        m = self.machine
        values_of_lane = m.values_per_wave / (32 if m.lanes == 128 else 64)
        alone = values_of_lane * instructions * m.cycles_per_instruction / m.clock_mhz
        return max(self.instructions[rank].wait(values * instructions), alone)

    def access(self, rank, amount):
        return self.memory[rank].wait(amount) + self.machine.memory_latency_us
