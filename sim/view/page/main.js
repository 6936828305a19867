// Puts the page together.
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
by_id("subtitle").textContent = data.subtitle;
fill_select(by_id("run"), data.runs.map((run, i) => [i, `${data.groups[run.group].label}, seed ${run.seed}`]));
fill_answer();
set_up_curves();
fill_summary();
by_id("run").addEventListener("change", () => {
  draw_run();
  keep_state();
});
draw_run();

function redraw() {
  if (chart) draw_curves();
  colour_swatches();
  draw_run();
}
let width = document.body.clientWidth;
addEventListener("resize", () => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  draw_run();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
document.documentElement.dataset.ready = "yes";
