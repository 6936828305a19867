// Which scheme is best: ranked, and as a map where two settings vary.
function answer_value({ value, group }) {
  if (!value) {
    const [, , count] = data.groups[group].measures[`${data.metric.time_to}.${data.answer.target}`] || [null, null, 0];
    return count > 0 ? "not reached by all runs" : "not reached";
  }
  const format = data.answer.target === null ? plain : seconds;
  return format(value[0]) + (value[1] ? ` ± ${format(value[1])}` : "");
}
const certainty_of = ({ clear, order }) =>
  order.length < 2 ? "" : order.filter(({ value }) => value).length < 2 ? "no other gets there" : clear === null ? "not tested: fewer than three seeds" :
    clear ? "differs from the second" : "within noise of the second";

const best_in = (ranking) => data.groups[ranking.order[0].group].scheme;
const measure_of = ({ target }) =>
  (target === null ? `final test ${data.metric.word}` : `simulated time to ${data.metric.word} ${target}`);
const answer_by = () => measure_of(data.answer);
const answer_cell = (entry) => ({ text: answer_value(entry), value: entry.value ? entry.value[0] : null });

// All schemes where there is one condition, otherwise the best of each.
function fill_ranking() {
  const { rankings, target } = data.answer, by = { name: answer_by(), larger_first: target === null && !data.metric.less_is_better };
  if (rankings.length === 1) {
    const rows = rankings[0].order.map((entry) => [scheme_cell(data.groups[entry.group].scheme), answer_cell(entry)]);
    fill_table(by_id("answer"), ["scheme", by], rows, fill_ranking);
  } else {
    const rows = rankings.map((ranking) =>
      [scheme_cell(best_in(ranking)), ...ranking.condition, answer_cell(ranking.order[0]), certainty_of(ranking)]);
    fill_table(by_id("answer"), ["best", ...data.varied, by, "certainty"], rows, fill_ranking);
  }
}

const letter_width = 7.5, line_height = 16, least_cell = 72;  // of a map, in pixels

// Broken behind a blank or a mark where there is one, into lines of so many letters.
function lines_in(text, letters) {
  const lines = [""];
  for (const part of text.replaceAll(no_break, " ").match(/[^ _=,-]*[ _=,-]?/g).filter(Boolean)) {
    if ((lines.at(-1) + part.trimEnd()).length > letters && lines.at(-1)) lines.push("");
    lines[lines.length - 1] += part;
  }
  return lines.flatMap((line) => line.match(new RegExp(`.{1,${Math.max(1, letters)}}`, "g"))).map((line) => line.trim());
}

// A cell per condition, where two settings vary, in the colour of its best scheme.
function draw_map() {
  const { rankings } = data.answer, holder = by_id("map");
  if (data.varied.length !== 2 || rankings.length < 2) return holder.replaceChildren();
  const values = [0, 1].map((i) => [...new Set(rankings.map(({ condition }) => condition[i]))]);
  const letters = Math.max(...values[1].map((value) => value.length));
  const left = 14 + letter_width * letters;
  // As wide as the page, if cells have room for words; otherwise it scrolls.
  const room = Math.max(least_cell, Math.min(190, (holder.clientWidth - left) / values[0].length));
  const across = Math.max(...values[0].map((value) => value.length)) * letter_width + 4;
  const cell = Math.max(room, across), fits = Math.floor((cell - 10) / letter_width);
  const texts = rankings.map((ranking) => [best_in(ranking), answer_value(ranking.order[0])].flatMap((text) => lines_in(text, fits)));
  const row = 12 + line_height * Math.max(...texts.map((lines) => lines.length));
  const { root } = canvas_in(holder, row * values[1].length + 24, left + cell * values[0].length);
  values[1].forEach((value, i) =>
    svg("text", { x: left - 8, y: i * row + row / 2 + 4, "text-anchor": "end" }, root, value));
  values[0].forEach((value, i) =>
    svg("text", { x: left + (i + 0.5) * cell, y: row * values[1].length + 16, "text-anchor": "middle", class: "axis" }, root,
        value));
  holder.append(Object.assign(document.createElement("p"),
                              { className: "note", textContent: `${data.varied[1]} down, ${data.varied[0]} across` }));
  rankings.forEach((ranking, at) => {
    const x = left + values[0].indexOf(ranking.condition[0]) * cell, y = values[1].indexOf(ranking.condition[1]) * row;
    const scheme = best_in(ranking), value = answer_value(ranking.order[0]);
    const colour = colour_of(schemes.indexOf(scheme));
    const box = svg("rect", { x: x + 1, y: y + 1, width: cell - 4, height: row - 4, stroke: colour,
                              fill: with_alpha(colour, 0.15) }, root);
    const where = data.varied.map((path, i) => `${path} ${ranking.condition[i]}`).join(", ");
    hint(box, `${where}: ${scheme}, ${value}${certainty_of(ranking) && ` (${certainty_of(ranking)})`}`);
    texts[at].forEach((text, i) =>
      svg("text", { x: x + cell / 2 - 1, y: y + line_height * (i + 1) + 1, "text-anchor": "middle", "pointer-events": "none" },
          root, text));
  });
}

function show_verdict() {
  const by = answer_by(), { rankings } = data.answer;
  if (rankings.length === 1) {
    const [ranking] = rankings, noise = certainty_of(ranking), second = ranking.order[1];
    by_id("verdict").textContent = `Best by ${by}: ${best_in(ranking)}, ${answer_value(ranking.order[0])}` +
      (second ? `; then ${data.groups[second.group].scheme}, ${answer_value(second)}` : "") + (noise ? ` (${noise}).` : ".");
  } else {
    const wins = new Map();
    for (const ranking of rankings) wins.set(best_in(ranking), (wins.get(best_in(ranking)) || 0) + 1);
    const most = [...wins].sort((a, b) => b[1] - a[1]);
    by_id("verdict").textContent = `Best by ${by}: ` +
      most.map(([scheme, count]) => `${scheme} in ${count}`).join(", ") + ` of ${rankings.length} conditions.`;
  }
}

function show_answer() {
  show_verdict();
  fill_ranking();
  draw_map();
}

function fill_answer() {
  const { rankings, text } = data.answer, by = by_id("answer-by");
  if (text) {
    by_id("verdict").textContent = text;
    for (const id of ["map", "answer", "answer-note"]) by_id(id).remove();
    by.parentElement.remove();
    return;
  }
  if (rankings.length === 0 || data.groups.length < 2) {
    by_id("answer-section").remove();
    return;
  }
  fill_select(by, data.answers.map((answer) => [answer.target ?? "end", measure_of(answer)]));
  by.value = data.answer.target ?? "end";
  control(by, () => {
    data.answer = data.answers[by.selectedIndex];
    show_answer();
    fill_summary();
  });
  data.answer = data.answers[by.selectedIndex];
  remember_sorting(by_id("answer"));
  show_answer();
  by_id("answer-note").textContent = "Systems count with all their runs; whether the first differs is tested by runs of the " +
    "same seed, corrected for its comparisons with all others (Holm, 5 %).";
}

