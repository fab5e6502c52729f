#!/usr/bin/env python3
"""benchmarks/isa finds what it is there to find: stores under way at a signal's barrier, the hot path of a loop,
flat accesses, broken limits. Argument: the folder benchmarks/."""
import importlib.machinery
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
BENCHMARKS = os.path.realpath(sys.argv.pop())
sys.path.insert(0, BENCHMARKS)
from isa_report import flow, rules  # noqa: E402

loader = importlib.machinery.SourceFileLoader("isa", os.path.join(BENCHMARKS, "isa"))
isa = importlib.util.module_from_spec(importlib.util.spec_from_loader("isa", loader))
loader.exec_module(isa)


def disassembly(*lines):
    """What llvm-objdump prints: instructions of 4 bytes, branches by index of the line."""
    return ["\t" + (f"{line.split('@')[0]}{'':<4}// {4 * i:012X}: <kernel+{4 * int(line.split('@')[1]):#x}>"
                    if "@" in line else f"{line}  // {4 * i:012X}:") for i, line in enumerate(lines)]


SIGNAL = "global_store_dwordx2 v[0:1], v[2:3], off sc0 sc1"
STORE = "global_store_dwordx4 v[0:1], v[2:5], off"
DRAIN = "s_waitcnt vmcnt(0)"


class Drain(unittest.TestCase):
    def signals(self, *lines, threads=256):
        return rules.undrained_signals(flow.Flow(disassembly(*lines, "s_endpgm")), threads)

    def test_drained(self):
        self.assertEqual(self.signals(STORE, DRAIN, "s_barrier", SIGNAL), (1, 0))

    def test_no_wait(self):
        self.assertEqual(self.signals(STORE, "s_barrier", SIGNAL), (1, 1))

    def test_wait_for_fewer(self):
        self.assertEqual(self.signals(STORE, "s_waitcnt vmcnt(1)", "s_barrier", SIGNAL), (1, 1))

    def test_wait_behind_the_barrier(self):
        self.assertEqual(self.signals(STORE, "s_barrier", DRAIN, SIGNAL), (1, 1))

    def test_one_way_without_wait(self):
        self.assertEqual(self.signals(STORE, "s_cbranch_execz@3", DRAIN, "s_barrier", SIGNAL), (1, 1))

    def test_other_barriers_need_none(self):
        self.assertEqual(self.signals(STORE, "s_barrier", DRAIN, "s_barrier", SIGNAL), (1, 0))

    def test_reports_are_no_signals(self):
        atomic = "global_atomic_cmpswap v0, v1, v[2:3], s[0:1] sc0"
        self.assertEqual(self.signals(STORE, "s_barrier", atomic, SIGNAL), (0, 0))

    def test_block_of_one_wave(self):
        self.assertEqual(self.signals(STORE, DRAIN, SIGNAL, threads=32), (1, 0))
        self.assertEqual(self.signals(STORE, SIGNAL, threads=32), (1, 1))


class Path(unittest.TestCase):
    LOAD = "global_load_dwordx4 v[0:3], v[4:5], off nt"

    def loop(self, loads):
        """encode of an 8-bit codec and 16-bit elements: 128 bytes in, 68 out, by a loop with an arm of elements."""
        narrow = "global_load_ushort v0, v[4:5], off"
        head = ["s_nop 0", "s_cbranch_execz@%d" % (2 + loads)] + [self.LOAD] * loads
        at = len(head)
        # The arm has a mark and loads wide what it can, before it goes by elements.
        arm = ["s_cbranch_execz@%d" % (at + 5), "s_nop 13", self.LOAD, narrow, "s_cbranch_execnz@%d" % (at + 3)]
        stores = [STORE] * 4 + ["global_store_dword v0, v1, off"]
        body = head + arm + ["v_add_u32_e32 v0, v0, v1"] * 59 + stores
        lines = ["v_mov_b32_e32 v9, 0", *[self.moved(x) for x in body], "s_cbranch_vccnz@1", "s_endpgm"]
        return flow.Flow(disassembly(*lines))

    @staticmethod
    def moved(line):
        return f"{line.split('@')[0]}@{int(line.split('@')[1]) + 1}" if "@" in line else line

    def test_instructions_a_value(self):
        # A branch each at the start, over the arm and at the end, 8 loads, 5 stores, 59 others; s_nop does not count.
        self.assertEqual(rules.instructions_a_value(self.loop(8), "encode", 8, "Float16"), round(75 / 64, 2))

    def test_wrong_path_is_refused(self):
        with self.assertRaises(ValueError):
            rules.instructions_a_value(self.loop(7), "encode", 8, "Float16")

    def test_flat_in_loops(self):
        flat = "flat_load_dword v0, v[0:1]"
        graph = flow.Flow(disassembly(flat, flat, "s_cbranch_vccnz@1", "s_endpgm"))
        self.assertEqual(rules.flat_in_loops(graph), 1)


class Limits(unittest.TestCase):
    ROW = {"scratch": 0, "vgprs": 100, "flat": 0, "blocks_a_cu": 3, "signals": 1, "undrained_signals": 0}
    BUDGET = {"scratch": 0, "vgprs": 128, "flat": 0, "blocks_a_cu": 3}
    LIMITS = {"kernels": {"exchange int3 Float16": {"gfx942": BUDGET}}}

    def broken(self, **changes):
        return list(isa.violations({"exchange int3 Float16": {"gfx942": self.ROW | changes}}, self.LIMITS))

    def test_within(self):
        self.assertEqual(self.broken(), [])

    def test_each_alone(self):
        for change in ({"scratch": 4}, {"vgprs": 129}, {"flat": 1}, {"blocks_a_cu": 2}, {"undrained_signals": 1},
                       {"signals": 0}):
            self.assertEqual(len(self.broken(**change)), 1, change)

    def test_unknown_and_missing_kernels(self):
        table = {"exchange int9 Float16": {"gfx942": self.ROW}}
        self.assertEqual(len(list(isa.violations(table, self.LIMITS))), 2)


if __name__ == "__main__":
    unittest.main()
