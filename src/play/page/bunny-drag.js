// Drags tiles, by mouse, pen and finger.

import { el } from "./dom.js";

const MIN_DRAG = 6; // pixels; a shorter movement is a click
/** A drop goes into a loop if it is at least this far inside the loop's box, in pixels. */
const INSET = 8;

const within = ({ left, right, top, bottom }, x, y, inset = 0) =>
  x > left + inset && x < right - inset && y > top + inset && y < bottom - inset;
const placeOf = (text) => text.split(".").map(Number);

/** The number of nodes before a point, in a list with line breaks. */
function indexAt(children, x, y) {
  const isBefore = ({ left, right, top, bottom }) => y > bottom || (y >= top && x > (left + right) / 2);
  return children.filter((child) => isBefore(child.getBoundingClientRect())).length;
}

/**
 * The drop target at a point: a place in the program, and the node after the place; `null` outside the program.
 * The last node of a list is its slot.
 */
function dropAt(program, root, x, y, isAllowed) {
  if (!within(program.getBoundingClientRect(), x, y, -16)) return null;
  let [list, outer] = [root, []];
  for (;;) {
    const children = [...list.children];
    const inner = children.findIndex((child) =>
      child.classList.contains("loop") && within(child.getBoundingClientRect(), x, y, INSET));
    if (inner < 0 || !isAllowed([...outer, inner, 0])) {
      const index = Math.min(indexAt(children, x, y), children.length - 1);
      return { place: [...outer, index], before: children[index] };
    }
    outer = [...outer, inner];
    list = children[inner].querySelector(":scope > .tiles");
  }
}

/** Suppresses the click after a drag. */
function swallowClick() {
  const swallow = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }));
}

/**
 * Makes the tiles of a program and of a tray draggable.
 * @param {{program: HTMLElement, root: HTMLElement, tray: HTMLElement, canDrop: (from: ?number[], place: number[]) =>
 *   boolean, drop: (dropped: {from: ?number[], kind: ?string, to: ?(number[]|"bin")}) => void}} options
 */
export function dragTiles({ program, root, tray, canDrop, drop }) {
  const mark = el("div", { class: "drop-mark", hidden: true });
  program.append(mark);
  let drag = null;

  function begin(event, node, from, kind) {
    if (event.button !== 0 || drag) return;
    drag = { id: event.pointerId, node, from, kind, x: event.clientX, y: event.clientY, ghost: null, to: null };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", cancel);
    addEventListener("keydown", escape, true);
  }
  function lift() {
    const { width, height } = drag.node.getBoundingClientRect();
    drag.ghost = drag.node.cloneNode(true);
    drag.ghost.classList.add("ghost");
    drag.ghost.removeAttribute("id");
    drag.ghost.setAttribute("aria-hidden", "true");
    drag.ghost.style.setProperty("--w", `${width}px`);
    drag.ghost.style.setProperty("--h", `${height}px`);
    drag.node.classList.add("lifted");
    document.body.append(drag.ghost);
    document.body.classList.add("dragging");
  }
  function move(event) {
    if (event.pointerId !== drag.id) return;
    const { clientX: x, clientY: y } = event;
    if (!drag.ghost && Math.hypot(x - drag.x, y - drag.y) < MIN_DRAG) return;
    if (!drag.ghost) lift();
    drag.ghost.style.setProperty("--x", `${x}px`);
    drag.ghost.style.setProperty("--y", `${y}px`);
    const isBin = within(tray.getBoundingClientRect(), x, y);
    const target = isBin ? null : dropAt(program, root, x, y, (place) => canDrop(drag.from, place));
    drag.to = isBin ? "bin" : target && target.place;
    drag.ghost.classList.toggle("bin", isBin && Boolean(drag.from));
    showMark(target?.before);
  }
  function showMark(before) {
    mark.hidden = !before;
    if (!before) return;
    const [box, rect] = [program.getBoundingClientRect(), before.getBoundingClientRect()];
    mark.style.setProperty("--x", `${rect.left - box.left + program.scrollLeft - 6}px`);
    mark.style.setProperty("--y", `${rect.top - box.top + program.scrollTop}px`);
    mark.style.setProperty("--h", `${rect.height}px`);
  }
  function finish() {
    const { node, ghost } = drag;
    ghost?.remove();
    node.classList.remove("lifted");
    document.body.classList.remove("dragging");
    mark.hidden = true;
    drag = null;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", cancel);
    removeEventListener("keydown", escape, true);
  }
  function end(event) {
    if (event.pointerId !== drag.id) return;
    const { ghost, from, kind, to } = drag;
    finish();
    if (!ghost) return;
    swallowClick();
    drop({ from, kind, to });
  }
  function cancel(event) {
    if (event.pointerId === drag.id) finish();
  }
  function escape(event) {
    if (event.key !== "Escape" || !drag.ghost) return;
    event.stopPropagation();
    swallowClick();
    finish();
  }

  program.addEventListener("pointerdown", (event) => {
    const tile = event.target.closest(".tile");
    if (!tile) return;
    const node = tile.parentElement.classList.contains("loop") ? tile.parentElement : tile;
    begin(event, node, placeOf(tile.dataset.place), null);
  });
  tray.addEventListener("pointerdown", (event) => {
    const tile = event.target.closest("[data-kind]");
    if (tile) begin(event, tile, null, tile.dataset.kind);
  });
}
