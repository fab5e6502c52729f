"""The model's tables as text."""
from . import figures, ours, quickreduce, rings

MACHINES = ("H200", "MI300X", "MI355X")
RANKS = (2, 4, 8)
CODECS = ("raw", "int8", "int4", "int3")
SIZES = tuple(figures.bytes_of(text) for text in ("16K", "256K", "1M", "4M", "16M", "64M", "256M", "1G"))
USES = {"c": "calibration", "p": "prediction", "x": "prediction, OFF"}


def number(us):
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def comparison(rows):
    yield "Figures published or measured, and the model's (us; 'over': times as fast as RCCL)"
    yield f"{'what':<18} {'codec':<5} {'machine':<7} {'n':>1} {'bytes':>8} {'figure':>8} {'model':>8} {'error':>7}  use"
    for row in rows:
        group = row.set
        yield (f"{group['kind']:<18} {group.get('codec', 'raw'):<5} {group['machine']:<7} {group['ranks']} "
               f"{figures.text_of(row.size):>8} {row.figure:>8g} {row.predicted:>8.4g} {100 * row.error:>+6.0f} %"
               f"  {USES[row.use]}{'' if not row.broken else ' BROKEN: must be within 20 %'}")


def summary(rows):
    for use, name in (("c", "used for calibration"), ("p", "predicted"), ("x", "predicted and known to be off")):
        those = [row for row in rows if row.use == use]
        inside = sum(row.within for row in those)
        if those:
            worst = max(abs(row.error) for row in those)
            mean = sum(abs(row.error) for row in those) / len(those)
            yield (f"{len(those)} rows {name}: {inside} within 20 %, mean error {100 * mean:.0f} %, "
                   f"worst {100 * worst:.1f} %")
    for row in rows:
        if row.use == "x":
            yield (f"  off: {row.set['kind']} {row.set.get('codec', '')} {row.set['machine']} n={row.set['ranks']} "
                   f"{figures.text_of(row.size)}, {100 * row.error:+.0f} %: {row.set['off']}")


def best(machine, ranks, codec, size, window):
    """The fastest algorithm's time, and its letter."""
    names = ["exchange", "two_shot"]
    if ranks > 2 and size >= 16 << 20:
        names = ["two_shot"]  # an exchange sends n / 2 times the bytes
    if ours.fits_flagged(ranks, size):
        names.append("flagged")
    return min((ours.time(machine, name, ranks, codec, size, None if name == "flagged" else window), name[0])
               for name in names)


def span(machine, ranks, codec, size, window):
    """Shortest and longest time, and the algorithm's letter. On a mesh of more than two GPUs the stores either fill all
    links or meet what holds up QuickReduce's widest stores."""
    fast, letter = best(machine, ranks, codec, size, None)
    if machine.network == "mesh" and ranks > 2 and letter != "f":
        return fast, max(fast, best(machine, ranks, codec, size, window)[0]), letter
    return fast, fast, letter


def between(low, high, text):
    """One number where the two hardly differ."""
    return text(low) if high < 1.03 * low or text(low) == text(high) else f"{text(low)}-{text(high)}"


def predictions(machines, codecs, constants):
    """For each machine and number of GPUs: rivals and this library, by size."""
    yield ""
    yield "Predictions. 16-bit values, us a call; e exchange, t two_shot, f flagged exchange, whichever is fastest."
    yield "a-b: stores that fill all links, or that are held up like QuickReduce's of 16 bytes a lane."
    yield "up: times as fast as the rival, int4."
    for name in MACHINES:
        machine = machines[name]
        rivals = ("RCCL", "QR fp", "QR int4") if machine.network == "mesh" else ("NCCL",)
        for ranks in RANKS:
            yield ""
            yield f"{name}, {ranks} GPUs"
            heads = "".join(f"{rival:>9}" for rival in rivals) + "".join(f"{codec:>15}" for codec in CODECS)
            yield f"   bytes {heads}{'up':>12}"
            for size in SIZES:
                rival = rings.time(machine, ranks, size)
                times = [rival] + [quickreduce.time(machine, constants, ranks, codecs[codec], size)
                                   for codec in ("raw", "int4")[:len(rivals) - 1]]
                spans = {codec: span(machine, ranks, codecs[codec], size, constants.wide_window) for codec in CODECS}
                fast, slow, _ = spans["int4"]
                cells = [f"{number(us):>9}" for us in times]
                cells += [f"{between(low, high, number) + ' ' + letter:>15}" for low, high, letter in spans.values()]
                up = between(rival / slow, rival / fast, lambda times_as_fast: f"{times_as_fast:.1f}")
                yield f"{figures.text_of(size):>8} {''.join(cells)}{up + 'x':>12}"
