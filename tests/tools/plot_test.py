#!/usr/bin/env python3
"""Draws a kept file of qr_mpi_bench with benchmarks/plot and reads the drawing: plot_test.py PLOT FIXTURE."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PLOT, FIXTURE = sys.argv[1:3]
SVG = "{http://www.w3.org/2000/svg}"


def plot(*arguments):
    return subprocess.run([sys.executable, PLOT, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                          check=False)


def texts(drawing):
    return ["".join(element.itertext()).strip() for element in drawing.iter(f"{SVG}text")]


class PlotTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.content = json.loads(pathlib.Path(FIXTURE).read_text(encoding="utf-8"))

    def write(self, content):
        path = self.folder / "changed.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def draw(self, source, *options):
        """The drawings for light and dark pages."""
        done = plot(source, "-o", self.folder / "drawing", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        drawings = []
        for page in ("light", "dark"):
            stem = self.folder / f"drawing-{page}"
            self.assertEqual(stem.with_suffix(".png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            drawings.append(xml.parse(stem.with_suffix(".svg")))
        return drawings

    def test_line_and_label_for_each_codec(self):
        codecs = {row["codec"] for row in self.content["rows"]}
        self.assertGreater(len(codecs), 1)
        for drawing in self.draw(FIXTURE):
            lines = {group.get("id"): group for group in drawing.iter(f"{SVG}g")}
            for codec in codecs:
                sizes = {row["bytes"] for row in self.content["rows"] if row["codec"] == codec}
                path = lines[f"codec-{codec}"].find(f".//{SVG}path[@clip-path]").get("d").split()
                self.assertEqual(path.count("M") + path.count("L"), len(sizes), codec)
                self.assertIn(codec, texts(drawing))
            self.assertIn("All-reduce: speed-up over NCCL 2.0.0", texts(drawing))

    def test_faster_means_higher(self):
        for row in self.content["rows"]:
            row["time"]["median_us"] = row["nccl_time"]["median_us"] / (3 if row["codec"] == "int4" else 2)
        for drawing in self.draw(self.write(self.content), "--codecs", "raw,int4"):
            heights = {}
            for codec in ("raw", "int4"):
                path = drawing.find(f".//{SVG}g[@id='codec-{codec}']//{SVG}path[@clip-path]").get("d").split()
                heights[codec] = float(path[2])
            self.assertLess(heights["int4"], heights["raw"])  # SVG counts from the top

    def test_mpi_is_the_rival_without_nccl(self):
        for row in self.content["rows"]:
            del row["nccl_time"]
        for drawing in self.draw(self.write(self.content)):
            self.assertIn("All-reduce: speed-up over Open MPI v4.1.6 through host memory", texts(drawing))

    def test_nothing_to_draw_is_an_error(self):
        for row in self.content["rows"]:
            row["passed"] = False
        self.assertEqual(plot(self.write(self.content)).returncode, 1)
        self.assertEqual(plot(FIXTURE, "--codecs", "int5").returncode, 1)
        self.assertEqual(plot(self.write({"program": "another", "rows": []})).returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
