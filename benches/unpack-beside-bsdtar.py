#!/usr/bin/env python3
"""Time and peak anonymous memory of `vyre unpack` beside bsdtar, as a table.

    benches/unpack-beside-bsdtar.py VYRE [--rounds N] [--threads N] [--against VYRE] ARCHIVE...

The commands alternate in each round, and the table has the medians. Memory is RssAnon of /proc, sampled every 2 ms, so that short
peaks may be missed; the other figures are the processor time (user and system) and the elapsed time in seconds.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time


def run(command):
    """Runs a command; returns its exit code, elapsed time, processor time and peak of anonymous memory in MiB."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while True:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                for line in status:
                    if line.startswith("RssAnon"):
                        peak = max(peak, int(line.split()[1]))
        except OSError:
            pass
        pid, code, usage = os.wait4(child.pid, os.WNOHANG)
        if pid != 0:
            child.returncode = os.waitstatus_to_exitcode(code)
            break
        time.sleep(0.002)
    return child.returncode, time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, peak / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vyre")
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--against", help="another build of vyre")
    args = parser.parse_args()
    builds = {"vyre": args.vyre} | ({"other vyre": args.against} if args.against else {})
    print("| archive | command | exit | elapsed s | processor s | RssAnon MiB |\n|---|---|---|---|---|---|")
    for archive in args.archives:
        commands = {}
        for name, build in builds.items():
            own = [build, "unpack", archive, "--quiet", "--threads", str(args.threads)]
            commands[f"{name} list"] = lambda _, own=own: own + ["--list"]
            commands[name] = lambda folder, own=own: own + ["-o", folder]
        commands["bsdtar list"] = lambda _: ["bsdtar", "-tvf", archive]
        commands["bsdtar"] = lambda folder: ["bsdtar", "-xf", archive, "-C", folder]
        results = {name: [] for name in commands}
        for _ in range(args.rounds):
            for name, command in commands.items():
                folder = tempfile.mkdtemp(prefix="unpack-", dir=".")
                results[name].append(run(command(folder)))
                shutil.rmtree(folder)
        for name, figures in results.items():
            codes, *columns = zip(*figures)
            elapsed, processor, memory = (statistics.median(column) for column in columns)
            print(f"| {os.path.basename(archive)} | {name} | {codes[0]} | {elapsed:.3f} | {processor:.3f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
