"""Control flow of one AMD kernel's disassembly: instructions, basic blocks, dominators, loops, and the hot path.

The last words of a vector go element by element, in slow loops: few instructions and narrow memory accesses; what else few
packets need begins with a mark. The hot path of a loop is the shortest path from its header to its end that keeps out
of that and goes through all other blocks that move data or compute. An inner loop on it counts as often as it turns.
"""
import re
from dataclasses import dataclass, field

RARE_MARK = "13"  # operand of the s_nop that mark_rare() in kernels/platform/amd.hpp leaves
SLOW_LOOP_INSTRUCTIONS = 48  # more than an element loop has, fewer than half a packet takes
SLOW_AROUND_INSTRUCTIONS = 160  # more than puts what element loops found into its places
SLOW_BLOCK_INSTRUCTIONS = 20  # more than a block between element loops has
MEMORY = re.compile(r"^(global|flat|buffer|scratch)_(load|store|atomic)_?(\S*)$")
WIDTHS = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4, "dwordx2": 8,
          "dwordx3": 12, "dwordx4": 16}
NO_WORK = ("s_nop", "s_waitcnt")  # not counted


@dataclass
class Instruction:
    address: int
    name: str
    operands: str

    @property
    def memory(self):
        """(space, load, store or atomic; bytes) or None."""
        match = MEMORY.match(self.name)
        if not match:
            return None
        return match[1], match[2], WIDTHS.get(match[3].split("_")[0], 0)

    @property
    def cache_bits(self):
        return " ".join(bit for bit in ("nt", "sc0", "sc1") if re.search(rf"\b{bit}\b", self.operands))

    @property
    def system_scope(self):
        return self.cache_bits.endswith("sc0 sc1")


@dataclass
class Block:
    code: list
    to: list = field(default_factory=list)


@dataclass(eq=False)
class Loop:
    header: int
    latches: set
    body: set
    inner: list = field(default_factory=list)


def parse(lines):
    code = []
    for line in lines:
        if line.strip() == "...":
            continue  # zeros between functions
        match = re.match(r"^\t(\S+)\s*(.*?)\s*// ([0-9A-F]+):(.*)$", line)
        if not match:
            raise ValueError(f"not a line of disassembly: {line}")
        code.append(Instruction(int(match[3], 16), match[1], match[2] + match[4]))
    return code


