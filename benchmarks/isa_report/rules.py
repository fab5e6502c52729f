"""What one AMD kernel's code shows: memory accesses, signals, occupancy, instructions a value."""
from collections import Counter, deque

from . import flow

LANE_VALUES = 64  # of a packet: 2,048 values, 32 lanes
# The loop over the halves of a packet turns twice; the first half of its input may be loaded before it.
TURNS = ((flow.works, flow.works), (flow.computes, flow.works))
SIZES = {"Float16": 2, "BFloat16": 2, "Float32": 4, "Float64": 8}
REGISTERS = 512  # a lane's share of a SIMD, VGPRs and AGPRs together
LDS_BYTES = {"gfx942": 64 << 10, "gfx950": 160 << 10}
WAVE_LANES = 64
SIMDS = 4  # of a compute unit


def occupancy(facts, arch):
    """(waves a SIMD, blocks a compute unit)."""
    registers = -(-max(1, int(facts["vgpr_count"])) // 8) * 8
    waves = min(8, REGISTERS // registers)
    waves_each = -(-int(facts["max_flat_workgroup_size"]) // WAVE_LANES)
    blocks = waves * SIMDS // waves_each
    lds = int(facts["group_segment_fixed_size"])
    return waves, min(blocks, LDS_BYTES[arch] // lds) if lds else blocks


def accesses(code):
    """{"load 16 nt": how many} of global memory accesses."""
    found = Counter()
    for instruction in code:
        if instruction.memory:
            space, kind, width = instruction.memory
            prefix = "" if space == "global" else space + " "
            found[f"{prefix}{kind} {width} {instruction.cache_bits}".strip()] += 1
    return dict(sorted(found.items()))


def flat_in_loops(graph):
    blocks = set().union(*(loop.body for loop in graph.loops)) if graph.loops else set()
    return sum(i.name.startswith("flat_") for i in graph.instructions(blocks))


def undrained_signals(graph, threads):
    """(signals, those behind a barrier that some wave may reach with stores under way).

    A signal is a system-scope 8-byte store to which a barrier leads without another barrier or an atomic between
    (those of report() follow an atomic). Stores are under way from a store to the next s_waitcnt vmcnt(0). A block
    of one wave has no barriers: there the stores must be done when the signal is stored.
    """
    alone = threads <= WAVE_LANES
    entry = _pending_stores(graph)
    signals = 0
    bad = 0
    for number, block in enumerate(graph.blocks):
        pending = entry[number]
        for index, instruction in enumerate(block.code):
            if (_is_signal(instruction) if alone else
                    instruction.name == "s_barrier" and _leads_to_signal(graph, number, index + 1)):
                signals += 1
                bad += pending
            pending = _after(instruction, pending)
    return signals, bad


def _after(instruction, pending):
    memory = instruction.memory
    if memory and memory[1] == "store":
        return True
    if instruction.name == "s_waitcnt" and "vmcnt(0)" in instruction.operands:
        return False
    return pending


def _pending_stores(graph):
    """For each block whether stores may be under way when it begins."""
    entry = [False] * len(graph.blocks)
    todo = deque(range(len(graph.blocks)))
    while todo:
        number = todo.popleft()
        pending = entry[number]
        for instruction in graph.blocks[number].code:
            pending = _after(instruction, pending)
        for target in graph.blocks[number].to:
            if pending and not entry[target]:
                entry[target] = True
                todo.append(target)
    return entry


def _is_signal(instruction):
    memory = instruction.memory
    return bool(memory) and memory[1:] == ("store", 8) and instruction.system_scope


def _leads_to_signal(graph, number, index):
    seen = set()
    todo = [(number, index)]
    while todo:
        number, index = todo.pop()
        for instruction in graph.blocks[number].code[index:]:
            memory = instruction.memory
            if _is_signal(instruction):
                return True
            if instruction.name == "s_barrier" or (memory and memory[1] == "atomic"):
                break
        else:
            for target in graph.blocks[number].to:
                if target not in seen:
                    seen.add(target)
                    todo.append((target, 0))
    return False


def hot_accesses(graph):
    """Of the outermost loop, without element loops and what comes of a failure (behind an atomic)."""
    if not graph.loops:
        return {}
    tiles = max(graph.loops, key=lambda loop: len(loop.body))
    atomic = [b for b in tiles.body if any(i.memory and i.memory[1] == "atomic" for i in graph.blocks[b].code)]
    failed = {b for b in tiles.body if any(graph.dominates(a, b) for a in atomic)}
    return accesses(graph.instructions(tiles.body - graph.slow_blocks() - failed))


def instructions_a_value(graph, job, bits, kind):
    """Of encode_only and decode_only: their loop over packets, divided by the values that a lane has of one.

    Of the ways in which the halves can be loaded, the one counts that moves the bytes of a packet.
    """
    loops = [loop for loop in graph.loops if not any(loop in outer.inner for outer in graph.loops)]
    packets = max(loops, key=lambda loop: len(graph.instructions(loop.body)))
    values = LANE_VALUES * SIZES[kind]
    packed = LANE_VALUES * bits // 8 + 4
    expected = {"load": values, "store": packed} if job == "encode" else {"load": packed, "store": values}
    seen = []
    for turns in TURNS:
        path = graph.hot_path(packets, turns, flow.works)
        moved = Counter()
        for instruction in path:
            if instruction.memory:
                moved[instruction.memory[1]] += instruction.memory[2]
        if dict(moved) == expected:
            return round(len(flow.counted(path)) / LANE_VALUES, 2)
        seen.append(dict(moved))
    raise ValueError(f"the hot path moves {seen} bytes a lane and not {expected}")
