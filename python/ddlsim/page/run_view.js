// Drawings of one run: timeline of its workers, links, message matrix. Plain SVG, as wide as the page.
const svg_names = "http://www.w3.org/2000/svg";
function svg(kind, attributes, parent, text) {
  const element = document.createElementNS(svg_names, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent?.append(element);
  return element;
}
const hint = (element, text) => svg("title", {}, element, text);

function canvas_in(holder, height, least_width = 260) {
  const width = Math.max(least_width, holder.clientWidth);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", style: `min-width: ${width}px` });
  holder.replaceChildren(root);
  return { root, width };
}

function shortened(text, letters) { return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`; }

function time_axis(root, left, right, y, from, to) {
  const marks = Math.max(2, Math.min(8, Math.floor((right - left) / 90)));
  const raw = (to - from) / marks, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  for (let t = Math.ceil(from / step) * step; t <= to + step * 1e-9; t += step) {
    const x = left + ((t - from) / (to - from)) * (right - left);
    svg("text", { x, y, "text-anchor": "middle", class: "axis" }, root, `${Number(t.toPrecision(6))} s`);
  }
}

function legend(holder, entries) {
  const keys = document.createElement("div");
  for (const [colour, text] of entries) {
    const key = Object.assign(document.createElement("span"), { className: "key" });
    const box = document.createElement("i");
    box.style.background = colour;
    key.append(box, text);
    keys.append(key);
  }
  holder.prepend(keys);
}

// What is shown of a run's time, [from, to] in seconds; null: all of it.
let time_part = null;
const run_shown = () => data.runs[Number(by_id("run").value)];
const area_of = (holder, left, right) => ({ left, right, top: 0, bottom: holder.clientHeight });

// Spans are [row, kind, start, end, step], and of a message the row that it goes to.
const kinds = {
  compute: ["var(--compute)", "computing"], wait: ["var(--wait)", "waiting"], send: ["var(--send)", "sending"],
};
function timeline_text({ spans, exact, more_workers, more_servers }) {
  if (spans.length === 0) return "";
  const more = [[more_workers, "workers"], [more_servers, "servers"]].filter(([count]) => count > 0);
  return (exact
    ? "The first steps, from the run's trace; trace.json, opened in Perfetto, has all of them. A message goes from where " +
      "it starts to be sent to where its last byte leaves; it arrives a latency later."
    : "The first steps. Without a trace, the order inside a step is not known: its computing is drawn first, and sending, " +
      "which goes on beside both, is not drawn. Run with --trace to see them.") +
    more.map(([count, what]) => ` ${count} more ${what} are not drawn.`).join("");
}

let timeline_area = null, timeline_range = null;
function draw_timeline(run) {
  const holder = by_id("timeline"), { workers, servers, spans, exact } = run.timeline, rows = [...workers, ...servers];
  by_id("timeline-note").textContent = timeline_text(run.timeline);
  by_id("arrows-label").hidden = !exact || spans.length === 0;
  if (spans.length === 0) {
    timeline_area = null;
    holder.replaceChildren("This run did not record its steps.");
    return;
  }
  const lanes = exact ? 2 : 1, lane_height = exact ? 11 : 16, gap = 7;
  const row = lanes * lane_height + gap;
  const { root, width } = canvas_in(holder, rows.length * row + 24);
  const left = Math.min(110, 14 + 7.5 * Math.max(...rows.map((name) => Math.min(name.length, 13)))), right = width - 22;
  const [from, to] = time_part || [0, spans.reduce((latest, span) => Math.max(latest, span[3]), 0)];
  timeline_area = area_of(holder, left, right);
  timeline_range = [from, to];
  const x = (t) => left + ((Math.min(Math.max(t, from), to) - from) / (to - from)) * (right - left);
  rows.forEach((name, i) => {
    hint(svg("text", { x: left - 8, y: i * row + (lanes * lane_height) / 2 + 5, "text-anchor": "end" }, root,
             shortened(name, 13)), name);
  });
  const visible = spans.filter(([, , start, end]) => end > from && start < to);
  for (const [at, kind, start, end, step, peer] of visible) {
    const lane = kind === "send" ? 1 : 0;
    const box = svg("rect", {
      x: x(start).toFixed(2), y: at * row + lane * lane_height, width: Math.max(0.4, x(end) - x(start)).toFixed(2),
      height: lane_height - 1, fill: kinds[kind][0],
    }, root);
    const what = kinds[kind][1] + (peer === undefined ? "" : ` to ${rows[peer]}`);
    hint(box, `${rows[at]}, step ${step}: ${what} ${seconds(end - start)}, from ${seconds(start)}`);
  }
  if (by_id("arrows").checked) draw_messages(root, visible, from, to, x, row, lane_height);
  time_axis(root, left, right, rows.length * row + 14, from, to);
  legend(holder, Object.entries(kinds).filter(([kind]) => spans.some((span) => span[1] === kind)).map(([, look]) => look));
}

function draw_messages(root, spans, from, to, x, row, lane_height) {
  for (const [at, kind, start, end, , peer] of spans) {
    if (kind !== "send" || peer === undefined || start < from || end > to) continue;
    const x2 = x(end).toFixed(2), y2 = peer * row + 0.5 * lane_height;
    svg("line", { x1: x(start).toFixed(2), y1: at * row + 1.5 * lane_height, x2, y2, stroke: "var(--ink)",
                  "stroke-width": 0.8, opacity: 0.6 }, root);
    svg("circle", { cx: x2, cy: y2, r: 2, fill: "var(--ink)" }, root);
  }
}

function heat(share) { return `rgba(${css("--heat")}, ${(0.06 + 0.94 * Math.min(1, share)).toFixed(3)})`; }

let links_area = null, links_range = null;
function draw_links(run) {
  const holder = by_id("links"), links = run.links, row = 22;
  by_id("links-note").textContent = run.all_links > links.length
    ? `The ${links.length} busiest of ${run.all_links} links that were used.` : "";
  links_area = null;
  if (links.length === 0) {
    holder.replaceChildren("Nothing travelled.");
    return;
  }
  const timed = links.some((link) => link.over_time);
  const { root, width } = canvas_in(holder, links.length * row + (timed ? 24 : 4));
  const left = Math.min(150, 14 + 7.5 * Math.max(...links.map((link) => Math.min(link.name.length, 18)))), right = width - 64;
  const [from, to] = (timed && time_part) || [0, run.simulated_s];
  links_area = timed ? area_of(holder, left, right) : null;
  links_range = [from, to];
  const x = (t) => left + ((Math.min(Math.max(t, from), to) - from) / (to - from)) * (right - left);
  links.forEach((link, i) => {
    const y = i * row;
    hint(svg("text", { x: left - 8, y: y + 14, "text-anchor": "end" }, root, shortened(link.name, 18)), link.name);
    svg("rect", { x: left, y, width: right - left, height: row - 4, fill: "var(--wait)", opacity: 0.35 }, root);
    if (link.over_time) {
      link.over_time.forEach(([start, end, share]) => {
        if (end <= from || start >= to) return;
        const cell = svg("rect", { x: x(start), y, height: row - 4, fill: heat(share),
                                   width: Math.max(0.3, x(end) - x(start)) }, root);
        hint(cell, `${link.name}: ${percent(share)} from ${seconds(start)} to ${seconds(end)}`);
      });
    } else {
      const bar = svg("rect", { x: left, y, width: Math.min(1, link.utilisation) * (right - left), height: row - 4,
                                fill: "var(--compute)" }, root);
      hint(bar, `${link.name}: ${bytes(link.bytes)}`);
    }
    svg("text", { x: right + 6, y: y + 14 }, root, percent(link.utilisation));
  });
  if (timed) time_axis(root, left, right, links.length * row + 14, from, to);
  by_id("links-note").textContent += timed
    ? " Darker (in dark mode: brighter) is busier; each message is spread evenly over its time on the wire. On the right: the whole run."
    : " Over the whole run. Run with --trace to see it over time.";
}

function draw_matrix(run) {
  const holder = by_id("matrix"), { nodes, cells, more } = run.pairs;
  by_id("matrix-note").textContent = more ? `Of the first ${nodes.length} nodes; ${more} more are not drawn.` : "";
  if (cells.length === 0) {
    holder.replaceChildren("Nobody sent anything.");
    return;
  }
  const left = 70, top = 26, available = Math.max(260, holder.clientWidth) - left - 10;
  const size = Math.max(7, Math.min(56, Math.floor(available / nodes.length)));
  const { root } = canvas_in(holder, top + size * nodes.length + 6);
  const most = Math.max(...cells.map((cell) => cell[3]));
  const legible = Math.ceil(16 / size);
  nodes.forEach((name, i) => {
    if (i % legible) return;
    svg("text", { x: left - 8, y: top + i * size + size / 2 + 4, "text-anchor": "end" }, root, shortened(name, 8));
    if (size >= 30 || i % (legible * 4) === 0) {
      svg("text", { x: left + i * size + size / 2, y: top - 8, "text-anchor": "middle" }, root, shortened(name, 6));
    }
  });
  for (const [source, target, messages, sent] of cells) {
    const cell = svg("rect", { x: left + target * size, y: top + source * size, width: size - 1, height: size - 1,
                               fill: heat(sent / most) }, root);
    hint(cell, `${nodes[source]} to ${nodes[target]}: ${messages} messages, ${bytes(sent)}`);
    if (size >= 44) {
      const bright = matchMedia("(prefers-color-scheme: dark)").matches;
      const fill = sent / most > 0.5 ? (bright ? "#14171b" : "#ffffff") : "var(--ink)";
      svg("text", { x: left + target * size + size / 2, y: top + source * size + size / 2 + 4, "text-anchor": "middle",
                    style: `font-size:10px;fill:${fill}`, "pointer-events": "none" }, root, bytes(sent));
    }
  }
  by_id("matrix-note").textContent += ` Rows send, columns receive; ${bytes(most)} is the fullest shade.`;
}

function draw_run() {
  const run = run_shown();
  by_id("whole-time").hidden = !time_part;
  fill_bounds(run);
  draw_timeline(run);
  draw_links(run);
  draw_matrix(run);
  by_id("scenario").textContent = data.groups[run.group].scenario;
}

function show_time(part) {
  time_part = part;
  draw_run();
  keep_state();
}
function set_up_run() {
  control(by_id("run"), () => {
    time_part = null;
    draw_run();
  });
  control(by_id("arrows"), draw_run);
  const drawings = [["timeline", () => timeline_area, () => timeline_range], ["links", () => links_area, () => links_range]];
  for (const [id, area, range] of drawings) {
    on_drag(by_id(id), {
      area,
      chosen: ({ left, right }) => {
        const [from, to] = range(), { left: first, right: last } = area();
        show_time([left, right].map((x) => from + ((x - first) / (last - first)) * (to - from)));
      },
      back: () => show_time(null),
    });
  }
  by_id("whole-time").addEventListener("click", () => show_time(null));
  remember("time", () => (time_part ? [range_text(time_part)] : []), ([text]) => { time_part = range_in(text); });
}
