// The chart of learning curves, with its toggles.
const by_id = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Colours are those of all pictures of these systems; dark ones are lighter on a dark page.
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const dark = matchMedia("(prefers-color-scheme: dark)");
function colour_of(scheme) {
  if (data.looks[schemes[scheme]].colour === "#000000") return css("--last");
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
    const half = runs.length > 1 ? band.mean.map((point, i) => (band.high[i].y - band.low[i].y) / 2) : null;
    sets.push(dataset(band.mean, group, conditions, { half }));
    ++lines;
  });
  return { sets, lines };
}

// A tooltip tells all lines at the place of the pointer, each by its nearest point.
Chart.Interaction.modes.every_line = (drawn, event) => {
  const x = drawn.scales.x.getValueForPixel(event.x), items = [];
  drawn.data.datasets.forEach(({ data: points, isBand }, datasetIndex) => {
    if (isBand || points.length === 0) return;
    let index = 0;
    points.forEach((point, i) => { if (Math.abs(point.x - x) < Math.abs(points[index].x - x)) index = i; });
    items.push({ element: drawn.getDatasetMeta(datasetIndex).data[index], datasetIndex, index });
  });
  return items;
};

const log_of = (id) => (by_id(id).checked ? "logarithmic" : "linear");

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
  const logarithmic = by_id("log-x").checked;
  if (logarithmic) for (const set of sets) set.data = set.data.filter((point) => point.x > 0);
  const scales = {
    x: { type: log_of("log-x"), min: logarithmic ? undefined : 0, title: title(x === "bytes" ? "sent by all nodes" : axes[x].label),
         ticks: { color: ink, maxRotation: 0, callback: format }, grid: { display: false }, border: { color: rule } },
    y: { min: 0, suggestedMax: y === "accuracy" ? 0.5 : undefined, title: title(measures[y].label),
         ticks: { color: ink }, grid: { color: rule } },
  };
  if (chart) {
    chart.data.datasets = sets;
    chart.options.scales = scales;
    chart.update();
    keep_state();
    return;
  }
  chart = new Chart(by_id("curves"), {
    type: "line",
    data: { datasets: sets },
    options: {
      animation: false, parsing: false, normalized: true, responsive: true, maintainAspectRatio: false, scales,
      interaction: { mode: "every_line", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: (item) => !item.dataset.isBand,
          callbacks: {
            title: (items) => (items.length ? `${axes[by_id("x-axis").value].short} ${plain(items[0].parsed.x)}` : ""),
            label: (item) => {
              const { label, half } = item.dataset;
              const unit = measures[by_id("y-axis").value].unit;
              return `${label}: ${plain(item.parsed.y)}${half ? ` ± ${plain(half[item.dataIndex])}` : ""}${unit}`;
            },
          },
          itemSort: (a, b) => b.parsed.y - a.parsed.y,
        },
      },
    },
  });
}

function save(name, href) {
  Object.assign(document.createElement("a"), { href, download: name }).click();
}

// With the page's background: a picture's own is transparent.
function picture_of(canvas) {
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const pen = copy.getContext("2d");
  pen.fillStyle = css("--panel");
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  return copy.toDataURL();
}

// The lines that are drawn, in long form.
function curves_csv() {
  const field = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = [["series", by_id("x-axis").value, by_id("y-axis").value, "half_width"].join(",")];
  for (const set of chart.data.datasets) {
    if (set.isBand) continue;
    set.data.forEach((point, i) => rows.push([field(set.label), point.x, point.y, set.half ? set.half[i] : ""].join(",")));
  }
  return rows.join("\n") + "\n";
}

// What is chosen is in the address, so that a link shows the same.
const boxes = ["each-run", "log-x"], selects = ["x-axis", "y-axis", "run"];
function keep_state() {
  const state = new URLSearchParams();
  for (const id of boxes) if (by_id(id).checked) state.set(id, "1");
  for (const id of selects) if (by_id(id).selectedIndex > 0) state.set(id, by_id(id).value);
  for (const scheme of hidden_schemes) state.append("without", scheme);
  for (const seed of hidden_seeds) state.append("without-seed", seed);
  chosen.forEach((value, i) => state.append("where", `${data.varied[i]}=${value}`));
  const text = state.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}
function restore_state() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const id of boxes) by_id(id).checked = state.has(id);
  for (const id of selects) if ([...by_id(id).options].some(({ value }) => value === state.get(id))) by_id(id).value = state.get(id);
  for (const scheme of state.getAll("without")) hidden_schemes.add(scheme);
  for (const seed of state.getAll("without-seed")) hidden_seeds.add(Number(seed));
  for (const text of state.getAll("where")) {
    const i = data.varied.findIndex((path) => text.startsWith(`${path}=`));
    if (i >= 0) chosen[i] = text.slice(data.varied[i].length + 1);
  }
}

const swatches = [];  // elements, and what gives their colour
function coloured(element, property, colour) {
  swatches.push([element, property, colour]);
  element.style[property] = colour();
}
function colour_swatches() {
  for (const [element, property, colour] of swatches) element.style[property] = colour();
}

function toggle(parent, text, hidden, key, colour, dash) {
  const label = document.createElement("label");
  label.className = "toggle";
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !hidden.has(key) });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(key); else hidden.add(key);
    draw_curves();
    fill_summary();
  });
  label.append(box);
  if (colour) {
    const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
    coloured(swatch, "borderTopColor", colour);
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
    if (!["", ...values].includes(chosen[i])) chosen[i] = data.groups.length > any_up_to ? data.groups[0].varied[i] : "";
    select.value = chosen[i];
    select.addEventListener("change", () => {
      chosen[i] = select.value;
      draw_curves();
      fill_summary();
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
  by_id("save-png").addEventListener("click", () => save("curves.png", picture_of(chart.canvas)));
  by_id("save-csv").addEventListener("click", () =>
    save("curves.csv", URL.createObjectURL(new Blob([curves_csv()], { type: "text/csv" }))));
  fill_select(by_id("x-axis"), Object.entries(axes).map(([key, axis]) => [key, axis.short]));
  fill_select(by_id("y-axis"), Object.entries(measures).map(([key, measure]) => [key, measure.short]));
  restore_state();
  schemes.forEach((scheme, i) =>
    toggle(by_id("schemes"), scheme, hidden_schemes, scheme, () => colour_of(i), dash_of(i, 0)));
  set_up_conditions();
  for (const seed of [...new Set(data.runs.map((run) => run.seed))].sort((a, b) => a - b)) {
    toggle(by_id("seeds"), String(seed), hidden_seeds, seed);
  }
  for (const id of ["x-axis", "y-axis", "each-run", "log-x"]) by_id(id).addEventListener("change", draw_curves);
  draw_curves();
}
