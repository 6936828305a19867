// The chart of learning curves, with its toggles.
const by_id = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Colours are those of all pictures of these systems; dark ones are lighter on a dark page.
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const dark = matchMedia("(prefers-color-scheme: dark)");
function colour_of(scheme) {
  const parts = data.looks[schemes[scheme]].colour.match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16));
  const brightness = 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2], least = 130;
  const share = dark.matches && brightness < least ? (least - brightness) / (255 - brightness) : 0;
  return "#" + parts.map((part) => Math.round(part + share * (255 - part)).toString(16).padStart(2, "0")).join("");
}
const dash_of = (scheme, condition) => dashes[(data.looks[schemes[scheme]].dash + condition) % dashes.length];
const with_alpha = (colour, alpha) => colour + Math.round(alpha * 255).toString(16).padStart(2, "0");

const hidden_schemes = new Set(), hidden_seeds = new Set();
const chosen = [];  // per varied setting: the value to show, or "" for any
const any_up_to = 12;  // groups; of more, one condition is shown at first
let chart = null;

function is_visible(group) {
  return !hidden_schemes.has(group.scheme) && chosen.every((value, i) => value === "" || group.varied[i] === value);
}
const visible_runs = (group) => data.runs.filter((run) => run.group === group && !hidden_seeds.has(run.seed));

function dataset(points, group, conditions, look) {
  const { label, scheme } = data.groups[group], index = schemes.indexOf(scheme);
  return {
    data: points, borderColor: colour_of(index), label, borderWidth: 2, pointRadius: 0, pointHitRadius: 6, tension: 0,
    borderDash: dash_of(index, conditions.indexOf(condition_of(data.groups[group]))), ...look,
  };
}

function datasets_of(x, y, each_run) {
  const sets = [];
  let lines = 0;
  const conditions = [...new Set(data.groups.filter(is_visible).map(condition_of))];
  data.groups.forEach(({ scheme }, group) => {
    if (!is_visible(data.groups[group])) return;
    const runs = visible_runs(group), colour = colour_of(schemes.indexOf(scheme));
    const points = runs.map((run) => line_of(run, x, y));
    if (each_run) {
      runs.forEach((run, i) => {
        sets.push(dataset(points[i], group, conditions, { borderWidth: 1.25, label: `${data.groups[group].label}, seed ${run.seed}` }));
        ++lines;
      });
      return;
    }
    const band = band_of(points, y === "accuracy" ? 1 : Infinity);
    if (band.mean.length === 0) return;
    if (runs.length > 1) {
      const edge = { order: 1, borderWidth: 0, pointHitRadius: 0, isBand: true };
      sets.push(dataset(band.low, group, conditions, edge));
      sets.push(dataset(band.high, group, conditions, { ...edge, fill: "-1", backgroundColor: with_alpha(colour, 0.15) }));
    }
    sets.push(dataset(band.mean, group, conditions, {}));
    ++lines;
  });
  return { sets, lines };
}

function draw_curves() {
  const x = by_id("x-axis").value, y = by_id("y-axis").value, each_run = by_id("each-run").checked;
  const { sets, lines } = datasets_of(x, y, each_run);
  const runs = data.groups.flatMap((group, i) => (is_visible(group) ? visible_runs(i) : [])).length;
  by_id("drawn").textContent =
    `${lines} ${lines === 1 ? "line" : "lines"} of ${runs} ${runs === 1 ? "run" : "runs"}` +
    (sets.some((set) => set.isBand) ? "; bands are 95 % intervals of the mean over seeds." : ".") +
    (data.thinned ? " Long curves are thinned for this page; curve.csv has every evaluation." : "");
  const ink = css("--ink"), rule = css("--rule");
  const title = (text) => ({ display: true, text, color: ink });
  const format = x === "bytes" ? bytes : (value) => plain(value);
  const scales = {
    x: { type: "linear", min: 0, title: title(x === "bytes" ? "sent by all nodes" : axes[x].label),
         ticks: { color: ink, maxRotation: 0, callback: format }, grid: { display: false }, border: { color: rule } },
    y: { min: 0, suggestedMax: y === "accuracy" ? 0.5 : undefined, title: title(measures[y].label),
         ticks: { color: ink }, grid: { color: rule } },
  };
  if (chart) {
    chart.data.datasets = sets;
    chart.options.scales = scales;
    chart.update();
    return;
  }
  chart = new Chart(by_id("curves"), {
    type: "line",
    data: { datasets: sets },
    options: {
      animation: false, parsing: false, normalized: true, responsive: true, maintainAspectRatio: false, scales,
      interaction: { mode: "nearest", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: (item) => !item.dataset.isBand,
          callbacks: {
            title: (items) => (items.length ? `${axes[by_id("x-axis").value].short} ${plain(items[0].parsed.x)}` : ""),
            label: (item) => `${item.dataset.label}: ${plain(item.parsed.y)}`,
          },
        },
      },
    },
  });
}

function toggle(parent, text, hidden, key, colour, dash) {
  const label = document.createElement("label");
  label.className = "toggle";
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(key); else hidden.add(key);
    draw_curves();
  });
  label.append(box);
  if (colour) {
    const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
    swatch.style.borderTopColor = colour;
    swatch.style.borderTopStyle = dash.length ? "dashed" : "solid";
    label.append(swatch);
  }
  label.append(text);
  parent.append(label);
}

function fill_select(select, choices) {
  for (const [value, text] of choices) select.append(Object.assign(document.createElement("option"), { value, textContent: text }));
}

// One condition at a time, where all together would be too many lines.
function set_up_conditions() {
  data.varied.forEach((path, i) => {
    const values = [...new Set(data.groups.map((group) => group.varied[i]))];
    const label = document.createElement("label"), select = document.createElement("select");
    fill_select(select, [["", "any"], ...values.map((value) => [value, value])]);
    chosen[i] = data.groups.length > any_up_to ? data.groups[0].varied[i] : "";
    select.value = chosen[i];
    select.addEventListener("change", () => {
      chosen[i] = select.value;
      draw_curves();
    });
    label.append(path, select);
    by_id("conditions").append(label);
  });
}

function set_up_curves() {
  const learns = data.runs.some((run) => run.curve.time.length > 0);
  if (!learns) {
    by_id("curves-section").replaceChildren(by_id("curves-title"), "These runs were not evaluated: they are about time only.");
    return;
  }
  fill_select(by_id("x-axis"), Object.entries(axes).map(([key, axis]) => [key, axis.short]));
  fill_select(by_id("y-axis"), Object.entries(measures).map(([key, measure]) => [key, measure.short]));
  schemes.forEach((scheme, i) =>
    toggle(by_id("schemes"), scheme, hidden_schemes, scheme, colour_of(i), dash_of(i, 0)));
  set_up_conditions();
  for (const seed of [...new Set(data.runs.map((run) => run.seed))].sort((a, b) => a - b)) {
    toggle(by_id("seeds"), String(seed), hidden_seeds, seed);
  }
  for (const id of ["x-axis", "y-axis", "each-run"]) by_id(id).addEventListener("change", draw_curves);
  draw_curves();
}
