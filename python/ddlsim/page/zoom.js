// A drag over a chart or a drawing chooses a part of it; a double click goes back to the whole.
const least_drag = 8;  // pixels; less is a click

// `area()` is where in `element` one can choose; `chosen` gets a part of it: left, right, top, bottom, in pixels.
function on_drag(element, { area, chosen, back }) {
  let from = null, box = null;
  const place = (event) => {
    const frame = element.getBoundingClientRect(), limits = area();
    const within = (value, low, high) => Math.min(Math.max(value, low), high);
    return { x: within(event.clientX - frame.left, limits.left, limits.right),
             y: within(event.clientY - frame.top, limits.top, limits.bottom) };
  };
  const part = (to) => ({ left: Math.min(from.x, to.x), right: Math.max(from.x, to.x),
                          top: Math.min(from.y, to.y), bottom: Math.max(from.y, to.y) });
  const end = () => {
    box?.remove();
    from = box = null;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !area()) return;
    from = place(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (!from) return;
    const { left, right, top, bottom } = part(place(event));
    if (!box && right - left < least_drag) return;
    if (!box) {
      element.setPointerCapture(event.pointerId);
      box = element.appendChild(Object.assign(document.createElement("div"), { className: "dragged" }));
    }
    const place_of = { left, top, width: right - left, height: bottom - top };
    for (const [side, pixels] of Object.entries(place_of)) box.style[side] = `${pixels}px`;
  });
  element.addEventListener("pointerup", (event) => {
    const rectangle = box && part(place(event));
    end();
    if (rectangle && rectangle.right - rectangle.left >= least_drag) chosen(rectangle);
  });
  element.addEventListener("pointercancel", end);
  element.addEventListener("dblclick", back);
}
