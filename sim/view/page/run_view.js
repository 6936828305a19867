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

function canvas_in(holder, height) {
  const width = Math.max(260, holder.clientWidth);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" });
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

// Spans are [lane of the worker, kind, start, end, step]; lanes of one worker lie below one another.
const kinds = {
  compute: ["var(--compute)", "computing"], wait: ["var(--wait)", "waiting"], send: ["var(--send)", "sending"],
};
function draw_timeline(run) {
  const holder = by_id("timeline"), { workers, spans, exact } = run.timeline;
  by_id("timeline-note").textContent = spans.length === 0 ? "" : (exact
    ? "The first steps, from the run's trace. trace.json, opened in Perfetto, has receiving and the arrows too."
    : "The first steps. Without a trace, the order inside a step is not known: its computing is drawn first, and sending, " +
      "which goes on beside both, is not drawn. Run with --trace to see them.") +
    (run.timeline.more_workers ? ` ${run.timeline.more_workers} more workers are not drawn.` : "");
  if (spans.length === 0) {
    holder.replaceChildren("This run did not record its steps.");
    return;
  }
  const lanes = exact ? 2 : 1, lane_height = exact ? 11 : 16, gap = 7;
  const row = lanes * lane_height + gap;
  const { root, width } = canvas_in(holder, workers.length * row + 24);
  const left = Math.min(110, 14 + 7.5 * Math.max(...workers.map((name) => Math.min(name.length, 13)))), right = width - 22;
  const from = 0, to = spans.reduce((latest, span) => Math.max(latest, span[3]), 0);
  const x = (t) => left + ((t - from) / (to - from)) * (right - left);
  workers.forEach((name, i) => {
    hint(svg("text", { x: left - 8, y: i * row + (lanes * lane_height) / 2 + 5, "text-anchor": "end" }, root,
             shortened(name, 13)), name);
  });
  for (const [worker, kind, start, end, step] of spans) {
    const lane = kind === "send" ? 1 : 0;
    const box = svg("rect", {
      x: x(start).toFixed(2), y: worker * row + lane * lane_height, width: Math.max(0.4, x(end) - x(start)).toFixed(2),
      height: lane_height - 1, fill: kinds[kind][0],
    }, root);
    hint(box, `${workers[worker]}, step ${step}: ${kinds[kind][1]} ${seconds(end - start)}, from ${seconds(start)}`);
  }
  time_axis(root, left, right, workers.length * row + 14, from, to);
  legend(holder, Object.entries(kinds).filter(([kind]) => spans.some((span) => span[1] === kind)).map(([, look]) => look));
}

function heat(share) { return `rgba(${css("--heat")}, ${(0.06 + 0.94 * Math.min(1, share)).toFixed(3)})`; }

function draw_links(run) {
  const holder = by_id("links"), links = run.links, row = 22;
  by_id("links-note").textContent = run.all_links > links.length
    ? `The ${links.length} busiest of ${run.all_links} links that were used.` : "";
  if (links.length === 0) {
    holder.replaceChildren("Nothing travelled.");
    return;
  }
  const timed = links.some((link) => link.over_time);
  const { root, width } = canvas_in(holder, links.length * row + (timed ? 24 : 4));
  const left = Math.min(150, 14 + 7.5 * Math.max(...links.map((link) => Math.min(link.name.length, 18)))), right = width - 64;
  const to = run.simulated_s;
  links.forEach((link, i) => {
    const y = i * row;
    hint(svg("text", { x: left - 8, y: y + 14, "text-anchor": "end" }, root, shortened(link.name, 18)), link.name);
    svg("rect", { x: left, y, width: right - left, height: row - 4, fill: "var(--wait)", opacity: 0.35 }, root);
    if (link.over_time) {
      link.over_time.forEach(([start, end, share]) => {
        const cell = svg("rect", { x: left + (start / to) * (right - left), y, height: row - 4, fill: heat(share),
                                   width: Math.max(0.3, ((end - start) / to) * (right - left)) }, root);
        hint(cell, `${link.name}: ${percent(share)} from ${seconds(start)} to ${seconds(end)}`);
      });
    } else {
      const bar = svg("rect", { x: left, y, width: Math.min(1, link.utilisation) * (right - left), height: row - 4,
                                fill: "var(--compute)" }, root);
      hint(bar, `${link.name}: ${bytes(link.bytes)}`);
    }
    svg("text", { x: right + 6, y: y + 14 }, root, percent(link.utilisation));
  });
  if (timed) time_axis(root, left, right, links.length * row + 14, 0, to);
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
  const run = data.runs[Number(by_id("run").value)];
  fill_bounds(run);
  draw_timeline(run);
  draw_links(run);
  draw_matrix(run);
  by_id("scenario").textContent = data.groups[run.group].scenario;
}
