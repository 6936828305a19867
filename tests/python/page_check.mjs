// Opens a report in headless Chromium as a reader would, and says what is wrong with it; exit code 1 if anything is.
//   node page_check.mjs PAGE.html RUNS LINES [FOLDER FOR SCREENSHOTS]
// Speaks the DevTools protocol over a pipe, which needs no packages. The last line of stdout: "opened in N ms of CPU".
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page, runs, lines, shots] = [resolve(process.argv[2]), Number(process.argv[3]), Number(process.argv[4]), process.argv[5]];
const profile = mkdtempSync(join(tmpdir(), "ddlsim-chromium-"));
const browser = spawn(process.env.CHROMIUM ?? "chromium", [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${profile}`,
  "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

const wrong = [];
const expect = (holds, what) => { if (!holds) wrong.push(what); };
const answers = new Map();
let next = 0, heard = "";

function on_event({ method, params }) {
  if (method === "Runtime.exceptionThrown") wrong.push(`exception: ${params.exceptionDetails.exception?.description}`);
  if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
    wrong.push(`console: ${params.args.map((arg) => arg.value ?? arg.description).join(" ")}`);
  }
  if (method === "Log.entryAdded" && params.entry.level === "error") wrong.push(`log: ${params.entry.text}`);
  if (method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url)) {
    wrong.push(`asks the network for ${params.request.url}`);
  }
}
browser.stdio[4].on("data", (chunk) => {
  heard += chunk;
  for (let end; (end = heard.indexOf("\0")) >= 0; heard = heard.slice(end + 1)) {
    const message = JSON.parse(heard.slice(0, end));
    if (message.id === undefined) on_event(message);
    else {
      const [done, failed] = answers.get(message.id);
      message.error ? failed(new Error(message.error.message)) : done(message.result);
    }
  }
});
let session;
const send = (method, params = {}) => new Promise((done, failed) => {
  answers.set(++next, [done, failed]);
  browser.stdio[3].write(JSON.stringify({ id: next, method, params, sessionId: session }) + "\0");
});
const value_of = async (expression) => {
  const answer = await send("Runtime.evaluate", { expression, returnByValue: true });
  if (answer.exceptionDetails) throw new Error(`${expression}: ${answer.exceptionDetails.exception?.description}`);
  return answer.result.value;
};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const settled = () => send("Runtime.evaluate", {
  expression: "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))", awaitPromise: true,
});

async function until(expression) {
  for (let tries = 0; tries < 600; ++tries, await pause(50)) if (await value_of(expression)) return;
  throw new Error(`never true: ${expression}`);
}
async function click(selector) {
  const at = await value_of(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
    e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect();
    return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
  for (const type of ["mousePressed", "mouseReleased"]) {
    await send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
  }
  await settled();
}
async function choose(id, value) {
  await value_of(`(() => { const e = document.getElementById("${id}"); e.value = ${JSON.stringify(value)};
    e.dispatchEvent(new Event("change")); })()`);
  await settled();
}
async function look(width, height, scheme) {
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  await pause(200);
  await settled();
  expect(await value_of("document.documentElement.scrollWidth <= window.innerWidth"), `wider than a screen of ${width}`);
  if (!shots) return;
  await value_of("scrollTo(0, 0)");
  const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
  writeFileSync(join(shots, `${width}_${scheme}.png`), Buffer.from(data, "base64"));
}
const drawn = () => value_of("document.getElementById('drawn').textContent");
const back = () => value_of("getComputedStyle(document.body).backgroundColor");

// The answer comes first, and every scheme is in it or beaten in it.
async function check_answer(lines) {
  if (lines < 2) return;
  expect(await value_of("document.querySelector('main section h2').textContent === 'Answer'"), "the answer is not first");
  expect((await value_of("document.getElementById('verdict').textContent")).startsWith("Best by "), "there is no verdict");
  const places = await value_of("data.answer.rankings.reduce((sum, { order }) => sum + order.length, 0)");
  expect(places === lines, `${places} places are ranked, not ${lines}`);
  const missed = (count) => value_of(`(() => {
    const { measures } = data.groups[0], key = "time_to_accuracy_s." + data.answer.target, kept = measures[key];
    measures[key] = ${count} > 0 ? [1, null, ${count}, 2] : null;
    const text = answer_value({ value: null, group: 0 });
    measures[key] = kept;
    return text; })()`);
  expect((await missed(0)) === "not reached", `no run reaches it: ${await missed(0)}`);
  expect((await missed(1)) === "not reached by all runs", `one of two runs reaches it: ${await missed(1)}`);
}

// Another target, or the accuracy at the end, gives another answer, and the summary shows that target alone.
async function check_targets() {
  const choices = await value_of("data.answers?.length ?? 0");
  if (choices < 2) return;
  const verdict = () => value_of("document.getElementById('verdict').textContent");
  const before = await verdict(), chosen = await value_of("document.getElementById('answer-by').value");
  const columns = () => value_of(
    "[...document.querySelectorAll('#summary th')].filter((head) => /^time to/.test(head.textContent)).length");
  const seen = new Set();
  for (const target of await value_of("data.answers.map(({ target }) => String(target ?? 'end'))")) {
    await choose("answer-by", target);
    seen.add(await verdict());
    const places = await value_of("data.answer.rankings.length");
    expect(places > 0, `nothing is ranked by ${target}`);
    if (target !== "end") expect((await verdict()).includes(target), `by ${target} it says "${await verdict()}"`);
    if (await value_of("data.targets.length > 1")) {
      expect((await columns()) === (target === "end" ? 0 : 1), `the summary has other targets than ${target}`);
    }
  }
  expect(seen.size === choices, "two targets have one verdict");
  await choose("answer-by", chosen);
  expect((await verdict()) === before, "the first answer does not come back");
}

// Nothing of a card is beyond the edge, and the texts of a map are within their cells.
async function check_edges(width) {
  const beyond = await value_of(`[...document.querySelectorAll(".cards td")].filter((cell) =>
    cell.getBoundingClientRect().right > window.innerWidth || cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`);
  expect(beyond.length === 0, `beyond the edge of ${width} px: ${beyond}`);
  const cut = await value_of(`(() => { const cut = []; let box = null;
    for (const part of document.querySelectorAll("#map svg > *")) {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      if (part.tagName === "rect") box = { left, right, top, bottom };
      else if (box && (left < box.left || right > box.right || top < box.top || bottom > box.bottom)) cut.push(part.textContent);
    }
    return cut; })()`);
  expect(cut.length === 0, `beyond a cell of the map at ${width} px: ${cut}`);
}

// A click on a head sorts by it, a second one the other way; the best is bold.
async function check_summary(lines) {
  const column = "[...document.querySelectorAll('#summary tbody tr')].map((row) => Number.parseFloat(row.cells[COLUMN].textContent))";
  const at = await value_of("[...document.querySelectorAll('#summary th')].findIndex((head) => head.textContent === 'final accuracy')");
  const head = `#summary th:nth-child(${at + 1})`, values = () => value_of(column.replace("COLUMN", at));
  await click(head);
  const falling = await values();
  expect(falling.every((value, i) => i === 0 || value <= falling[i - 1]), `not sorted, largest first: ${falling}`);
  await click(head);
  const rising = await values();
  expect(rising.every((value, i) => i === 0 || value >= rising[i - 1]), `not sorted, smallest first: ${rising}`);
  if (lines > 1) expect(await value_of("document.querySelectorAll('#summary td.best').length > 0"), "nothing is best");
  const first = await value_of("document.querySelector('#summary tbody td').textContent");
  const search = (text) => value_of(`(() => { const e = document.getElementById("search"); e.value = ${JSON.stringify(text)};
    e.dispatchEvent(new Event("input")); return [...document.querySelectorAll('#summary tbody tr')].map((row) => row.textContent); })()`);
  const found = await search(first.toUpperCase());
  expect(found.length > 0 && found.every((row) => row.includes(first)), `a search for ${first} finds ${found}`);
  expect((await search("no such words")).length === 0, "a search for what is not there finds something");
  await search("");
}

// The mean over all workers that are drawn is the mean's line, where all count and none is left out.
async function check_workers() {
  const off = await value_of(`Math.max(...data.runs.filter((run) => run.worker_curves.more === 0).map((run) => {
    const { at, names, curves } = run.worker_curves;
    return Math.max(...at.map((place, i) => Math.abs(run.curve.accuracy[place] -
      curves.accuracy.reduce((sum, values) => sum + values[i], 0) / names.length)));
  }))`);
  expect(off < 1e-5, `workers' accuracies differ from their mean by ${off}`);
}

// Smoothing keeps a line's ends, its straight parts and its length.
async function check_smoothing() {
  expect(await value_of("JSON.stringify(smoothed([0, 2, 4, 6].map((y, x) => ({ x, y })), 3).map(({ y }) => y)) === '[0,2,4,6]'"),
         "smoothing bends a straight line");
  expect(await value_of("JSON.stringify(smoothed([0, 3, 0, 3, 0].map((y, x) => ({ x, y })), 3).map(({ y }) => y)) === '[0,1,2,1,0]'"),
         "smoothing takes no means of three");
  await choose("smoothing", "5");
  expect((await drawn()).includes("means of 5 neighbouring"), "does not say that lines are smoothed");
  await choose("smoothing", "1");
}

async function drag(selector, from, to) {
  const frame = await value_of(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
    e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return { x: r.x, y: r.y, w: r.width, h: r.height }; })()`);
  const at = ([x, y]) => ({ x: frame.x + x * frame.w, y: frame.y + y * frame.h });
  await send("Input.dispatchMouseEvent", { type: "mousePressed", ...at(from), button: "left", clickCount: 1 });
  await send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at(to), button: "left", buttons: 1 });
  await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at(to), button: "left", clickCount: 1 });
  await settled();
  return at(to);
}
async function double_click(place) {
  for (const clickCount of [1, 2]) {
    for (const type of ["mousePressed", "mouseReleased"]) {
      await send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount });
    }
  }
  await settled();
}

// A drag shows the part that it was over, in the address, too; a double click, or the button, shows the whole.
async function check_zoom() {
  const range = () => value_of("[chart.scales.x.min, chart.scales.x.max, chart.scales.y.min, chart.scales.y.max]");
  const whole = await range();
  const end = await drag("#curves", [0.4, 0.3], [0.7, 0.6]);
  const part = await range();
  expect(part[0] > whole[0] && part[1] < whole[1] && part[2] > whole[2] && part[3] < whole[3], `a drag shows ${part} of ${whole}`);
  expect((await value_of("location.hash")).includes("zoom="), "what is shown is not in the address");
  await double_click(end);
  expect(String(await range()) === String(whole), `a double click goes back to ${await range()}, not ${whole}`);
  await drag("#curves", [0.4, 0.5], [0.7, 0.5]);
  const wide = await range();
  expect(wide[0] > whole[0] && wide[2] === whole[2], `a drag to the side shows ${wide} of ${whole}`);
  await click("#whole");
  expect(String(await range()) === String(whole), "the button does not go back");
  await click("#log-y");
  expect(await value_of("chart.scales.y.type === 'logarithmic' && chart.scales.y.min > 0"), "the y axis is not logarithmic");
  await click("#log-y");
}

// Two runs of different scenarios differ in the system at least; a run and itself in nothing.
async function check_pair() {
  if (await value_of("data.runs.length < 2")) return;
  const rows = "[...document.querySelectorAll('#differences tbody tr')].map((row) => row.cells[0].textContent)";
  const other = await value_of("data.runs.findIndex((run) => data.groups[run.group].scheme !== data.groups[data.runs[0].group].scheme)");
  await choose("first", "0");
  await choose("second", String(Math.max(other, 0)));
  if (other > 0) expect((await value_of(rows)).includes("algorithm.name"), `differ in ${await value_of(rows)}`);
  expect((await value_of("document.querySelectorAll('#pair tbody tr').length")) > 5, "too little is compared");
  expect((await value_of("against(0.5, 0.5, 'best_accuracy')")) === "0", "no difference has a sign");
  expect((await value_of("against(0.75, 0.5, 'best_accuracy')")) === "−0.25", "a difference has no sign");
  expect(await value_of("pair_chart.data.datasets.length === 2"), "not two curves");
  await choose("second", "0");
  expect((await value_of(rows)).length === 0, "a run differs from itself");
}

// A traced run's messages: each from its sender's row to its target's.
async function check_messages() {
  const traced = await value_of("data.runs.findIndex((run) => run.timeline.exact)");
  if (traced < 0) return;
  await choose("run", String(traced));
  await click("#arrows");
  const spans = "data.runs[" + traced + "].timeline.spans.filter((span) => span[1] === 'send' && span[5] !== undefined)";
  const [drawn_ones, sent] = await value_of(`[document.querySelectorAll('#timeline line').length, ${spans}.length]`);
  expect(drawn_ones > 0 && drawn_ones <= sent, `${drawn_ones} messages of ${sent} are drawn`);
  expect(await value_of(`${spans}.every((span) => span[5] !== span[0])`), "a node sends to itself");
  await drag("#timeline", [0.4, 0.4], [0.6, 0.4]);
  expect((await value_of("document.querySelectorAll('#timeline line').length")) < drawn_ones, "a drag shows no part of the time");
  expect((await value_of("links_range.join()")) === (await value_of("timeline_range.join()")), "links show another time");
  await click("#whole-time");
  expect((await value_of("document.querySelectorAll('#timeline line').length")) === drawn_ones, "the button does not go back");
  await click("#arrows");
}

// What is hidden stays so when the address is opened again; a tooltip tells every line; what is saved is what is drawn.
async function check_state() {
  await click("#schemes input");
  await click("#log-x");
  const before = await drawn();
  await send("Page.reload");
  await pause(200);
  await until("document.documentElement?.dataset.ready === 'yes'");
  await settled();
  expect((await drawn()) === before, `reloaded, it says "${await drawn()}", not "${before}"`);
  expect(await value_of("document.getElementById('log-x').checked"), "reloaded, the axis is no longer logarithmic");
  await click("#log-x");
  await click("#schemes input");
  const lines = await value_of("chart.data.datasets.filter((set) => !set.isBand && set.data.length > 0).length");
  const middle = await value_of(`(() => { const e = document.getElementById("curves");
    e.scrollIntoView({ block: "center" });
    const r = e.getBoundingClientRect();
    return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
  await send("Input.dispatchMouseEvent", { type: "mouseMoved", ...middle });
  await pause(100);
  await settled();
  const told = await value_of("(chart.tooltip.dataPoints || []).length");
  expect(told === lines, `a tooltip tells ${told} lines, not ${lines}`);
  expect(await value_of("picture_of(chart.canvas).startsWith('data:image/png')"), "there is no picture to save");
  const rows = await value_of("curves_csv().trim().split('\\n').length");
  const points = await value_of("chart.data.datasets.reduce((sum, set) => sum + (set.isBand ? 0 : set.data.length), 0)");
  expect(rows === points + 1, `${rows} rows to save, not ${points + 1}`);
}

async function check() {
  const { targetInfos } = await send("Target.getTargets");
  const { targetId } = targetInfos.find((target) => target.type === "page");
  session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  await send("Performance.enable", { timeDomain: "threadTicks" });
  await send("Page.navigate", { url: pathToFileURL(page).href });
  await until("document.documentElement?.dataset.ready === 'yes'");
  await settled();
  const { metrics } = await send("Performance.getMetrics");
  const opened = metrics.find((metric) => metric.name === "TaskDuration").value;

  const count = (drawn, of) => `${drawn} ${drawn === 1 ? "line" : "lines"} of ${of} ${of === 1 ? "run" : "runs"}`;
  const first = await drawn();
  const drawn_at_first = lines + (await value_of("data.groups.filter(({ runs }) => runs === 2).length"));  // of two seeds both
  expect(first.startsWith(count(drawn_at_first, runs)), `says "${first}", not "${count(drawn_at_first, runs)}"`);
  const pixels = "document.getElementById('curves').toDataURL().length";
  const before = await value_of(pixels);
  await click("#schemes input");
  expect(Number.parseInt(await drawn()) < lines, "a click on a scheme does not take its line away");
  expect((await value_of(pixels)) !== before, "a click on a scheme does not change the picture");
  await click("#schemes input");
  expect((await drawn()) === first, "a second click does not bring it back");
  await click("#seeds input");
  expect((await drawn()) !== first, "a click on a seed takes no runs away");
  await click("#seeds input");
  await choose("lines", "runs");
  expect((await drawn()).startsWith(count(runs, runs)), "every run is not drawn by itself");
  await choose("lines", "workers");
  const workers = await value_of("data.runs.reduce((sum, run) => sum + run.worker_curves.names.length, 0)");
  expect((await drawn()).startsWith(count(workers, runs)), `says "${await drawn()}", not that it draws ${workers} workers`);
  await choose("lines", "means");
  for (const axis of ["bytes", "iterations", "epochs", "time"]) await choose("x-axis", axis);
  for (const measure of ["loss", "train_loss", "accuracy"]) await choose("y-axis", measure);
  expect((await value_of("document.querySelectorAll('#summary tbody tr').length")) === lines, "not a row per line");
  for (const run of new Set([runs - 1, 0])) {
    await choose("run", String(run));
    for (const id of ["timeline", "links", "matrix"]) {
      expect(await value_of(`document.querySelectorAll("#${id} rect").length > 0`), `${id} of run ${run} is empty`);
    }
  }
  await check_answer(lines);
  await check_targets();
  await check_summary(lines);
  await check_workers();
  await check_smoothing();
  await check_zoom();
  await check_pair();
  await check_messages();
  await check_state();
  await look(1200, 900, "light");
  await look(1280, 900, "light");
  await check_edges(1280);
  const light = await back();
  await look(1400, 900, "light");
  const [needed, room] = await value_of(
    "(({ scrollWidth, parentElement }) => [scrollWidth, parentElement.clientWidth])(document.getElementById('summary'))");
  expect(needed <= room, `the summary is ${needed} px wide, of which ${room} are shown`);
  await look(1280, 900, "dark");
  expect((await back()) !== light, "dark mode is not dark");
  await look(390, 844, "dark");
  await look(390, 844, "light");
  await check_edges(390);
  return opened;
}

const deadline = setTimeout(() => { browser.kill("SIGKILL"); console.log("took too long"); process.exit(1); }, 240000);
let opened = 0;
try {
  opened = await check();
} catch (error) {
  wrong.push(error.message);
}
clearTimeout(deadline);
const gone = new Promise((done) => browser.on("exit", done));
browser.kill("SIGKILL");
await gone;
// The browser's own children may write for a moment longer.
for (let left = 30; left > 0; --left) {
  try {
    rmSync(profile, { recursive: true, force: true });
    break;
  } catch {
    await new Promise((done) => setTimeout(done, 100));
  }
}
for (const line of wrong) console.log(line);
console.log(`opened in ${Math.round(1000 * opened)} ms of CPU`);
process.exit(wrong.length ? 1 : 0);
