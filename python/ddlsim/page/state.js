// The page's state is in the URL, so that a link shows the same.
const opened_with = new URLSearchParams(location.hash.slice(1));
const remembered = [];

// `get` says what is chosen, as texts (none: nothing but the default); `set` chooses it when the page is opened.
function remember(key, get, set) {
  if (opened_with.has(key)) set(opened_with.getAll(key));
  remembered.push([key, get]);
}

function keep_state() {
  const state = new URLSearchParams();
  for (const [key, get] of remembered) for (const text of get()) state.append(key, text);
  const text = state.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}
addEventListener("hashchange", () => location.reload());

// Two numbers, the first below the second, as the address has them; null: they are not.
const range_text = (range) => range.map((value) => value.toPrecision(6)).join();
function range_in(text) {
  const range = text.split(",").map(Number);
  return range.length === 2 && range.every(Number.isFinite) && range[0] < range[1] ? range : null;
}

// A change of the control does `act`.
function control(element, act) {
  if (element.type === "checkbox") {
    remember(element.id, () => (element.checked ? ["1"] : []), () => { element.checked = true; });
  } else {
    const usual = element.value;
    remember(element.id, () => (element.value === usual ? [] : [element.value]), ([value]) => {
      if (!element.options || [...element.options].some((option) => option.value === value)) element.value = value;
    });
  }
  element.addEventListener(element.type === "search" ? "input" : "change", () => {
    act();
    keep_state();
  });
}
