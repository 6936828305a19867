// The summary of all schemes, and the bounds of one run.
function fill_table(table, header, rows) {
  const line = (cells, kind) => {
    const row = document.createElement("tr");
    for (const cell of cells) row.append(Object.assign(document.createElement(kind), { textContent: cell }));
    return row;
  };
  const head = document.createElement("thead"), body = document.createElement("tbody");
  head.append(line(header, "th"));
  for (const row of rows) body.append(line(row, "td"));
  table.replaceChildren(head, body);
}

// The speed-up over one worker alone, marked where that is sooner; nothing of any other measure.
function over_one(group, key) {
  const prefix = "over_one_worker.";
  const against = key.startsWith(prefix) && (group.over_one_worker || {})[key.slice(prefix.length)];
  if (!against) return "";
  const [speed_up, beats] = against;
  const text = speed_up === null ? (beats ? "only this" : "never") : `${plain(speed_up)} ×`;
  return beats ? text : `${text} (beaten)`;
}

// Larger is better of these; of all others here, smaller is, or neither.
const larger_is_better = (key) => /accuracy\.mean$|^best_accuracy$/.test(key);
const has_best = (key) => larger_is_better(key) || /^(time|bytes)_to_accuracy/.test(key);

let sorted_by = null;  // [key, ascending]
function value_of(group, key) {
  if (key === "scheme") return group.scheme;
  if (key.startsWith("varied.")) return group.varied[Number(key.slice(7))];
  const prefix = "over_one_worker.";
  if (key.startsWith(prefix)) return ((group.over_one_worker || {})[key.slice(prefix.length)] || [null])[0];
  return key === "runs" ? group.runs : (group.measures[key] || [null])[0];
}
function in_order(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function fill_summary() {
  const columns = [
    ["final accuracy", "final_accuracy.mean", plain],
    ["best accuracy", "best_accuracy", plain],
    ...data.targets.flatMap((target) => [
      [`time to ${target}`, `time_to_accuracy_s.${target}`, seconds],
      [`bytes to ${target}`, `bytes_to_accuracy.${target}`, bytes],
      [`over one worker, to ${target}`, `over_one_worker.${target}`, plain],
    ]),
    ["step, mean", "seconds_per_batch.mean", seconds],
    ["step, slowest worker", "slowest_step_s", seconds],
    ["its bound", "bounds.step_s", seconds],
    ["bytes sent", "bytes_sent", bytes],
    ["busiest link", "busiest_link.utilisation", percent],
    ["idle, mean", "idle_fraction.mean", percent],
    ["staleness, mean", "staleness.mean", plain],
    ["simulated", "simulated_seconds", seconds],
  ].filter(([, key]) => data.groups.some((group) => group.measures[key] || over_one(group, key)));
  const keys = ["scheme", ...data.varied.map((_, i) => `varied.${i}`), "runs", ...columns.map(([, key]) => key)];
  let groups = data.groups.filter(is_visible);
  if (sorted_by) {
    const [key, ascending] = sorted_by;
    groups = [...groups].sort((a, b) => {
      const [one, other] = [value_of(a, key), value_of(b, key)];
      return one === null || other === null ? in_order(one, other) : (ascending ? 1 : -1) * in_order(one, other);
    });
  }
  const table = by_id("summary");
  fill_table(
    table, ["scheme", ...data.varied, "runs", ...columns.map(([name]) => name)],
    groups.map((group) => [
      group.scheme, ...group.varied, String(group.runs), ...columns.map(([, key, format]) => over_one(group, key) || shown(group.measures[key], format)),
    ]));
  table.querySelectorAll("th").forEach((head, i) => {
    head.className = "sorts";
    head.tabIndex = 0;
    if (sorted_by && sorted_by[0] === keys[i]) head.setAttribute("aria-sort", sorted_by[1] ? "ascending" : "descending");
    const sort = () => {
      const again = sorted_by && sorted_by[0] === keys[i];
      sorted_by = [keys[i], again ? !sorted_by[1] : !larger_is_better(keys[i])];
      fill_summary();
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
  columns.forEach(([, key], i) => {
    if (!has_best(key) || groups.length < 2) return;
    const complete = groups.map((group) => {
      const [mean, , count, runs] = group.measures[key] || [null, null, 0, 1];
      return count === runs ? mean : null;
    });
    const known = complete.filter((value) => value !== null);
    const best = larger_is_better(key) ? Math.max(...known) : Math.min(...known);
    complete.forEach((value, row) => {
      if (value !== null && value === best) table.tBodies[0].rows[row].cells[i + 2 + data.varied.length].className = "best";
    });
  });
}

// --- the answer ---

function answer_value({ value }) {
  if (!value) return "not reached by all runs";
  const format = data.answer.target === null ? plain : seconds;
  return format(value[0]) + (value[1] ? ` ± ${format(value[1])}` : "");
}
const certainty_of = ({ clear, order }) =>
  order.filter(({ value }) => value).length < 2 ? "" : clear === null ? "not tested: fewer than three seeds" :
    clear ? "differs from the second" : "within noise of the second";

function fill_answer() {
  const { rankings, target } = data.answer;
  if (rankings.length === 0 || data.groups.length < 2) {
    by_id("answer-section").remove();
    return;
  }
  const by = target === null ? "final test accuracy" : `simulated time to accuracy ${target}`;
  const best = (ranking) => data.groups[ranking.order[0].group].scheme;
  const cell_with_chip = (cell, scheme) => {
    const chip = Object.assign(document.createElement("span"), { className: "chip" });
    coloured(chip, "background", () => colour_of(schemes.indexOf(scheme)));
    cell.prepend(chip);
  };
  let shown_schemes;
  if (rankings.length === 1) {
    const [ranking] = rankings, noise = certainty_of(ranking), second = ranking.order[1];
    by_id("verdict").textContent = `Best by ${by}: ${best(ranking)}, ${answer_value(ranking.order[0])}` +
      (second ? `; then ${data.groups[second.group].scheme}, ${answer_value(second)}` : "") + (noise ? ` (${noise}).` : ".");
    fill_table(by_id("answer"), ["scheme", by], ranking.order.map((entry) => [data.groups[entry.group].scheme, answer_value(entry)]));
    shown_schemes = ranking.order.map(({ group }) => data.groups[group].scheme);
  } else {
    const wins = new Map();
    for (const ranking of rankings) wins.set(best(ranking), (wins.get(best(ranking)) || 0) + 1);
    const most = [...wins].sort((a, b) => b[1] - a[1]);
    by_id("verdict").textContent = `Best by ${by}: ` +
      most.map(([scheme, count]) => `${scheme} in ${count}`).join(", ") + ` of ${rankings.length} conditions.`;
    fill_table(by_id("answer"), ["best", ...data.varied, by, ""],
      rankings.map((ranking) => [best(ranking), ...ranking.condition, answer_value(ranking.order[0]), certainty_of(ranking)]));
    shown_schemes = rankings.map(best);
  }
  [...by_id("answer").tBodies[0].rows].forEach((row, i) => cell_with_chip(row.cells[0], shown_schemes[i]));
  by_id("answer-note").textContent = "Systems count with all their runs; whether the first differs is tested by runs of the " +
    "same seed, corrected for its comparisons with all others (Holm, 5 %).";
}

function fill_bounds(run) {
  const m = run.measures;
  const ratio = (a, b) => (a === null || b === null || b === 0 ? missing : `${plain(a / b)} ×`);
  const value = (key) => m[key] ?? null;
  const step = value("slowest_step_s"), bound = value("bounds.step_s");
  const sent = value("iterations") ? value("bytes_sent") / value("iterations") : null;
  // What one step of every worker took: of the mean worker's time, and of the busiest link's.
  const steps = value("iterations") / (run.timeline.workers.length + run.timeline.more_workers);
  const per_step = (share) => (share === null || !steps ? null : (share * run.simulated_s) / steps);
  const idle = value("idle_fraction.mean");
  fill_table(by_id("bounds"), ["", "least possible", "simulated", "ratio"], [
    ["seconds per step of the slowest worker", seconds(bound), seconds(step), ratio(step, bound)],
    ["of these, computing (bound: the slowest worker; simulated: the mean one)", seconds(value("bounds.compute_s")),
     seconds(per_step(idle === null ? null : 1 - idle)), missing],
    [`of these, the busiest link transfers (bound: ${run.bottleneck || "none"}; simulated: ${run.busiest_link || "none"})`,
     seconds(value("bounds.network_s")), seconds(per_step(value("busiest_link.utilisation"))), missing],
    ["bytes per step of a worker", bytes(value("bounds.bytes_per_step")), bytes(sent),
     ratio(sent, value("bounds.bytes_per_step"))],
    ["limited by", value("bounds.network_bound") ? "network" : "computing", missing, missing],
  ]);
}
