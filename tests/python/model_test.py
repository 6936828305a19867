#!/usr/bin/env python3
"""serve() and what it says of a program: asked here as ddlsim asks. Exit status 77: there is no NumPy here."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]
import debian_python  # noqa: E402

debian_python.need("numpy")
import numpy as np  # noqa: E402
from ddlsim import digest_of  # noqa: E402

HELLO = {"do": "hello", "protocol": 1, "seed": 1, "batch": 4, "labels": False}
GRADIENT = {"do": "gradient", "worker": 0, "step": 0, "samples": [1, 2]}
PROGRAM = """
import numpy as np
from ddlsim import Model, serve
import shapes

class Mine(Model):
    def tensors(self):
        return [("w", shapes.SHAPE)]
    def samples(self):
        return 8, 4
    def version(self):
        return "of data 1"
    def gradient(self, weights, samples, worker, step):
        %s

serve(Mine())
"""


class Served(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def answers(self, *questions, weights=(1, 2, 3)):
        """What it answers, and the vector that is then in the shared memory."""
        memory = os.memfd_create("model_test")
        self.addCleanup(os.close, memory)
        os.write(memory, np.array([*weights, *[0] * len(weights)], np.float32).tobytes())

        def give_memory():
            os.dup2(memory, 3)
        ran = subprocess.run([sys.executable, "-B", "mine.py"], cwd=self.folder, text=True, stdout=subprocess.PIPE, check=True,
                             input="".join(json.dumps(question) + "\n" for question in questions), pass_fds=[3, memory],
                             preexec_fn=give_memory, env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
        vector = np.frombuffer(os.pread(memory, 8 * len(weights), 0), np.float32)[len(weights):]
        return [json.loads(line) for line in ran.stdout.splitlines()], vector

    def test_a_vector_may_be_written_where_it_is_read(self):
        self.write("shapes.py", "SHAPE = (3,)")
        for how in ("return 1, weights * 2.0", "return 1, np.multiply(weights, 2.0, out=self.out)",
                    "self.out[:] = weights * 2.0; return 1, self.out"):
            self.write("mine.py", PROGRAM % how)
            answers, vector = self.answers(HELLO, GRADIENT)
            self.assertEqual(answers[1], {"did": "gradient", "loss": 1.0, "values": 3})
            self.assertEqual(vector.tolist(), [2, 4, 6])

    def test_a_version_has_the_modules_of_the_programs_folder(self):
        self.write("mine.py", PROGRAM % "pass")
        versions = []
        for shape in ("(3,)", "(3,)", "(1, 3)"):
            self.write("shapes.py", f"SHAPE = {shape}")
            versions.append(self.answers(HELLO)[0][0]["version"])
        self.assertTrue(versions[0].startswith("of data 1; modules "))
        self.assertEqual(versions[0], versions[1])
        self.assertNotEqual(versions[0], versions[2])

    def test_a_digest_is_of_contents_and_of_names_in_a_folder(self):
        def digest(files):
            with tempfile.TemporaryDirectory() as folder:
                for name, text in files.items():
                    path = Path(folder, name)
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(text)
                return digest_of(folder)
        base = digest({"a": "12", "b": "3"})
        self.assertEqual(base, digest({"b": "3", "a": "12"}))
        others = [{"a": "1", "b": "23"}, {"a": "12", "c": "3"}, {"a": "12", "b": "4"}, {"a": "12"}, {"d/a": "12", "b": "3"}]
        digests = {digest(files) for files in others}
        self.assertEqual(len(digests - {base}), len(others))
        self.write("a", "12")
        self.write("b", "12")
        self.assertEqual(digest_of(self.folder / "a"), digest_of(self.folder / "b"))
        with self.assertRaises(FileNotFoundError):
            digest_of(self.folder / "none")


if __name__ == "__main__":
    unittest.main()
