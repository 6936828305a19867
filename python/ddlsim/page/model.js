// The page's data and what is computed from them. No drawing here.
const data = JSON.parse(document.getElementById("data").textContent);

const axes = {
  time: { label: "simulated time (s)", short: "simulated time", shown: (value) => `${plain(value)} s` },
  bytes: { label: "sent by all nodes", short: "bytes sent", shown: (value) => bytes(value) },
  iterations: { label: "steps of each worker (mean)", short: "steps of a worker", shown: (value) => plain(value) },
  epochs: { label: "epochs", short: "epochs", shown: (value) => plain(value) },
};
const measures = {
  accuracy: { label: "test accuracy, mean over workers", short: "test accuracy", unit: "" },
  loss: { label: "test loss (nats), mean over workers", short: "test loss", unit: " nats" },
  train_loss: { label: "minibatch loss (nats), mean over workers", short: "minibatch loss", unit: " nats" },
};

const schemes = [...new Set(data.groups.map((group) => group.scheme))];
const condition_of = (group) => JSON.stringify(group.varied);

// Without values that are missing (diverged, or none yet).
function points_of(places, values) {
  const points = [];
  values.forEach((value, i) => {
    if (value !== null && places[i] !== null) points.push({ x: places[i], y: value });
  });
  return points;
}
const line_of = (run, x, y) => points_of(run.curve[x], run.curve[y]);
function worker_line(run, worker, x, y) {
  const { at, steps, curves } = run.worker_curves;
  return points_of(x === "iterations" ? steps[worker] : at.map((i) => run.curve[x][i]), curves[y][worker]);
}

// Means over `width` neighbouring points, over fewer towards the ends so that nothing moves.
function smoothed(points, width) {
  return points.map(({ x }, i) => {
    const reach = Math.min((width - 1) / 2, i, points.length - 1 - i);
    let sum = 0;
    for (let k = i - reach; k <= i + reach; ++k) sum += points[k].y;
    return { x, y: sum / (2 * reach + 1) };
  });
}

function value_at(points, x) {
  let after = 0, end = points.length;
  while (after < end) {
    const middle = (after + end) >> 1;
    if (points[middle].x <= x) after = middle + 1; else end = middle;
  }
  if (after === 0) return points[0].y;
  if (after === points.length || points[after - 1].x === x) return points[after - 1].y;
  const share = (x - points[after - 1].x) / (points[after].x - points[after - 1].x);
  return points[after - 1].y + share * (points[after].y - points[after - 1].y);
}

// Mean and 95 % interval of several runs, over the range that all of them cover.
// Shares, if `most` is 1, stay within what they can be, and what is never below 0 above it.
function band_of(lines, most) {
  lines = lines.filter((points) => points.length > 0);
  if (lines.length === 0) return { mean: [], low: [], high: [] };
  const first = Math.max(...lines.map((points) => points[0].x));
  const last = Math.min(...lines.map((points) => points[points.length - 1].x));
  let places = lines.flatMap((points) => points.map((point) => point.x)).filter((x) => x >= first && x <= last);
  places = [...new Set(places.concat(last))].sort((a, b) => a - b);
  const step = Math.max(1, Math.ceil(places.length / 400));
  places = places.filter((_, i) => i % step === 0 || i === places.length - 1);
  const least = lines.some((points) => points.some((point) => point.y < 0)) ? -Infinity : 0;
  const band = { mean: [], low: [], high: [] };
  for (const x of places) {
    const values = lines.map((points) => value_at(points, x));
    const n = values.length;
    const mean = values.reduce((sum, value) => sum + value, 0) / n;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const half = n > 1 ? data.t95[Math.min(n - 2, data.t95.length - 1)] * Math.sqrt(squares / (n - 1) / n) : 0;
    band.mean.push({ x, y: mean });
    band.low.push({ x, y: Math.max(least, mean - half) });
    band.high.push({ x, y: Math.min(most, mean + half) });
  }
  return band;
}

// --- numbers as people read them ---

const missing = "–", no_break = "\u00a0";
const plain = (number) => (number === null ? missing : Number(number.toPrecision(3)).toLocaleString("en"));
function in_units(number, units) {
  if (number === null) return missing;
  let [factor, unit] = units[0];
  for (const [next, name] of units) if (Math.abs(number) >= next) [factor, unit] = [next, name];
  return `${Number((number / factor).toPrecision(3))}${no_break}${unit}`;
}
const seconds = (number) => in_units(number, [[1e-6, "µs"], [1e-3, "ms"], [1, "s"], [7200, "s"]].slice(0, 3));
const bytes = (number) => in_units(number, [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]]);
// Shares below a millionth are what sums leave when they are rounded.
const percent = (share) =>
  share === null ? missing : `${Math.abs(share) < 1e-6 ? 0 : Number((100 * share).toPrecision(3))}${no_break}%`;

// An estimate: [mean, half width or null, runs with a value, runs].
function shown(estimate, format) {
  if (!estimate) return missing;
  const [mean, half, count, runs] = estimate;
  const part = count < runs ? ` (${count} of ${runs})` : "";
  const either = half && format(half) !== format(0) ? ` ±${no_break}${format(half)}` : "";
  return format(mean) + either + part;
}
