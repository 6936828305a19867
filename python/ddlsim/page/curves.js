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

const lines_told = 24;  // by a tooltip, those nearest to the pointer
const hidden_schemes = new Set(), hidden_seeds = new Set();
const chosen = [];  // per varied setting: the value to show, or "" for any
const any_up_to = 12;  // groups; of more, one condition is shown at first
const usual = data.varied.map((_, i) => (data.groups.length > any_up_to ? data.groups[0].varied[i] : ""));
let chart = null;
let zoomed = null;  // the part of the chart that is shown: [least, most] of x and, if that was chosen too, of y

function is_visible(group) {
  return !hidden_schemes.has(group.scheme) && chosen.every((value, i) => value === "" || group.varied[i] === value);
}
const visible_runs = (group) => data.runs.filter((run) => run.group === group && !hidden_seeds.has(run.seed));

// Without what the selectors say of all lines.
function label_of({ label, scheme, varied }) {
  if (chosen.every((value) => value === "")) return label;
  return [scheme, ...varied.flatMap((value, i) => (value && chosen[i] === "" ? [`${data.varied[i]} ${value}`] : []))].join(", ");
}

function dataset(points, group, conditions, look) {
  const { scheme } = data.groups[group], index = schemes.indexOf(scheme), label = label_of(data.groups[group]);
  return {
    data: points, borderColor: colour_of(index), label, borderWidth: 2, pointRadius: 0, pointHitRadius: 6, tension: 0,
    borderDash: dash_of(index, conditions.indexOf(condition_of(data.groups[group]))), ...look,
  };
}

// What the controls of the chart say.
const drawn_as = () => ({
  x: by_id("x-axis").value, y: by_id("y-axis").value, of: by_id("lines").value, width: Number(by_id("smoothing").value),
  log_x: by_id("log-x").checked, log_y: by_id("log-y").checked,
});
const name_of = (run) => `${data.groups[run.group].label}, seed ${run.seed}`;

// A line per run or per worker of the group.
function thin_lines(group, conditions, { x, y, of, width }) {
  return visible_runs(group).flatMap((run) => {
    if (of === "runs") {
      const look = { borderWidth: 1.25, label: name_of(run) };
      return [dataset(smoothed(line_of(run, x, y), width), group, conditions, look)];
    }
    return run.worker_curves.names.map((name, worker) =>
      dataset(smoothed(worker_line(run, worker, x, y), width), group, conditions,
              { borderWidth: 1, label: `${name_of(run)}, ${name}` }));
  });
}

// The mean over seeds, and its interval; of two seeds, whose interval says nothing, the runs.
function mean_line(group, conditions, { x, y, width }) {
  if (visible_runs(group).length === 2) return thin_lines(group, conditions, { x, y, of: "runs", width });
  const runs = visible_runs(group), colour = colour_of(schemes.indexOf(data.groups[group].scheme));
  const band = band_of(runs.map((run) => smoothed(line_of(run, x, y), width)), y === "accuracy" ? 1 : Infinity);
  if (band.mean.length === 0) return [];
  if (runs.length === 1) return [dataset(band.mean, group, conditions, {})];
  const edge = { order: 1, borderWidth: 0, pointHitRadius: 0, isBand: true };
  const points = band.mean.map((point, i) => ({ ...point, half: (band.high[i].y - band.low[i].y) / 2 }));
  return [dataset(band.low, group, conditions, edge),
          dataset(band.high, group, conditions, { ...edge, fill: "-1", backgroundColor: with_alpha(colour, 0.15) }),
          dataset(points, group, conditions, {})];
}

function datasets_of(what) {
  const conditions = [...new Set(data.groups.filter(is_visible).map(condition_of))];
  const sets = data.groups.flatMap((group, i) => {
    if (!is_visible(group)) return [];
    return what.of === "means" ? mean_line(i, conditions, what) : thin_lines(i, conditions, what);
  });
  // Both edges of a band lose the same points: they have the same places, and a low edge at 0 is drawn at the least value.
  const least = Math.min(...sets.flatMap((set) => set.data.map(({ y }) => y).filter((y) => y > 0)));
  for (const set of sets) {
    if (what.log_x) set.data = set.data.filter(({ x }) => x > 0);
    if (!what.log_y) continue;
    set.data = set.isBand ? set.data.map((point) => ({ ...point, y: Math.max(point.y, least) }))
                          : set.data.filter(({ y }) => y > 0);
  }
  return sets;
}

