#!/usr/bin/env python3
"""benchmarks/model: its engine and links where the answer can be written down. Argument: the folder benchmarks/."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.realpath(sys.argv.pop()))
from link_model import figures, machine, ours, quickreduce, rings  # noqa: E402
from link_model.engine import Engine, Event, Server, Tokens  # noqa: E402
from link_model.network import Mesh, Switch  # noqa: E402

MIB = 1 << 20
MACHINES, CODECS, QUICKREDUCE = machine.read_constants()


def ideal(**constants):
    """A machine in which nothing takes time but what is named."""
    free = {name: 0 for name in ("launch_us", "flag_us", "handshake_us", "flagged_us", "memory_latency_us",
                                 "cycles_per_instruction", "ring_launch_us", "ring_step_us", "short_launch_us",
                                 "short_step_us", "short_up_to")}
    fast = {name: 1e9 for name in ("memory_gb_s", "direct_gb_s", "ring_gb_s", "short_gb_s", "lanes", "clock_mhz")}
    sizes = {"network": "mesh", "compute_units": 100, "issue_share": 1, "blocks_per_unit": 2, "waves_per_block": 4,
             "values_per_wave": 2048, "short_kind": "ring"}
    return machine.Constants({**free, **fast, **sizes, **constants})


class EngineTest(unittest.TestCase):
    def test_processes_wait_for_times_and_events(self):
        engine, event, seen = Engine(), Event(2), []

        def sleeper(us):
            yield us
            event.happen()

        def waiter():
            yield event
            seen.append(engine.now)
            yield 0.5
            seen.append(engine.now)

        for process in (sleeper(3), waiter(), sleeper(2)):
            engine.start(process)
        self.assertEqual(engine.run(), 3.5)
        self.assertEqual(seen, [3, 3.5])

    def test_same_time_keeps_order(self):
        engine, seen = Engine(), []
        for name in "abc":
            engine.at(1, lambda name=name: seen.append(name))
        engine.run()
        self.assertEqual(seen, ["a", "b", "c"])

    def test_server_queues_and_counts(self):
        server = Server(Engine(), rate=4)
        self.assertEqual(server.book(8), (0, 2))
        self.assertEqual(server.book(4), (2, 3))
        self.assertEqual(server.book(4, not_before=10), (10, 11))
        self.assertEqual(server.units, 16)

    def test_tokens_bound_the_holders_in_order(self):
        engine, tokens, log = Engine(), Tokens(2), []

        def user(name):
            yield tokens.take()
            log.append((name, engine.now))
            yield 1
            tokens.give()

        for name in range(5):
            engine.start(user(name))
        engine.run()
        self.assertEqual(log, [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2)])


class Links(unittest.TestCase):
    def test_one_transfer_is_bytes_over_rate(self):
        for links in (Mesh(Engine(), 4, 100), Switch(Engine(), 4, 100)):
            self.assertEqual(links.send(0, 1, 500), 5)

    def test_contention_halves_the_rate(self):
        for links in (Mesh(Engine(), 2, 100), Switch(Engine(), 2, 100)):
            ends = [links.send(0, 1, 50) for _ in range(20)]
            self.assertEqual(ends[-1], 10)  # two streams of 500 bytes in pieces: each has half of the link
        switch = Switch(Engine(), 3, 100)
        self.assertEqual(max(switch.send(0, 2, 500), switch.send(1, 2, 500)), 10)  # two senders, one port in
        mesh = Mesh(Engine(), 3, 100)
        self.assertEqual(max(mesh.send(0, 2, 500), mesh.send(1, 2, 500)), 5)  # links of their own

    def test_latency_plus_bytes_over_rate(self):
        one = ideal(direct_gb_s=50, launch_us=2, flag_us=0.5, handshake_us=0.25)
        self.assertAlmostEqual(ours.time(one, "exchange", 2, CODECS["raw"], MIB), 2 + MIB / 50e3 + 0.75, places=3)
        self.assertAlmostEqual(ours.time(one, "flagged", 2, CODECS["raw"], MIB), 2 + 2 * MIB / 50e3 + 0.5, places=3)

    def test_a_window_holds_links_up(self):
        # Two transfers under way at a time, three links: fewer links are busy than without a bound.
        slow = ideal(direct_gb_s=50)
        free = ours.time(slow, "two_shot", 4, CODECS["raw"], 64 * MIB)
        self.assertGreater(ours.time(slow, "two_shot", 4, CODECS["raw"], 64 * MIB, window=2), 1.3 * free)


class Algorithms(unittest.TestCase):
    def sent(self, algorithm, network, ranks, codec, size):
        """Bytes that went over each link or out of each port."""
        call = ours.Call(ideal(network=network, direct_gb_s=50), ranks, CODECS[codec], size)
        call.run(ours.ALGORITHMS[algorithm])
        return call.node.links.sent()

    def test_conservation(self):
        for ranks in (2, 4, 8):
            for codec in ("raw", "int4"):
                coded = 64 * MIB * CODECS[codec].bits / 16
                for amount in self.sent("exchange", "mesh", ranks, codec, 64 * MIB).values():
                    self.assertAlmostEqual(amount, coded, delta=1)
                for amount in self.sent("two_shot", "mesh", ranks, codec, 64 * MIB).values():
                    self.assertAlmostEqual(amount, 2 * coded / ranks, delta=1)
                for amount in self.sent("two_shot", "switch", ranks, codec, 64 * MIB).values():
                    self.assertAlmostEqual(amount, 2 * coded * (ranks - 1) / ranks, delta=1)

    def test_wire_limits(self):
        for network, share in (("mesh", 1), ("switch", 7)):
            bound = 2 * 64 * MIB / 8 * share / 50e3
            us = ours.time(ideal(network=network, direct_gb_s=50), "two_shot", 8, CODECS["raw"], 64 * MIB)
            self.assertGreaterEqual(us, bound - 1e-6)
            self.assertLess(us, 1.15 * bound)

    def test_ring_is_exact(self):
        slow = ideal(network="switch", ring_gb_s=50, ring_launch_us=3, ring_step_us=2)
        for ranks in (2, 4, 8):
            steps = 2 * (ranks - 1)
            self.assertAlmostEqual(rings.time(slow, ranks, MIB), 3 + steps * (2 + MIB / ranks / 50e3), places=3)

    def test_compute_bound(self):
        slow = ideal(lanes=64, clock_mhz=1000)
        values, codec = 32 * MIB, CODECS["int4"]
        bound = values * (codec.encode + 2 * codec.decode) / (100 * 64 * 1000)
        us = ours.time(slow, "exchange", 2, codec, 2 * values)
        self.assertGreaterEqual(us, bound - 1e-6)
        self.assertLess(us, 1.01 * bound)

    def test_quickreduce_of_one_tile_waits_for_one_peer_after_the_other(self):
        slow = ideal(launch_us=2, flag_us=1)
        constants = machine.Constants(QUICKREDUCE, poll_us=0.5)
        for ranks in (2, 4, 8):
            us = quickreduce.time(slow, constants, ranks, CODECS["raw"], 32768)
            bound = 2 + 2 * 1 + 2 * ranks * 0.5
            self.assertLessEqual(us, bound + 1e-3)
            self.assertGreaterEqual(us, bound - 0.5 - 1e-3)  # its own share may be seen to meanwhile

    def test_repeatable(self):
        times = {quickreduce.time(MACHINES["MI300X"], QUICKREDUCE, 8, CODECS["int4"], 8 * MIB) for _ in range(3)}
        self.assertEqual(len(times), 1)


class Check(unittest.TestCase):
    def row(self, use, predicted):
        return figures.Row({}, MIB, 100, use, predicted)

    def test_a_row_breaks_only_if_it_was_promised(self):
        self.assertFalse(self.row("p", 119).broken)
        self.assertTrue(self.row("p", 121).broken)
        self.assertTrue(self.row("c", 79).broken)
        self.assertFalse(self.row("x", 150).broken)

    def test_sizes(self):
        for text, size in (("1K", 1024), ("64M", 64 * MIB), ("1G", 1024 * MIB)):
            self.assertEqual(figures.bytes_of(text), size)
        self.assertEqual(figures.text_of(320 * MIB), "320 MiB")


if __name__ == "__main__":
    unittest.main()
