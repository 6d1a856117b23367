#!/usr/bin/python3
"""tools/schedule: a small job on few cores, where the answer is known; failures cost time and lose nothing."""
import json
import subprocess
import sys

TOOL = sys.argv[1]


def run(*words):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def rows(*words):
    status, out, err = run("--json", *words)
    assert status == 0, err
    return json.loads(out)


def main():
    one, four, many = rows("--job", "small", "--cores", "1,4,64", "--failure", "1e9")
    # One core: its work, and what it reads and writes.
    transfer = one["bytes"] / 2e8 / 3600
    assert abs(one["hours"] - one["work_core_hours"] - transfer) < 1e-3 * one["hours"], one
    for row in (one, four, many):
        assert row["failures"] == 0 and 0 < row["efficiency"] <= 1, row
        # No schedule is faster than all cores at work; and none of handed-out tiles takes longer than that and two tiles.
        slowest = 1.75 * row["side"] ** 2 * 43e-6 / 3600
        assert row["hours"] >= row["work_core_hours"] / row["cores"], row
        assert row["hours"] <= (row["work_core_hours"] + transfer) / row["cores"] + 2 * slowest, row
    assert one["hours"] > four["hours"] > many["hours"]
    assert rows("--job", "small", "--cores", "4") == rows("--job", "small", "--cores", "4"), "another result of the same seed"
    failing = rows("--job", "small", "--cores", "4", "--failure", "0.05")[0]
    assert failing["failures"] > 0 and failing["hours"] > four["hours"] + failing["failures"] * 300 / 3600, failing
    assert failing["bytes"] > four["bytes"], "tiles that were lost are read again"
    status, out, err = run("--cores", "0")
    assert status == 1 and out == "" and "--cores 0: expected numbers from 1" in err, err
    status, out, _ = run("--job", "small", "--cores", "2")
    assert status == 0 and out.count("\n") == 3
    print("ok")


main()
