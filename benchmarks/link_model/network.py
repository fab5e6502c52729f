"""The links of a node: a mesh, where each ordered pair of GPUs has its own, or a switch with two ports a GPU."""
from .engine import Server


class Mesh:
    def __init__(self, engine, ranks, rate):
        self.engine = engine
        self._links = {(a, b): Server(engine, rate) for a in range(ranks) for b in range(ranks) if a != b}

    def send(self, source, target, amount):
        """Time at which the last byte has arrived; propagation is part of the flag that follows."""
        return self._links[source, target].book(amount)[1]

    def sent(self):
        return {link: server.units for link, server in self._links.items()}


class Switch:
    """Cut-through: a transfer holds the sender's and then the receiver's port, each for bytes / rate."""

    def __init__(self, engine, ranks, rate):
        self.engine = engine
        self._out = [Server(engine, rate) for _ in range(ranks)]
        self._in = [Server(engine, rate) for _ in range(ranks)]

    def send(self, source, target, amount):
        begin, _ = self._out[source].book(amount)
        return self._in[target].book(amount, not_before=begin)[1]

    def sent(self):
        return {rank: server.units for rank, server in enumerate(self._out)}


def network(kind, engine, ranks, gb_s):
    """Rates are in GB/s, that is in thousands of bytes a microsecond."""
    return {"mesh": Mesh, "switch": Switch}[kind](engine, ranks, gb_s * 1e3)