class Flow:
    def __init__(self, lines):
        self.code = parse(lines)
        while self.code and self.code[-1].name in ("s_nop", "s_code_end"):
            self.code.pop()  # padding
        self.blocks = self._blocks()
        self.before = [[] for _ in self.blocks]
        for number, block in enumerate(self.blocks):
            for target in block.to:
                self.before[target].append(number)
        self.dominators = self._dominators()
        self.loops = self._loops()

    @staticmethod
    def _target(instruction, base):
        """Index-free address of a branch, or None."""
        if not instruction.name.startswith(("s_branch", "s_cbranch")):
            return None
        match = re.search(r"<[^>]*?(?:\+0x([0-9a-f]+))?>$", instruction.operands)
        if not match:
            raise ValueError(f"branch without target: {instruction}")
        return base + int(match[1] or "0", 16)

    def _blocks(self):
        base = self.code[0].address
        starts = {base}
        for here, following in zip(self.code, self.code[1:] + [None]):
            if here.name in ("s_setpc_b64", "s_swappc_b64"):
                raise ValueError("calls a function: everything should be inlined")
            target = self._target(here, base)
            if target is not None:
                starts.add(target)
            if following and (target is not None or here.name == "s_endpgm"):
                starts.add(following.address)
        numbers = {}
        blocks = []
        for instruction in self.code:
            if instruction.address in starts:
                numbers[instruction.address] = len(blocks)
                blocks.append(Block([]))
            blocks[-1].code.append(instruction)
        for number, block in enumerate(blocks):
            last = block.code[-1]
            target = self._target(last, base)
            if target is not None:
                block.to.append(numbers[target])
            if last.name not in ("s_branch", "s_endpgm") and number + 1 < len(blocks):
                block.to.append(number + 1)
        return blocks

    def _dominators(self):
        everything = (1 << len(self.blocks)) - 1
        dominators = [1] + [everything] * (len(self.blocks) - 1)
        changed = True
        while changed:
            changed = False
            for number in range(1, len(self.blocks)):
                both = everything
                for previous in self.before[number]:
                    both &= dominators[previous]
                both |= 1 << number
                if both != dominators[number]:
                    dominators[number] = both
                    changed = True
        return dominators

    def dominates(self, a, b):
        return self.dominators[b] >> a & 1

    def _loops(self):
        """Natural loops, outer ones first, with their direct inner loops."""
        loops = {}
        for number, block in enumerate(self.blocks):
            for header in block.to:
                if self.dominates(header, number):
                    loop = loops.setdefault(header, Loop(header, set(), {header}))
                    loop.latches.add(number)
                    todo = [number]
                    while todo:
                        at = todo.pop()
                        if at not in loop.body:
                            loop.body.add(at)
                            todo += self.before[at]
        ordered = sorted(loops.values(), key=lambda loop: -len(loop.body))
        for i, loop in enumerate(ordered):
            around = [other for other in ordered[:i] if loop.header in other.body]
            if around:
                min(around, key=lambda other: len(other.body)).inner.append(loop)
        return ordered

    def instructions(self, blocks):
        return [instruction for number in sorted(blocks) for instruction in self.blocks[number].code]

    def is_slow(self, loop):
        """An element loop: few instructions, and memory accesses that are narrow. Or a loop around such ones alone."""
        widths = [instruction.memory[2] for instruction in self.instructions(loop.body) if instruction.memory]
        own = self.instructions(loop.body.difference(*(inner.body for inner in loop.inner)))
        most = SLOW_AROUND_INSTRUCTIONS if loop.inner else SLOW_LOOP_INSTRUCTIONS
        return (bool(widths) and max(widths) <= 8 and len(own) <= most
                and all(self.is_slow(inner) for inner in loop.inner))

    def slow_blocks(self):
        """Slow loops, and what is done behind the mark of rare roads only."""
        blocks = set().union(*(loop.body for loop in self.loops if self.is_slow(loop)))
        marks = [n for n, block in enumerate(self.blocks) if any(i.name == "s_nop" and i.operands.split()[:1] == [RARE_MARK]
                                                                 for i in block.code)]
        return blocks | {n for n in range(len(self.blocks)) if any(self.dominates(mark, n) for mark in marks)}

    def hot_path(self, loop, turns, needed):
        """Instructions of one turn. `turns`: an inner loop's turns, each by what it needs; `needed(block)`: whether the
        path must go through a block."""
        slow = self.slow_blocks()
        inside = {b: inner for inner in loop.inner if inner.header not in slow for b in inner.body}
        best = {}

        def way(number):
            """(needed blocks, -instructions, instructions) from `number` to the loop's end; None if there is none."""
            if number in best:
                return best[number]
            best[number] = None  # while it is being found: round a cycle there is no end
            inner = inside.get(number)
            if inner:
                code = [i for turn in turns for i in self.hot_path(inner, turns, turn)]
                exits = {t for b in inner.body for t in self.blocks[b].to} - inner.body
                at_end = bool(inner.body & loop.latches)
            else:
                code = self.blocks[number].code
                exits = set(self.blocks[number].to)
                at_end = number in loop.latches
            ways = [way(t) for t in exits if t in loop.body and t not in slow and t != loop.header]
            ways = [found for found in ways if found] + ([(0, 0, [])] if at_end else [])
            if ways:
                count, length, rest = max(ways, key=lambda found: found[:2])
                here = 1 if inner or needed(self.blocks[number]) else 0
                best[number] = count + here, length - len(code), code + rest
            return best[number]

        found = way(loop.header)
        wanted = len({inner.header for inner in inside.values()}) + sum(
            bool(needed(self.blocks[b])) for b in loop.body - slow - set(inside))
        if not found or found[0] != wanted:
            raise ValueError(f"no single path through the loop at block {loop.header} does all of its work")
        return found[2]


def works(block):
    """Moves packets or computes: not one of the short blocks between element loops."""
    return computes(block) or any(instruction.memory for instruction in block.code)


def computes(block):
    return len(block.code) > SLOW_BLOCK_INSTRUCTIONS


def counted(instructions):
    return [i for i in instructions if i.name not in NO_WORK]
