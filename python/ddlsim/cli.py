"""The commands that search or read results: python3 -m ddlsim tune|advise|compare|plot|report|reproduce. Each is a function of the
package."""
from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import IO, Any

from .errors import DdlsimError, InputError
from .files import is_standard_output
from .studies import add_arguments
from .tuning.commands import add_advise, add_sweep, add_tune
from .units import bytes_

_RESULTS = "result folders, or folders above them, such as a sweep's"


def main(words: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 2 wrong input, 3 a run failed, 130 interrupted."""
    if words is None:
        words = sys.argv[1:]
        signal.signal(signal.SIGTERM, _end)
    words = list(words)
    try:
        parser, commands = _parser()
        # Folders may stand before, between and behind options.
        arguments = (commands[words[0]].parse_intermixed_args(words[1:]) if words and words[0] in commands else
                     parser.parse_args(words))
        output: Any = _Output(sys.stdout)
        with redirect_stdout(output):
            code = int(arguments.command(arguments, words))
            output.flush()
        return code
    except DdlsimError as error:
        for line in error.lines:
            print(f"ddlsim: {line}", file=sys.stderr)
        return max(error.code or 0, 0) or error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on, as with `| head`
        return 0
    except OSError as error:
        print("ddlsim:", f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ddlsim: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT


def _end(number: int, _: Any) -> None:
    """Ends the programs that were started, too, as Ctrl-C does."""
    raise SystemExit(128 + number)


class _Output:
    """The standard output, whose errors say so. BrokenPipeError is left to main()."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> Any:
        return self._tried(self._stream.write, text)

    def flush(self) -> None:
        self._tried(self._stream.flush)

    def _tried(self, call: Callable[..., Any], *given: str) -> Any:
        try:
            return call(*given)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"the standard output cannot be written: {error.strerror}") from error


