"""What pictures show, and that every kind is drawn at every size."""
import numpy as np
import pandas as pd
import pytest
from ddlsim.errors import InputError
from ddlsim.figures import data
from ddlsim.figures.data import band_of
from ddlsim.figures.draw import limits_of
from ddlsim.figures.looks import PICKED, look_of, looks_of
from ddlsim.figures.plot import KINDS, plot
from ddlsim.frame import read_all
from ddlsim.labels import group, relabel
from ddlsim.stats import student_factor


def grouped(results, **options):
    return group(read_all([results.folder]), **options)


@pytest.fixture
def grid(results):
    """Two schemes and one worker by bandwidth and workers, three seeds each."""
    for bandwidth in (1e7, 1e8):
        for workers in (2, 4):
            for system, time_s in (("ako", 20.0), ("gossip", 30.0), ("single", 40.0)):
                for seed in (1, 2, 3):
                    names = tuple(f"w{i}" for i in range(workers))
                    better = 10 if system == "ako" and bandwidth == 1e8 else 0
                    results.add(f"{system}_{bandwidth:g}_{workers}", seed=seed, system=system, workers=names, sweep="grid",
                                settings={"platform.bandwidth": bandwidth}, times={0.5: time_s - better + seed},
                                scenario={"platform": {"bandwidth": f"{bandwidth / 1e6:g}Mbps", "workers": workers}},
                                links=[("w0", "up", 0, 30, 0.5), ("w0", "up", 30, 60, 1.0)])
    return results


def test_a_band_is_students_interval_at_every_point_of_any_run():
    lines = [(np.array([0.0, 2.0]), np.array([0.0, 2.0])), (np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 3.0])),
             (np.array([0.0, 2.0]), np.array([2.0, 4.0]))]
    x, mean, low, high = band_of(lines)
    assert list(x) == [0, 1, 2] and mean == pytest.approx([1, (1 + 3 + 3) / 3, 3])
    deviation = np.std([1, 3, 3], ddof=1)
    assert high[1] - mean[1] == pytest.approx(student_factor(3) * deviation / 3**0.5) == pytest.approx(mean[1] - low[1])


def test_a_band_covers_what_all_runs_cover_and_the_last_of_equal_places_counts():
    lines = [(np.array([0.0, 1.0, 1.0, 3.0]), np.array([0.0, 5.0, 1.0, 3.0])), (np.array([1.0, 2.0]), np.array([1.0, 2.0]))]
    x, mean, _, _ = band_of(lines)
    assert list(x) == [1, 2] and list(mean) == [1, 2]


@pytest.mark.parametrize("kind, low, high", [("minmax", 0.0, 2.0), ("sd", 0.0, 2.0), ("none", 1.0, 1.0)])
def test_other_bands(kind, low, high):
    lines = [(np.array([0.0]), np.array([value])) for value in (0.0, 1.0, 2.0)]
    assert [values[0] for values in band_of(lines, kind)[1:]] == [1.0, low, high]


def test_two_seeds_are_drawn_as_runs_not_as_a_band(results):
    for seed in (1, 2):
        results.add("ako", seed=seed)
    (series,) = data.curves(grouped(results)).series
    assert len(series.each) == 2 and len(series.low) == 0


@pytest.mark.parametrize("y", ["loss", "perplexity"])
def test_bands_and_axes_of_negative_losses_hold_their_means(results, y):
    for seed, end in enumerate((-4.0, -5.0, -6.0), 1):
        results.add("ako", metric="loss", final=end, seed=seed, curve=[(0.0, -1.0), (60.0, end)])
    (series,) = data.curves(grouped(results), y=y).series
    assert (series.low <= series.y).all() and (series.y <= series.high).all()
    figure = plot(results.folder, y=y).figure
    low, high = figure.axes[0].get_ylim()
    assert low <= min(series.y) and max(series.y) <= high
    if y == "loss":
        assert low < -5 - student_factor(3) / 3**0.5 and -1 < high < 0


def test_bars_stand_for_groups_whose_every_run_gets_there(results):
    for seed in (1, 2, 3):
        results.add("ako", seed=seed, times={0.5: 10.0 * seed})
        results.add("gossip", seed=seed, times={0.5: None if seed == 2 else 5.0})
    picture = data.targets(grouped(results))
    ako, gossip = (next(s for s in picture.series if picture.names[s.name] == name) for name in ("ako", "gossip"))
    assert ako.x == [20.0] and gossip.text == "reached by 2 of 3" and not len(gossip.x)
    assert any("evaluated every 5 s" in note for note in picture.note)


