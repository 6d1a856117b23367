#!/usr/bin/env python3
"""test_published.py TOOL: tools/published on a folder of a few tables: numbers, published columns, missing parts, targets, escapes."""
import os
import subprocess
import sys
import tempfile


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "mesh.csv", '"table","ms","QOTA","published: QOTA"\n"Table 5. Comparison: <park>","hit","0.25","19"\n'
                                  '"table","parts"\n"parts that move","8"\n')
        write(folder, "mesh.log", "some words\nbar mesh-park 2.5 2 ok\nbar mesh-other 1 2 short\n")
        write(folder, "mesh.csv.figure-4.png", "not read as a picture")
        done = subprocess.run([tool, folder], capture_output=True, text=True, check=True)
        page_path = os.path.join(folder, "published.html")
        assert done.stdout.strip() == page_path, done.stdout
        with open(page_path, encoding="utf-8") as file:
            page = file.read()
        for text in ["Table 5. Comparison: &lt;park&gt;", "<td>0.25</td>", '<td class="old">19</td>', "Not in this run: Table 3, Table 4, figure-3.",
                     "1 of 2 targets reached", "mesh-other", "parts that move", "bench globe: did not run to its end", "Figure 4"]:
            assert text.lower() in page.lower(), text
        assert "<park>" not in page
        bad = subprocess.run([tool, os.path.join(folder, "absent")], capture_output=True, text=True, check=False)
        assert bad.returncode != 0 and "absent" in bad.stderr, bad.stderr
    print("ok")


if __name__ == "__main__":
    main()
