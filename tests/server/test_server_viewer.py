#!/usr/bin/python3
"""The viewer's files at / and those of datasets at /files/: these, and no others."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = os.path.abspath(sys.argv.pop(1))


class Viewer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        top = cls.folder.name
        os.makedirs(top + "/viewer/engine")
        cls.files = {"index.html": b"<p>viewer</p>", "engine/landfall.wasm": b"\0asm" * 70000, "a.js": b""}
        for name, data in cls.files.items():
            with open(top + "/viewer/" + name, "wb") as file:
                file.write(data)
        for name in ("/secret.txt", "/viewer/.hidden"):
            with open(top + name, "w") as file:
                file.write("secret")
        os.symlink("../secret.txt", top + "/viewer/link.txt")
        cls.server = serving.Server(PROGRAMS, ["plane.asc"], "--quiet", "--viewer", top + "/viewer")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def test_files(self):
        types = {"?ground=x": "text/html; charset=utf-8", "a.js": "text/javascript", "engine/landfall.wasm": "application/wasm"}
        for name, kind in types.items():
            status, headers, data = self.server.ask("/" + name)
            self.assertEqual((status, headers["content-type"]), (200, kind), name)
            self.assertEqual(data, self.files.get(name, self.files["index.html"]))

    def test_the_page_shows_the_first_dataset(self):
        status, headers, _ = self.server.ask("/")
        self.assertEqual((status, headers["location"]), (302, "/?globe=terrain"))  # the viewer reads no .asc

    def test_nothing_else(self):
        for path in ("/nope", "/engine", "/engine/", "/../secret.txt", "/engine/../../secret.txt", "/%2e%2e/secret.txt",
                     "/..%2fsecret.txt", "/.hidden", "/link.txt", "//a.js", "/a.js/", "/a%00.js", "/files/", "/files/nope",
                     "/files/../secret.txt", "/files/plane.asc"):
            status, _, data = self.server.ask(path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn(b"secret\n", data)
        self.assertEqual(self.server.ask("/a.js", body=b"x", method="POST")[0], 405)

    def test_files_of_datasets(self):
        status, _, data = self.server.ask("/files/plane")
        self.assertEqual(status, 200)
        self.assertTrue(data.startswith(b"ncols 33"))

    def test_without_a_viewer(self):
        server = serving.Server(PROGRAMS, ["plane.asc"], "--quiet")
        try:
            for path in ("/files/plane", "/a.js"):
                self.assertEqual(server.ask(path)[0], 404, path)
            status, headers, data = server.ask("/")
            self.assertEqual((status, headers["content-type"]), (200, "text/html; charset=utf-8"))
            for word in (b"--viewer", b"/v1/openapi.json"):
                self.assertIn(word, data)
            self.assertEqual(server.ask("/nope", body=b"x", method="POST")[0], 404)
        finally:
            server.stop()

    def test_an_installed_viewer_is_found(self):
        os.environ["LANDFALL_VIEWER"] = self.folder.name + "/viewer"
        try:
            server = serving.Server(PROGRAMS, ["plane.asc"], "--quiet")
        finally:
            del os.environ["LANDFALL_VIEWER"]
        try:
            self.assertEqual(server.ask("/a.js")[0], 200)
            self.assertEqual(server.ask("/files/plane")[0], 200)  # on this machine
        finally:
            server.stop()

    def test_bad_folders(self):
        for words in (["--viewer", "/no/such/folder"], ["--viewer", os.path.abspath(__file__)]):
            done = subprocess.run([PROGRAMS + "/landfall", "view", "x.lf", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words[1] + ": no such folder", done.stderr)
        done = subprocess.run([PROGRAMS + "/landfall", "view", "x.lf"], capture_output=True, text=True,
                              env={**os.environ, "LANDFALL_VIEWER": "/no/such/folder"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("/no/such/folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
