"""Runs the shop's tests in eight processes on the emulator around them: `payctl emulate --settle manual -- python3 run.py`."""

import io
import json
import os
import sys
import unittest
import uuid
from concurrent.futures import ProcessPoolExecutor

from tests.emulator import emulator, prepared


def names_of(suite):
    for test in suite:
        yield from names_of(test) if isinstance(test, unittest.TestSuite) else [test.id()]


def run(name):
    """Runs one test. Returns how many ran, whether that went well, and what was said."""
    said = io.StringIO()
    result = unittest.TextTestRunner(stream=said, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromName(name))
    return result.testsRun, result.wasSuccessful(), said.getvalue()


def write_counts(file):
    """Writes the orders paid twice, by the bank's books and by the report of the emulator."""
    report = emulator("GET", "report")
    with open(file + ".counts", "a+") as counts, open(file + ".json", "w") as both:
        counts.seek(0)
        found, suspected = report["paid_twice"]["count"], report["suspected"]["count"]
        json.dump({"sql": sum(int(line) for line in counts), "report": found, "suspected": suspected}, both)


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    names = list(names_of(unittest.defaultTestLoader.discover(os.path.join(folder, "tests"), top_level_dir=folder)))
    os.environ["SHOP_PREPARED"] = json.dumps(prepared())
    os.environ["SHOP_RUN"] = str(uuid.uuid4())
    with ProcessPoolExecutor(8) as processes:
        results = list(processes.map(run, names))
    for _, went_well, said in results:
        if not went_well:
            print(said)
    failed = len([went_well for _, went_well, _ in results if not went_well])
    print("%d tests, %d failed" % (sum(count for count, _, _ in results), failed))
    if "SHOP_COUNTS" in os.environ:
        write_counts(os.path.join(os.environ["SHOP_COUNTS"], os.environ["SHOP_RUN"]))
    ended = emulator("GET", "worlds?status=ended&per_page=1000")["data"]
    late = [world for world in ended if world["late_requests"] and world["name"] != "ends-early"]
    if late:
        print("Work came too late: %s" % late)
    sys.exit(1 if failed or late else 0)


if __name__ == "__main__":
    main()