def test_speed_up_is_paired_by_seed_over_one_worker(grid):
    picture = data.speed_up(grouped(grid), facet="platform.bandwidth")
    series = next(s for s in picture.series if picture.names[s.name] == "ako" and picture.panels[s.panel] == "bandwidth=10Mbps")
    assert series.x == [2.0, 4.0] and series.y[0] == pytest.approx(np.mean([41 / 21, 42 / 22, 43 / 23]))


def test_shares_of_steps_rise_to_one(results):
    results.add("ako", steps=[("w0", i, 0, 1, 0, 1 + i, 1.0, 0) for i in range(4)])
    (series,) = data.steps(grouped(results)).series
    assert list(series.x) == [1, 1, 2, 3, 4] and list(series.y) == [0, 0.25, 0.5, 0.75, 1]


def test_a_map_has_the_best_of_each_cell_in_one_unit(grid, tmp_path):
    found = data.winners(grouped(grid))
    assert found.columns == ["10Mbps", "100Mbps"] and found.rows == ["2", "4"]
    assert {cell.scheme for row in found.cells for cell in row} == {"ako"}
    assert found.cells[0][1].mean == pytest.approx(12.0) and found.cells[0][1].clear is True


def test_what_a_map_needs(results):
    results.add("ako")
    with pytest.raises(InputError, match="two settings that vary"):
        data.winners(grouped(results))


def test_long_legends_become_panels(results):
    for system in ("ako", "gossip", "sgp", "choco", "ps_async"):
        for workers in (2, 4, 8):
            for bandwidth in (1e6, 1e7, 1e8):
                results.add(f"{system}_{workers}_{bandwidth:g}", system=system,
                            settings={"platform.workers": workers, "platform.bandwidth": bandwidth})
    picture = data.curves(grouped(results))
    assert len(picture.panels) == 3 and sum(len(legend.names) for legend in picture.legends) <= data.MOST_NAMES


def test_looks_are_one_for_each_system_and_shades_for_variants():
    assert look_of("ako").colour == "#0072b2" == looks_of([("ako", "ako"), ("gossip", "gossip")])[0].colour
    variants = looks_of([("ako", f"ako partitions={i}") for i in (1, 2, 3)])
    assert len({look.colour for look in variants}) == 3 == len({look.dash for look in variants})
    assert look_of("a_system_of_ones_own") == look_of("a_system_of_ones_own")
    assert len({look for look, _ in PICKED.values()}) == len(PICKED)


