// Tables that sort by a click on a head; the summary of all schemes, and the bounds of one run.

// By table: the name of the column that it is sorted by, and whether the smallest is first.
const sorted_by = new Map();
function remember_sorting(table) {
  remember(`sort-${table.id}`, () => {
    const by = sorted_by.get(table.id);
    return by ? [by.name, by.ascending ? "1" : "0"] : [];
  }, ([name, ascending]) => sorted_by.set(table.id, { name, ascending: ascending === "1" }));
}

// What a cell sorts by: missing values come last, whatever the direction.
function in_order(a, b, ascending) {
  if (a === null || b === null) return (a === null) - (b === null);
  const numbers = typeof a === "number" && typeof b === "number";
  return (ascending ? 1 : -1) * (numbers ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
}
const sort_value = (cell) => (typeof cell === "string" ? cell : cell.value);

function cell_in(kind, content) {
  const cell = document.createElement(kind);
  const text = typeof content === "string" ? content : content.text;
  // Names are broken behind their marks.
  const parts = kind === "th" || content.name ? text.split(/(?<=[._=])(?=[a-z])/i) : [text];
  parts.forEach((part, i) => cell.append(...(i ? [document.createElement("wbr"), part] : [part])));
  if (typeof content === "string") return cell;
  if (content.best) cell.className = "best";
  if (content.name) cell.className = "name";
  if (content.scheme !== undefined) {
    const chip = Object.assign(document.createElement("span"), { className: "chip" });
    chip.style.background = colour_of(schemes.indexOf(content.scheme));
    cell.prepend(chip);
  }
  return cell;
}

const scheme_cell = (scheme) => ({ text: scheme, value: scheme, scheme });

// `columns` are names, or a name and whether the largest goes first; cells are texts, or a text with the value to sort by
// and marks. Without `again`, which fills the table once more, it does not sort.
function fill_table(table, columns, rows, again) {
  const names = columns.map((column) => (typeof column === "string" ? column : column.name));
  const by = again && sorted_by.get(table.id), at = by ? names.indexOf(by.name) : -1;
  if (at >= 0) rows = [...rows].sort((a, b) => in_order(sort_value(a[at]), sort_value(b[at]), by.ascending));
  const head = document.createElement("thead"), body = document.createElement("tbody"), line = document.createElement("tr");
  names.forEach((name, i) => {
    const cell = cell_in("th", name);
    line.append(cell);
    if (!again) return;
    cell.className = "sorts";
    cell.tabIndex = 0;
    if (i === at) cell.setAttribute("aria-sort", by.ascending ? "ascending" : "descending");
    const sort = () => {
      sorted_by.set(table.id, { name, ascending: i === at ? !by.ascending : !columns[i].larger_first });
      again();
      keep_state();
    };
    cell.addEventListener("click", sort);
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
  head.append(line);
  for (const row of rows) {
    const element = document.createElement("tr");
    row.forEach((content, i) => {
      const cell = cell_in("td", content);
      cell.dataset.head = names[i];
      element.append(cell);
    });
    body.append(element);
  }
  table.replaceChildren(head, body);
}

// Every word of the search is somewhere in the row.
function is_found(row, search) {
  const text = row.map((cell) => (typeof cell === "string" ? cell : cell.text)).join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
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
const has_best = (key) => larger_is_better(key) || /loss\.mean$|^best_loss$|^(time|bytes)_to_/.test(key);

// The answer's alone, where there are more.
const shown_targets = () =>
  data.targets.filter((target) => data.targets.length === 1 || data.answer.text || target === data.answer.target);

// [name, key, how it is written], of measures that some group has.
function measure_columns(targets = data.targets) {
  return [
    [`final ${data.metric.word}`, `final_${data.metric.word}.mean`, plain],
    [`best ${data.metric.word}`, `best_${data.metric.word}`, plain],
    ...targets.flatMap((target) => [
      [`time to ${target}`, `${data.metric.time_to}.${target}`, seconds],
      [`bytes to ${target}`, `${data.metric.bytes_to}.${target}`, bytes],
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
}

// The best value of the groups: only of those in which all runs have one.
function best_of(groups, key) {
  if (!has_best(key) || groups.length < 2) return null;
  const known = groups.map((group) => group.measures[key]).filter((estimate) => estimate && estimate[2] === estimate[3])
    .map(([mean]) => mean);
  return known.length === 0 ? null : larger_is_better(key) ? Math.max(...known) : Math.min(...known);
}

function measured_cell(group, key, format, best) {
  const prefix = "over_one_worker.", estimate = group.measures[key] || null;
  if (key.startsWith(prefix)) {
    const [speed_up] = (group.over_one_worker || {})[key.slice(prefix.length)] || [null];
    return { text: over_one(group, key) || missing, value: speed_up };
  }
  const [mean, , count, runs] = estimate || [null, null, 0, 1];
  return { text: shown(estimate, format), value: mean, best: best !== null && mean === best && count === runs };
}

function fill_summary() {
  const columns = measure_columns(shown_targets()), groups = data.groups.filter(is_visible);
  const best = columns.map(([, key]) => best_of(groups, key));
  const rows = groups.map((group) => [
    { ...scheme_cell(group.scheme), name: true }, ...group.varied.map((text) => ({ text, value: text, name: true })), { text: String(group.runs), value: group.runs },
    ...columns.map(([, key, format], i) => measured_cell(group, key, format, best[i])),
  ]);
  const search = by_id("search").value.trim();
  const measured = columns.map(([name, key]) => ({ name, larger_first: larger_is_better(key) }));
  fill_table(by_id("summary"), ["scheme", ...data.varied, "runs", ...measured],
             search ? rows.filter((row) => is_found(row, search)) : rows, fill_summary);
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
  const idle = value("idle_fraction.mean"), link = per_step(value("busiest_link.utilisation"));
  fill_table(by_id("bounds"), ["", "least possible", "simulated", "ratio"], [
    [`seconds per step of the slowest worker (bound: by ${value("bounds.network_bound") ? "the network" : "computing"})`,
     seconds(bound), seconds(step), ratio(step, bound)],
    ["of these, computing (bound: the slowest worker; simulated: the mean one)", seconds(value("bounds.compute_s")),
     seconds(per_step(idle === null ? null : 1 - idle)), missing],
    [`of these, the busiest link transfers (bound: ${run.bottleneck || "none"}; simulated: ${run.busiest_link || "none"})`,
     seconds(value("bounds.network_s")), seconds(link),
     run.bottleneck === run.busiest_link ? ratio(link, value("bounds.network_s")) : missing],
    ["bytes per step of a worker", bytes(value("bounds.bytes_per_step")), bytes(sent),
     ratio(sent, value("bounds.bytes_per_step"))],
  ]);
}