// A tooltip tells the lines at the place of the pointer, each by its nearest point.
Chart.Interaction.modes.every_line = (drawn, event) => {
  const x = drawn.scales.x.getValueForPixel(event.x), items = [];
  drawn.data.datasets.forEach(({ data: points, isBand }, datasetIndex) => {
    if (isBand || points.length === 0) return;
    let index = 0;
    points.forEach((point, i) => { if (Math.abs(point.x - x) < Math.abs(points[index].x - x)) index = i; });
    items.push({ element: drawn.getDatasetMeta(datasetIndex).data[index], datasetIndex, index });
  });
  drawn.untold = Math.max(0, items.length - lines_told);
  const away = ({ element }) => Math.abs(element.y - event.y);
  return drawn.untold ? items.sort((a, b) => away(a) - away(b)).slice(0, lines_told) : items;
};

// Logarithmic axes over more than a little name 1, 2, 5, 10, 20, ... only.
function ticks_of(format) {
  return function (value) {
    const digit = Number((value / 10 ** Math.floor(Math.log10(value))).toPrecision(2)), much = 4;
    const is_left_out = this.type === "logarithmic" && this.max > much * this.min && ![1, 2, 5].includes(digit);
    return is_left_out ? "" : format(value);
  };
}

// A logarithmic axis shows what is drawn, a linear one begins at 0, except for losses.
function scales_of({ x, y, log_x, log_y }, sets, part) {
  const drawn = sets.flatMap((set) => set.data.map((point) => point.x)).filter((place) => place > 0);
  const [least, most] = [Math.min(...drawn), Math.max(...drawn)].map((end) => (Number.isFinite(end) ? end : undefined));
  const ink = css("--ink"), rule = css("--rule");
  const title = (text) => ({ display: true, text, color: ink });
  return {
    x: { type: log_x ? "logarithmic" : "linear", min: part ? part.x[0] : log_x ? least : 0,
         max: part ? part.x[1] : log_x ? most : undefined,
         title: title(axes[x].label), grid: { display: false }, border: { color: rule },
         ticks: { color: ink, maxRotation: 0, callback: ticks_of(x === "bytes" ? bytes : plain) } },
    y: { type: log_y ? "logarithmic" : "linear", min: part?.y ? part.y[0] : log_y || y !== "accuracy" ? undefined : 0,
         max: part?.y?.[1],
         suggestedMax: y === "accuracy" && !log_y ? 0.5 : undefined, title: title(measures[y].label),
         ticks: { color: ink, callback: ticks_of(plain) }, grid: { color: rule } },
  };
}

// A chart of lines in `canvas`; `what()` says which axes it has.
function line_chart(canvas, sets, what, scales) {
  return new Chart(canvas, {
    type: "line",
    data: { datasets: sets },
    options: {
      animation: false, parsing: false, normalized: true, responsive: true, maintainAspectRatio: false, scales,
      interaction: { mode: "every_line", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: (item) => !item.dataset.isBand,
          itemSort: (a, b) => b.parsed.y - a.parsed.y,
          callbacks: {
            title: (items) => (items.length ? `${axes[what().x].short} ${axes[what().x].shown(items[0].parsed.x)}` : ""),
            label: (item) => {
              const { half } = item.raw, { unit } = measures[what().y];
              return `${shortened(item.dataset.label, 48)}: ${plain(item.parsed.y)}${half ? ` ± ${plain(half)}` : ""}${unit}`;
            },
            footer: (items) => (items.length && items[0].chart.untold ? `and ${items[0].chart.untold} more lines` : ""),
          },
        },
      },
    },
  });
}

function drawn_text(sets, { of, width }) {
  const lines = sets.filter((set) => !set.isBand).length;
  const runs = data.groups.flatMap((group, i) => (is_visible(group) ? visible_runs(i) : []));
  const left_out = runs.reduce((most, run) => Math.max(most, run.worker_curves.more), 0);
  return `${lines} ${lines === 1 ? "line" : "lines"} of ${runs.length} ${runs.length === 1 ? "run" : "runs"}` +
    (sets.some((set) => set.isBand) ? "; bands are 95 % intervals of the mean over seeds." : ".") +
    (width > 1 ? ` Smoothed: means of ${width} neighbouring evaluations.` : "") +
    (of === "workers" && left_out ? ` ${left_out} more workers of a run are not drawn.` : "") +
    (data.thinned ? " Long curves are thinned for this page; curve.csv has every evaluation." : "");
}

