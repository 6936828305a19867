#!/usr/bin/env python3
"""What it costs to ask a program for a gradient: the time between the end of one and the start of the next, which is waited
for already.

    handover.py PROGRAM [STEP_MS]      a step of the program is a sleep of so long; default: 20

Of eight workers' gradients in one process, for models of several sizes, whose answer is copied or written in place. Both in
processor time of the program and of ddlsim's math thread, which a busy machine disturbs less, and by the clock, where the
first decile is what an idle machine would take.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import debian_python  # noqa: E402

debian_python.need("numpy")
import numpy as np  # noqa: E402

PROGRAM = """
import sys, time
import numpy as np
from ddlsim import Model, serve

count, step_s, in_place, gaps_file = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "in place", sys.argv[4]
ended, gaps, processor = None, [], []

class Sleeper(Model):
    answer = np.full(count, 1e-3, np.float32)
    def tensors(self):
        return [("weight", (count,))]
    def samples(self):
        return 8000, 10
    def initial(self, seed):
        return np.zeros(count, np.float32)
    def gradient(self, weights, samples, worker, step):
        global ended, used
        if ended is not None:
            gaps.append(time.perf_counter() - ended)
            processor.append(time.process_time() - used)
        if in_place:
            self.out[0] = 1e-3
        time.sleep(step_s)
        ended, used = time.perf_counter(), time.process_time()
        return 1.0, self.out if in_place else self.answer
    def evaluate(self, weights):
        global ended
        ended = None
        return {"accuracy": 0.5}

serve(Sleeper())
np.save(gaps_file, [gaps, processor])
"""
SCENARIO = {"platform": {"workers": 8, "bandwidth": "10Gbps"}, "compute": {"seconds_per_batch": "50ms"},
            "training": {"batch_size": 32, "optimizer": {"type": "sgd", "learning_rate": 0.01}},
            "algorithm": {"name": "gossip", "mode": "pair"}, "stop": {"iterations": 60},
            "evaluate": {"every_iterations": 100}}


def main(program, step_ms=20.0):
    program = os.path.abspath(program)
    print("            answer    processor ms                        by the clock, ms")
    print("parameters  is        program  ddlsim     sum  of a step  decile  median")
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "sleeper.py"), "w") as file:
            file.write(PROGRAM)
        for count in (10_000, 100_000, 1_000_000):
            for answer in ("copied", "in place"):
                command = [sys.executable, "sleeper.py", str(count), str(step_ms / 1000), answer, "gaps.npy"]
                with open(os.path.join(work, "sleeper.json"), "w") as file:
                    json.dump({**SCENARIO, "model": {"command": command, "processes": 1}}, file)
                subprocess.run([program, "run", "sleeper.json", "--quiet", "--force", "--threads", "1"], cwd=work, check=True)
                gaps, processor = 1000 * np.load(os.path.join(work, "gaps.npy"))
                with open(os.path.join(work, "results/sleeper/1/timing.json")) as file:
                    timing = json.load(file)
                steps = SCENARIO["platform"]["workers"] * SCENARIO["stop"]["iterations"]
                ours = 1000 * (timing["math_seconds"] - timing["evaluation_seconds"]) / steps
                cost = processor.mean() + ours
                print(f"{count:10,}  {answer:8}  {processor.mean():7.2f}  {ours:6.2f}  {cost:6.2f}  {100 * cost / step_ms:7.1f} %  "
                      f"{np.quantile(gaps, 0.1):6.2f}  {np.median(gaps):6.2f}")


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:3]))
