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
  fill_table(
    by_id("summary"), ["scheme", ...data.varied, "runs", ...columns.map(([name]) => name)],
    data.groups.map((group) => [
      group.scheme, ...group.varied, String(group.runs), ...columns.map(([, key, format]) => over_one(group, key) || shown(group.measures[key], format)),
    ]));
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
