"""What the model gives for every figure that was published or measured, and how far it is off."""
import json
import os
from dataclasses import dataclass

from . import ours, quickreduce, rings
from .machine import HERE, Constants

LIMIT = 0.20
FLAGGED_PROTOTYPE_BITS = {"raw": 32, "int4*": 8}  # the prototype packs 4-bit codes more densely than the library does


@dataclass
class Row:
    set: dict
    size: int
    figure: float
    use: str  # c, p or x
    predicted: float

    @property
    def error(self):
        return self.predicted / self.figure - 1

    @property
    def within(self):
        return abs(self.error) <= LIMIT

    @property
    def broken(self):
        """Stated to be within the limit, and not."""
        return self.use != "x" and not self.within


def bytes_of(text):
    return round(float(text[:-1]) * {"K": 2 ** 10, "M": 2 ** 20, "G": 2 ** 30}[text[-1]])


def text_of(size):
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size / (1 << power):g} {unit}"
    return f"{size} B"


def predict(kind, machine, ranks, codec, codec_name, size, constants):
    if kind in ("rccl", "nccl"):
        return rings.time(machine, ranks, size)
    if kind == "quickreduce":
        return quickreduce.time(machine, constants, ranks, codec, size)
    if kind == "quickreduce over":
        return rings.time(machine, ranks, size) / quickreduce.time(machine, constants, ranks, codec, size)
    if kind == "flagged prototype":
        return ours.time(machine, "flagged", ranks, Constants(codec, flagged=FLAGGED_PROTOTYPE_BITS[codec_name]), size)
    return ours.time(machine, kind, ranks, codec, size)


def compare(machines, codecs, quickreduce_constants, path=os.path.join(HERE, "figures.json")):
    with open(path, encoding="utf-8") as file:
        sets = json.load(file)["sets"]
    for group in sets:
        name = group.get("codec", "raw")
        for text, figure, use in group["rows"]:
            size = bytes_of(text)
            predicted = predict(group["kind"], machines[group["machine"]], group["ranks"], codecs[name], name, size,
                                quickreduce_constants)
            yield Row(group, size, figure, use, predicted)