function draw_curves() {
  const what = drawn_as(), sets = datasets_of(what), scales = scales_of(what, sets, zoomed);
  by_id("drawn").textContent = drawn_text(sets, what);
  by_id("whole").hidden = !zoomed;
  if (chart) {
    chart.data.datasets = sets;
    chart.options.scales = scales;
    chart.update();
  } else {
    chart = line_chart(by_id("curves"), sets, drawn_as, scales);
  }
}

function zoom_to(part) {
  zoomed = part;
  draw_curves();
  keep_state();
}
function set_up_zoom() {
  const holder = by_id("curves").parentElement;
  on_drag(holder, {
    area: () => chart.chartArea,
    chosen: ({ left, right, top, bottom }) => {
      const { x, y } = chart.scales;
      const both = bottom - top >= least_drag;
      zoom_to({ x: [x.getValueForPixel(left), x.getValueForPixel(right)],
                y: both ? [y.getValueForPixel(bottom), y.getValueForPixel(top)] : zoomed?.y });
    },
    back: () => zoom_to(null),
  });
  by_id("whole").addEventListener("click", () => zoom_to(null));
  remember("zoom", () => (zoomed ? [zoomed.x, zoomed.y].filter(Boolean).map(range_text) : []), ([x, y]) => {
    const part = { x: range_in(x), y: y && range_in(y) };
    if (part.x && part.y !== null) zoomed = part;
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
    for (const point of set.data) rows.push([field(set.label), point.x, point.y, point.half ?? ""].join(","));
  }
  return rows.join("\n") + "\n";
}

const swatches = [];  // elements, and what gives their colour
function coloured(element, property, colour) {
  swatches.push([element, property, colour]);
  element.style[property] = colour();
}
function colour_swatches() {
  for (const [element, property, colour] of swatches) element.style[property] = colour();
}

// Redraws what shows the chosen groups and seeds.
function show_chosen() {
  draw_curves();
  fill_summary();
  keep_state();
}

function toggle(parent, text, hidden, key, colour, dash) {
  const label = document.createElement("label");
  label.className = "toggle";
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !hidden.has(key) });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(key); else hidden.add(key);
    show_chosen();
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
  for (const [value, textContent] of choices) {
    select.append(Object.assign(document.createElement("option"), { value, textContent }));
  }
}

// One condition at a time, where all together would be too many lines.
function set_up_conditions() {
  const unusual = () => chosen.flatMap((value, i) => (value === usual[i] ? [] : [`${data.varied[i]}=${value}`]));
  remember("where", unusual, (texts) => {
    for (const text of texts) {
      const i = data.varied.findIndex((path) => text.startsWith(`${path}=`));
      if (i >= 0) chosen[i] = text.slice(data.varied[i].length + 1);
    }
  });
  data.varied.forEach((path, i) => {
    const values = [...new Set(data.groups.map((group) => group.varied[i]))];
    const label = document.createElement("label"), select = document.createElement("select");
    fill_select(select, [["", "any"], ...values.map((value) => [value, value])]);
    if (!["", ...values].includes(chosen[i])) chosen[i] = usual[i];
    select.value = chosen[i];
    select.addEventListener("change", () => {
      chosen[i] = select.value;
      show_chosen();
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
  by_id("y-axis").value = data.metric.word;
  set_up_zoom();
  // What was chosen of one axis is no part of another.
  for (const id of ["x-axis", "y-axis", "log-x", "log-y"]) {
    control(by_id(id), () => {
      zoomed = null;
      draw_curves();
    });
  }
  for (const id of ["lines", "smoothing"]) control(by_id(id), draw_curves);
  remember("without", () => [...hidden_schemes], (names) => names.forEach((name) => hidden_schemes.add(name)));
  remember("without-seed", () => [...hidden_seeds].map(String),
           (seeds) => seeds.forEach((seed) => hidden_seeds.add(Number(seed))));
  schemes.forEach((scheme, i) =>
    toggle(by_id("schemes"), scheme, hidden_schemes, scheme, () => colour_of(i), dash_of(i, 0)));
  set_up_conditions();
  for (const seed of [...new Set(data.runs.map((run) => run.seed))].sort((a, b) => a - b)) {
    toggle(by_id("seeds"), String(seed), hidden_seeds, seed);
  }
  draw_curves();
}
