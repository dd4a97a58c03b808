#!/usr/bin/env python3
"""Measures the first use of a backend, with an empty cache of compiled code, and later uses, which find the code of the first one.

    benches/first-use.py [--runs 7] [--backends cpu,wgpu,cuda] [--out FILE] VYRE

A pair of runs has a cache folder of its own: the first run fills it, and the second one finds it full. The table has the medians of all
pairs in milliseconds, wall clock of the whole command. The folder is also that of Mesa's shaders, so that software Vulkan starts without any. The caches of
other drivers are not emptied. Commands whose outputs differ end the measurement. A backend that has no device is left out with a note. --out
writes a page, or replaces the table of an existing one.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = re.compile(r"^\| Command \|.*?(?=^\n|\Z)", re.MULTILINE | re.DOTALL)


def commands(graph):
    """Measured commands by their names in the table."""
    taint = ["graph", "taint", graph, "--fingerprint", "--sources"]
    bit_parallel = ["--strategy", "bit-parallel"]
    program = os.path.join(ROOT, "examples", "prefix_sum.vyre")
    return {
        "taint, 64 sources": [*taint, "random:64:1"],
        "taint, 64 sources, bit-parallel": [*taint, "random:64:1", *bit_parallel],
        "taint, 1,024 sources, bit-parallel": [*taint, "random:1024:1", *bit_parallel],
        "run prefix_sum": ["run", program, "--grid", "2", "--in", "input=iota:512", "--in", "sums=zeros:512"],
    }


def execute(vyre, command, backend, cache):
    """Time of a command in milliseconds, and its output."""
    environment = dict(os.environ, VYRE_KERNEL_CACHE=os.path.join(cache, "kernels"), VYRE_CALIBRATION="")
    environment["MESA_SHADER_CACHE_DIR"] = os.path.join(cache, "mesa")
    begin = time.perf_counter()
    run = subprocess.run([vyre, *command, "--backend", backend], capture_output=True, text=True, env=environment)
    time_ms = 1e3 * (time.perf_counter() - begin)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stderr.strip().splitlines()[0] if run.stderr.strip() else f"exit code {run.returncode}")
    return time_ms, run.stdout


def measure(vyre, command, backend, runs):
    """Medians of first and later uses, in milliseconds."""
    pairs, outputs = [], set()
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as cache:
            pair = [execute(vyre, command, backend, cache) for _ in range(2)]
        pairs.append([time_ms for time_ms, _ in pair])
        outputs.update(output for _, output in pair)
    if len(outputs) != 1:
        sys.exit(f"{' '.join(command)}: outputs differ on backend {backend}")
    return [statistics.median(column) for column in zip(*pairs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--backends", default="cpu,wgpu,cuda")
    parser.add_argument("--out")
    parser.add_argument("vyre")
    args = parser.parse_args()
    vyre = os.path.abspath(args.vyre)
    lines = ["| Command | Backend | First use | Later uses | Ratio |", "|---|---|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.vgr")
        shape = ["rmat", "--scale", "16", "--edge-factor", "16", "--seed", "0x5EED0001", "--roles", "0x5EED0010"]
        subprocess.run([vyre, "graph", "generate", *shape, "-o", graph], check=True, stderr=subprocess.DEVNULL)
        for backend in args.backends.split(","):
            for name, command in commands(graph).items():
                try:
                    first, later = measure(vyre, command, backend, args.runs)
                except RuntimeError as error:
                    print(f"backend {backend} is left out: {error}", file=sys.stderr)
                    break
                lines.append(f"| {name} | {backend} | {first:.1f} | {later:.1f} | {first / later:.2f} |")
    table = "\n".join(lines) + "\n"
    print(table, end="")
    if args.out:
        text = "# First use and later uses\n\n" + table
        if os.path.exists(args.out):
            with open(args.out, encoding="utf-8") as page:
                text = page.read()
            if not TABLE.search(text):
                sys.exit(f"{args.out} has no table to replace")
            text = TABLE.sub(lambda _: table, text, count=1)
        with open(args.out, "w", encoding="utf-8") as page:
            page.write(text)


main()
