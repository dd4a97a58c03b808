#!/usr/bin/env python3
"""Measures graph commands from the file to the answer, beside petgraph, scipy, igraph, networkx and GraphBLAS.

    benches/graph-commands.py [--runs 5] [--petgraph PETGRAPH_COMMAND] [--python PYTHON] [--peers NAMES] [--only NAMES] VYRE...

Several binaries are compared in one run: their commands alternate with those of the peers, and the table shows the medians of wall clock and of
peak memory. The graphs are text files in a temporary folder. A command whose answer differs from that of a peer ends the
measurement; rows are not compared.
PETGRAPH_COMMAND is the binary `petgraph_command` of vyre-benches. PYTHON has numpy, scipy, igraph, networkx and python-graphblas, for
benches/graph_peer.py; NAMES are some of them. All commands have as many threads as processors that this process may use.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time


def sparse(nodes, edges, seed):
    """Random edges between nodes."""
    generator = random.Random(seed)
    for _ in range(edges):
        yield generator.randrange(nodes), generator.randrange(nodes)


def road(nodes):
    """A road in both directions with a dearer shortcut every ten nodes."""
    for node in range(1, nodes):
        yield node - 1, node, 1
        yield node, node - 1, 1
    for node in range(10, nodes, 10):
        yield node - 10, node, 15


def grid(side, seed):
    """A grid with random weights, in both directions."""
    generator = random.Random(seed)
    for node in range(side * side):
        for near in ([node + 1] if (node + 1) % side else []) + ([node + side] if node + side < side * side else []):
            yield node, near, generator.randrange(1, 1000)
            yield near, node, generator.randrange(1, 1000)


def pairs(count):
    """Two-node cycles in a chain."""
    for pair in range(count):
        yield 2 * pair, 2 * pair + 1
        yield 2 * pair + 1, 2 * pair
        if pair + 1 < count:
            yield 2 * pair + 1, 2 * pair + 2


def acyclic(nodes, edges, seed):
    """Random edges from smaller to larger nodes."""
    for one, other in sparse(nodes, edges, seed):
        if one != other:
            yield min(one, other), max(one, other)


GRAPHS = {
    "sparse": lambda: sparse(1_000_000, 5_000_000, 1),
    "road": lambda: road(80_000),
    "grid": lambda: grid(1000, 2),
    "pairs": lambda: pairs(150_000),
    "acyclic": lambda: acyclic(1_000_000, 5_000_000, 3),
    "large": lambda: sparse(1 << 20, 16_000_000, 4),
}
SOURCES = ",".join(str(15_000 * source) for source in range(64))
# Name, graph, arguments of vyre, arguments of the peers; None if the peers have other answers.
CASES = [
    ("reach --count, 1 source", "sparse", ["reach", "--count", "--sources", "0"], ["reach", "0"]),
    ("reach --count, 64 sources", "sparse", ["reach", "--count", "--sources", SOURCES], ["reach", SOURCES]),
    ("reach, 64 sources, all rows", "sparse", ["reach", "--sources", SOURCES], None),
    ("components --count", "sparse", ["components", "--count"], ["components"]),
    ("scc --count", "sparse", ["scc", "--count"], ["scc"]),
    ("scc --count, two-node cycles", "pairs", ["scc", "--count"], ["scc"]),
    ("toposort, all rows", "acyclic", ["toposort"], ["toposort"]),
    ("path --count, road", "road", ["path", "--count", "--from", "0"], ["path", "0"]),
    ("path --count, grid", "grid", ["path", "--count", "--from", "0"], ["path", "0"]),
    ("path --to, near, grid", "grid", ["path", "--count", "--from", "0", "--to", "5005"], None),
    ("triangles --count", "sparse", ["triangles", "--count"], ["triangles"]),
    ("reach --count, 1 source, 16M edges", "large", ["reach", "--count", "--sources", "0"], ["reach", "0"]),
    ("components --count, 16M edges", "large", ["components", "--count"], ["components"]),
    ("scc --count, 16M edges", "large", ["scc", "--count"], ["scc"]),
]
# Algorithms of `petgraph_command`.
OF_PETGRAPH = ["components", "path", "reach", "scc", "toposort"]
PEERS = ["scipy", "igraph", "networkx", "graphblas"]
# Exit code of a peer that lacks the algorithm.
MISSING = 3


def measure(command, has_rows):
    """Answer, seconds and peak memory in MiB of a command; None if it lacks the algorithm."""
    answer = tempfile.TemporaryFile()
    target = os.open(os.devnull, os.O_WRONLY) if has_rows else answer.fileno()
    begin = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, target, 1)])
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if code == MISSING:
        return None
    if code != 0:
        sys.exit(f"{' '.join(command)} fails")
    answer.seek(0)
    return answer.read().decode().strip(), seconds, usage.ru_maxrss / 1024


def cell(of_command):
    """Medians of the runs of a command."""
    if not of_command:
        return "-"
    seconds, memory = (statistics.median(run[column] for run in of_command) for column in (1, 2))
    return f"{seconds:.3f} / {memory:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--petgraph")
    parser.add_argument("--python")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--only", default="")
    parser.add_argument("binary", nargs="+")
    args = parser.parse_args()
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "graph_peer.py")
    peers = {"petgraph": [args.petgraph]} if args.petgraph else {}
    if args.python:
        peers.update({name: [args.python, script, name] for name in args.peers.split(",")})
    with tempfile.TemporaryDirectory() as folder:
        cases = [case for case in CASES if any(only in case[0] for only in args.only.split(";"))]
        for name in sorted({case[1] for case in cases}):
            with open(f"{folder}/{name}.txt", "w") as file:
                file.writelines(" ".join(map(str, edge)) + "\n" for edge in GRAPHS[name]())
        print("Seconds of wall clock and MiB of peak memory, from the text file to the answer; medians.\n")
        print("| Command | " + " | ".join([*args.binary, *peers]) + " |")
        print("|---|" + "--:|" * (len(args.binary) + len(peers)))
        for name, graph, arguments, of_peers in cases:
            file = f"{folder}/{graph}.txt"
            commands = [[binary, "graph", arguments[0], file, *arguments[1:], "--quiet"] for binary in args.binary]
            for peer, program in peers.items():
                has_algorithm = of_peers and (peer != "petgraph" or of_peers[0] in OF_PETGRAPH)
                commands.append([*program, of_peers[0], file, *of_peers[1:]] if has_algorithm else None)
            runs = [[] for _ in commands]
            for _ in range(args.runs):
                for command, of_command in zip(commands, runs):
                    run = measure(command, "rows" in name) if command else None
                    if run:
                        of_command.append(run)
            answers = {answer for of_command in runs for answer, _, _ in of_command}
            if len(answers) != 1:
                sys.exit(f"{name}: different answers: {answers}")
            print(f"| {name} | " + " | ".join(map(cell, runs)) + " |", flush=True)


main()
