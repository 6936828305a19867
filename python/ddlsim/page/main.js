// Puts the page together.
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
by_id("subtitle").textContent = data.subtitle;
fill_select(by_id("run"), data.runs.map((run, i) => [i, name_of(run)]));
fill_answer();
set_up_curves();
remember_sorting(by_id("summary"));
control(by_id("search"), fill_summary);
fill_summary();
set_up_pair();
set_up_run();
draw_run();

function redraw() {
  if (chart) draw_curves();
  if (pair_chart) draw_pair();
  if (by_id("answer")) show_answer();
  fill_summary();
  colour_swatches();
  draw_run();
}
let width = document.body.clientWidth;
addEventListener("resize", () => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  if (by_id("map")) draw_map();
  draw_run();
});
dark.addEventListener("change", redraw);
// A chart has the size that it has on the paper.
for (const event of ["beforeprint", "afterprint"]) {
  addEventListener(event, () => [chart, pair_chart].forEach((drawn) => drawn?.resize()));
}
document.documentElement.dataset.ready = "yes";
