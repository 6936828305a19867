"""A fake of `ddlsim batch`: answers lines of JSON as the program does, and its runs take as many seconds as their
scenarios say. Each call adds the lines that it read to $FAKE_LOG."""
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from conftest import Results  # noqa: E402


def answer(job, finished_only):
    scenario, folder = job["scenario"], Path(job["out"])
    says = scenario.get("says", {})
    if "refused" in says:
        return "refused", says["refused"]
    run = folder / "run.json"
    same = run.exists() and json.loads(run.read_text())["scenario"].get("seconds") == scenario["seconds"]
    if same or finished_only:
        return ("kept" if same else "open"), None
    if "failed" in says:
        return "failed", says["failed"]
    if "sleep" in says:
        time.sleep(says["sleep"])
    if run.exists():
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    network = scenario.get("platform", {}).get("network", {})
    seconds = scenario["seconds"] + job["seed"] + 10 * network.get("draw", 0)
    Results(folder.parents[1]).add(scenario["name"], seed=job["seed"], simulated_seconds=seconds,
                                   scenario={"seconds": scenario["seconds"]})
    return "done", None


def main():
    words = sys.argv[1:]
    if words[0] != "batch":
        sys.exit(f"ddlsim: {words}: only batch is here")
    if os.environ.get("STUB_DIES"):
        print("ddlsim: out of luck", file=sys.stderr)
        sys.exit(int(os.environ["STUB_DIES"]))
    for line in sys.stdin:
        job = json.loads(line)
        with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
            log.write(line)
        state, error = answer(job, "--finished" in words)
        seconds = 0.5 if state == "done" else None
        line = {"id": job["id"], "state": state, "folder": job["out"], "seconds": seconds, "error": error}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