@pytest.mark.parametrize("size", ["screen", "one", "two", "120x80"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_is_drawn_at_every_size_with_its_data(grid, tmp_path, kind, size):
    folder = grid.folder / "grid"
    if kind == "links":
        folder = folder / "ako_1e+07_2" / "1"
    for ending in ("svg", "png", "pdf"):
        file = tmp_path / f"{kind}.{ending}"
        plot(folder, file, kind=kind, size=size, title="A title", command="ddlsim plot")
        assert file.stat().st_size > 1000 and file.with_suffix(".data.csv").read_text().count("\n") > 1


def test_texts_stay_within_the_picture_and_apart(grid, tmp_path):
    for kind in KINDS:
        folder = grid.folder / "grid" / ("ako_1e+07_2/1" if kind == "links" else "")
        for size in ("screen", "one", "two"):
            figure = plot(folder, kind=kind, size=size, title="A title that is long enough to be broken somewhere").figure
            canvas = figure.canvas
            canvas.draw()
            boxes = [text.get_window_extent() for text in figure.findobj(lambda a: hasattr(a, "get_text") and a.get_text()
                                                                         and a.get_visible() and a.figure is figure)
                     if text in figure.texts]
            width, height = figure.get_size_inches() * figure.dpi
            for box in boxes:
                assert box.x0 >= -1 and box.x1 <= width + 1 and box.y0 >= -1 and box.y1 <= height + 1, (kind, size)
            for i, a in enumerate(boxes):
                for b in boxes[:i]:
                    assert not a.overlaps(b), (kind, size)


def test_folders_may_be_a_column_of_a_frame(grid, tmp_path):
    folders = sorted(str(folder) for folder in (grid.folder / "grid").iterdir() if folder.is_dir())[:2]
    assert plot(pd.Series(folders)).frame.equals(plot(folders).frame)


def test_legends_in_two_parts_fit_into_one_column(grid, tmp_path):
    figure = plot(grid.folder / "grid", size="one").figure
    figure.canvas.draw()
    boxes = [legend.get_window_extent() for legend in figure.legends + [a for a in figure.artists if hasattr(a, "legend_handles")
                                                                        or hasattr(a, "legendHandles")]]
    assert boxes and all(0 <= box.x0 and box.x1 <= figure.bbox.width for box in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_same_picture_has_the_same_bytes(grid, tmp_path):
    for ending in ("svg", "png", "pdf"):
        files = [tmp_path / f"{i}.{ending}" for i in (1, 2)]
        for file in files:
            plot(grid.folder / "grid", file)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_tokens_of_a_text_are_an_axis(results):
    results.add("gpt", tokens=64 * 800)  # of samples of 64 symbols
    (series,) = data.curves(grouped(results), x="tokens").series
    assert series.x.tolist() == [0, 64 * 240, 64 * 480]


def test_perplexity_is_the_exponential_of_the_loss(results):
    results.add("gpt", metric="loss", final=2.0)
    loss, perplexity = (data.curves(grouped(results), y=word).series[0].y for word in ("loss", "perplexity"))
    assert perplexity == pytest.approx(np.exp(loss))


@pytest.mark.parametrize("options, message", [
    ({"kind": "stepz"}, "is no kind"), ({"kind": "map", "x": "time"}, "--x: is for --kind curves"),
    ({"x": "tokens"}, "has no tokens"),
    ({"y": "acuracy"}, 'did you mean "accuracy"'), ({"facet": "bandwith"}, "does not vary"), ({"size": "a4"}, "is no size"),
    ({"xlim": "3..1"}, "is empty"), ({"kind": "target", "target": 0.7}, "is none of"), ({"logx": True, "xlim": "0..5"}, "starts above 0"),
    ({"label": {"akko": "x"}}, "is no label here"), ({"label": 3}, "is no label"), ({"label": {"ako": 1}}, "is no label"),
    ({"size": (120, 80)}, "--size: .* is no text"), ({"title": 3}, "--title: 3 is no text"),
    ({"kind": "target", "target": "0.8"}, "is no number")])
def test_options_that_cannot_be(grid, options, message):
    with pytest.raises(InputError, match=message):
        plot(grid.folder / "grid", **options)


def test_a_picture_that_cannot_be_written_leaves_nothing(grid, tmp_path):
    with pytest.raises(InputError, match="is no picture's name"):
        plot(grid.folder, tmp_path / "x.gif")
    with pytest.raises(InputError, match="cannot be written"):
        plot(grid.folder / "grid", tmp_path / "no" / "x.svg")
    assert not list(tmp_path.glob("*.svg"))


def test_ranges():
    assert [limits_of(text, "--xlim") for text in ("", "0..60", "..0.9", "1..")] == [(None, None), (0, 60), (None, 0.9), (1, None)]
    for text in ("5", "a..b", "..", "nan.."):
        with pytest.raises(InputError, match="is no range"):
            limits_of(text, "--xlim")


def test_a_renamed_scenario_of_a_grid_is_called_so(grid):
    name = next(path.parent.name for path in sorted(grid.folder.rglob("1")))
    grouped = group(read_all([grid.folder]))
    relabel(grouped, {name: "mine"})
    picture = data.curves(grouped)
    assert "mine" in picture.names and sum(one.name == picture.names.index("mine") for one in picture.series) == 1


def test_a_map_renames_schemes_alone(grid):
    plot(grid.folder, kind="map", label={"ako": "Ako"})
    with pytest.raises(InputError, match='"akko" is no scheme here; did you mean "ako"'):
        plot(grid.folder, kind="map", label={"akko": "x"})


def test_a_panel_for_each_platform_by_the_name_of_its_file(results):
    for place, digest in (("lan", "aa"), ("wan", "bb")):
        for system in ("ako", "gossip"):
            results.add(f"{system}_{place}", system=system, settings={"platform_digest": digest},
                        scenario={"platform": {"file": f"../platforms/{place}.xml"}})
    for facet in ("platform.file", "platform", "network"):
        assert data.curves(grouped(results), facet=facet).panels == ["lan", "wan"]