class _Parser(argparse.ArgumentParser):
    """One line for what is wrong, as the program's other commands have it."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{self.prog.removeprefix('ddlsim ')}: {message}; see ddlsim {self.prog.split()[-1]} --help")


def _parser() -> tuple[argparse.ArgumentParser, dict[str, _Parser]]:
    parser = _Parser(prog="ddlsim", description="Searches with ddlsim, and reads its results.", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="tune|advise|compare|plot|report|reproduce", parser_class=_Parser)
    add_tune(_command(commands, "tune", "Find the best settings of each scenario, at equal cost",
                      "ddlsim tune scenarios/het_wan_gossip.json scenarios/het_wan_ps_async.json\n"
                      "ddlsim tune mine.json --over algorithm.local_steps=4,16,64 --over training.optimizer.learning_rate"))
    add_advise(_command(commands, "advise", "Say which system suits a network: tuned, ranked, and how sure",
                        "ddlsim advise scenarios/het_wan_ako_p3.json --target 0.8 --budget 10min\n"
                        "ddlsim advise --model-bytes 2.6GB --step 0.7s --platform iperf.csv --workers 8"))
    add_sweep(_command(commands, "sweep", "Run a sweep whose points are tuned", "ddlsim sweep SWEEP.json"))
    _add_compare(_command(commands, "compare", "Results side by side, with intervals, and what is within noise",
                          "ddlsim compare results/het_wan_ako_p3 results/het_wan_ps_async\n"
                          "ddlsim compare results/bandwidth_workers --columns time,accuracy --latex"))
    _add_plot(_command(commands, "plot", "Draw finished runs, and write the data beside the picture",
                       "ddlsim plot results/het_wan_* -o curves.svg --x bytes\n"
                       "ddlsim plot results/*_ako_p3 results/*_gossip -o networks.pdf --facet network --size two\n"
                       "ddlsim plot results/bandwidth_workers -o map.pdf --kind map"))
    _add_report(_command(commands, "report", "Write one self-contained page about finished runs",
                         "ddlsim report results/bandwidth_workers -o bandwidth_workers.html"))
    add_arguments(_command(commands, "reproduce", "Run a published study and compare its figures with simulated ones",
                           "ddlsim reproduce\nddlsim reproduce ako_2018"))
    return parser, commands.choices


def _command(commands: "argparse._SubParsersAction[_Parser]", name: str, what: str,
             examples: str) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=what, description=what + ".", allow_abbrev=False,
                               formatter_class=argparse.RawDescriptionHelpFormatter,
                               epilog="Examples:\n" + "".join(f"  {line}\n" for line in examples.split("\n")))


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", metavar="DIR", help=_RESULTS)
    parser.add_argument("--runs", action="store_true", help="every run by itself, instead of means over seeds")
    form = parser.add_mutually_exclusive_group()
    for name, what in (("csv", "a row for each scenario"), ("json", "with every pair's p"), ("markdown", None),
                       ("latex", "with the rules of booktabs")):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=what)
    parser.add_argument("--columns", metavar="A,B,...",
                        help="these columns, in this order: time, bytes, accuracy, loss, any number of summary.json or its "
                             "object, a setting such as platform.bandwidth")
    _add_label(parser, "what a row is called; OLD is its label or its scenario's name; repeatable")
    parser.set_defaults(command=_compare)


def _compare(arguments: argparse.Namespace, _: Sequence[str]) -> int:
    from .comparison import compare
    found = compare(arguments.results, columns=arguments.columns or (), label=dict(arguments.label), runs=arguments.runs)
    width = max(40, shutil.get_terminal_size().columns)
    sys.stdout.write(getattr(found, arguments.form)() if arguments.form else found.text(width))
    return 0


def _add_plot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", metavar="DIR", help=_RESULTS)
    parser.add_argument("-o", "--output", required=True, metavar="F.svg|F.png|F.pdf",
                        help="the picture, whose ending says the format; its data go to F.data.csv")
    parser.add_argument("--kind", default="curves", metavar="KIND",
                        help="curves (default); map (best schemes of a sweep); target (time or bytes to a target); speedup (over "
                             "workers); steps, staleness (their distributions); links (of one run with --trace)")
    parser.add_argument("--x", default="", metavar="WORD", help="of curves: time (default), bytes, iterations, epochs, samples, tokens")
    parser.add_argument("--y", default="", metavar="WORD",
                        help="of curves: accuracy, loss, perplexity or train_loss; of maps: accuracy, loss, or time or bytes to a target; of "
                             "target: time or bytes; of speedup: time or samples")
    parser.add_argument("--target", type=float, metavar="SHARE",
                        help="to which time and bytes are counted; default: the hardest that most schemes reach")
    parser.add_argument("--facet", default="", metavar="network|PATH", help="a panel for each network, or each value of a setting")
    parser.add_argument("--runs", action="store_true", help="every run by itself, instead of means over seeds")
    parser.add_argument("--band", default="", metavar="WORD",
                        help="around means of curves: ci (95 %% interval, the default of up to eight lines), sd, minmax (all runs) or "
                             "none")
    parser.add_argument("--size", default="screen", metavar="SIZE",
                        help="screen, one or two (columns of a paper, with 8 pt type), or millimetres such as 120x80")
    for name, what in (("--logx", "a logarithmic x axis"), ("--logy", "a logarithmic y axis"),
                       ("--grey", "for print without colours: greys, told apart by dashes and marks")):
        parser.add_argument(name, action="store_true", help=what)
    for name, metavar, what in (("--xlim", "A..B", "ends of the x axis, in its unit; either may be left out"),
                                ("--ylim", "A..B", "ends of the y axis"), ("--title", "TEXT", "above the picture"),
                                ("--xlabel", "TEXT", "label of the x axis"), ("--ylabel", "TEXT", "label of the y axis")):
        parser.add_argument(name, default="", metavar=metavar, help=what)
    _add_label(parser, "what the legend says instead of OLD, a label or a scenario's name; repeatable")
    parser.set_defaults(command=_plot)


def _plot(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    from .figures.plot import plot
    options = {name: value for name, value in vars(arguments).items() if name not in ("command", "results", "output", "label")}
    plot(arguments.results, arguments.output, label=dict(arguments.label), command="ddlsim " + shlex.join(words), **options)
    print(arguments.output)
    print(Path(arguments.output).with_suffix(".data.csv"))
    return 0


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", metavar="DIR", help=_RESULTS)
    parser.add_argument("-o", "--output", required=True, metavar="F.html", help="the page")
    parser.add_argument("--title", default="", metavar="TEXT", help="of the page; default: what it is about")
    _add_label(parser, "what a scenario is called; OLD is its label or its name; repeatable")
    parser.set_defaults(command=_report)


def _report(arguments: argparse.Namespace, _: Sequence[str]) -> int:
    from .reports import report
    text = report(arguments.results, arguments.output, title=arguments.title, label=dict(arguments.label))
    print(f"{arguments.output}, {bytes_(len(text.encode()))}", file=sys.stderr if is_standard_output(arguments.output) else sys.stdout)
    return 0


def _add_label(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--label", action="append", default=[], type=_renaming, metavar="OLD=NEW", help=what)


def _renaming(text: str) -> tuple[str, str]:
    old, equals, new = text.rpartition("=")
    if not equals or not old or not new.strip():
        raise argparse.ArgumentTypeError(f"{text} is no label; expected OLD=NEW such as ps_async='parameter server'")
    return old, new
