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
  expect(first.startsWith(count(lines, runs)), `says "${first}", not "${count(lines, runs)}"`);
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
  await click("#each-run");
  expect((await drawn()).startsWith(count(runs, runs)), "every run is not drawn by itself");
  await click("#each-run");
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
  await check_summary(lines);
  await check_state();
  await look(1280, 900, "light");
  const light = await back();
  await look(1280, 900, "dark");
  expect((await back()) !== light, "dark mode is not dark");
  await look(390, 844, "dark");
  await look(390, 844, "light");
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
