// Two runs beside each other: curves, what they reached, and where their scenarios differ.
let pair_chart = null;

// Paths and values of nested objects, lists in one piece.
function flattened(value, path = "", found = new Map()) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return found.set(path, JSON.stringify(value));
  for (const [key, inner] of Object.entries(value)) flattened(inner, path ? `${path}.${key}` : key, found);
  return found;
}

function differences(one, other) {
  const [a, b] = [one, other].map((run) => flattened({ ...JSON.parse(data.groups[run.group].scenario), seed: run.seed }));
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path))
    .map((path) => [path, a.get(path) ?? missing, b.get(path) ?? missing]);
}

function against(one, other, key) {
  if (one === null || other === null) return missing;
  if (larger_is_better(key)) {
    const apart = plain(Math.abs(other - one));
    return apart === "0" ? apart : (other > one ? "+" : "−") + apart;
  }
  return one > 0 ? `${plain(other / one)} ×` : missing;
}

function draw_pair_chart(runs) {
  const { x, y } = drawn_as();
  const conditions = [...new Set(runs.map((run) => condition_of(data.groups[run.group])))];
  const same = runs[0].group === runs[1].group;
  const sets = runs.map((run, i) => {
    const look = same ? { borderDash: i ? [6, 4] : [] } : {};
    return dataset(line_of(run, x, y), run.group, conditions, { label: name_of(run), ...look });
  });
  const scales = scales_of({ x, y }, sets);
  if (!pair_chart) {
    pair_chart = line_chart(by_id("pair-curves"), sets, drawn_as, scales);
    return;
  }
  pair_chart.data.datasets = sets;
  pair_chart.options.scales = scales;
  pair_chart.update();
}

function draw_pair() {
  const runs = ["first", "second"].map((id) => data.runs[Number(by_id(id).value)]), names = runs.map(name_of);
  if (chart) draw_pair_chart(runs);
  const rows = measure_columns().filter(([, key]) => runs.some(({ measures: m }) => (m[key] ?? null) !== null))
    .map(([name, key, format]) => {
      const [one, other] = runs.map(({ measures: m }) => m[key] ?? null);
      return [name, format(one), format(other), against(one, other, key)];
    });
  fill_table(by_id("pair"), ["", ...names, "second against first"], rows);
  const differ = differences(...runs);
  fill_table(by_id("differences"), ["setting", ...names], differ);
  by_id("differences-note").textContent =
    differ.length ? "Settings that are the same in both are left out." : "Their scenarios are the same, seed included.";
}

function set_up_pair() {
  if (data.runs.length < 2) {
    by_id("pair-section").remove();
    return;
  }
  const other = data.runs.findIndex((run) => run.group !== data.runs[0].group && run.seed === data.runs[0].seed);
  for (const id of ["first", "second"]) fill_select(by_id(id), data.runs.map((run, i) => [i, name_of(run)]));
  by_id("second").value = other >= 0 ? other : 1;
  for (const id of ["first", "second"]) control(by_id(id), draw_pair);
  if (!chart) by_id("pair-curves").parentElement.remove();
  for (const id of ["x-axis", "y-axis"]) by_id(id)?.addEventListener("change", draw_pair);
  draw_pair();
}
