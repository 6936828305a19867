"""Debian's packages of Python belong to /usr/bin/python3, which need not be the first on PATH."""
import importlib.util
import os
import sys

DEBIAN = "/usr/bin/python3"


def use(*modules):
    """Starts the script again with Debian's Python if this one lacks a module. Says whether all are here."""
    are_here = all(importlib.util.find_spec(module) for module in modules)
    if not are_here and sys.executable != DEBIAN and os.access(DEBIAN, os.X_OK):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    return are_here


def need(*modules):
    """The same; without one of them the test is skipped."""
    if not use(*modules):
        packages = " ".join(f"python3-{module}" for module in modules)
        print(f"{os.path.basename(sys.argv[0])}: lacks {', '.join(modules)}; on Debian: apt-get install {packages}")
        sys.exit(77)
