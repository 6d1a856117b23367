#!/usr/bin/python3
"""recorded.py PROGRAMS [--record] FILE...: run the requests in a file and compare what comes back.

A line `$ COMMAND` (or `$ COMMAND` in a ```console block of a document) is a shell command; http://localhost:8080 in it
is the server under test. The lines up to the next one are what it printed. --record writes these anew."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

GROUNDS = ["plane.asc", "pottsville.asc", "ridge.asc", "srtm90m.asc", "local.asc"]
USUAL = "http://localhost:8080"


def run_line(server, command):
    done = subprocess.run(["sh", "-c", command.replace(USUAL, server.url)], cwd=server.folder, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = done.stdout.decode("utf-8", "replace").replace(server.url, USUAL).replace("\r", "")
    if output and not output.endswith("\n"):
        output += "\n"
    return output


def replay(server, lines, document):
    """The lines with every output as it is now."""
    result, at, inside = [], 0, not document
    while at < len(lines):
        line = lines[at]
        at += 1
        result.append(line)
        if document and line.startswith("```"):
            inside = line.strip() == "```console"
        if not (inside and line.startswith("$ ")):
            continue
        command = line[2:]
        while command.rstrip("\n").endswith("\\"):
            command += lines[at]
            result.append(lines[at])
            at += 1
        while at < len(lines) and not re.match(r"\$ |=== |```", lines[at]):
            at += 1
        result.append(run_line(server, command))
        if at < len(lines) and lines[at].startswith("=== "):
            result.append("\n")
    return result


def main():
    words = sys.argv[1:]
    record = "--record" in words
    programs, *files = [word for word in words if word != "--record"]
    wrong = 0
    for path in files:
        with open(path) as file:
            lines = file.readlines()
        server = serving.Server(programs, GROUNDS, "--quiet")
        try:
            now = "".join(replay(server, lines, path.endswith(".md")))
        finally:
            server.stop()
        before = "".join(lines)
        if now != before and record:
            with open(path, "w") as file:
                file.write(now)
        elif now != before:
            wrong += 1
            with tempfile.NamedTemporaryFile("w", suffix=".now") as file:
                file.write(now)
                file.flush()
                subprocess.run(["diff", "-u", path, file.name])
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
