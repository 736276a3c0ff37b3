// A board on a canvas, frame by frame: slider, play and pause, arrow keys, symbols of the colours, caption.

import { el, svg, setText, show, uniqueId, choice } from "./dom.js";
import { plural } from "./format.js";

const MOST_WIDTH = 440;
const MOST_HEIGHT = 520;
const FRAME_MILLISECONDS = 450;
const INK = "#101418";
const HALO = "#ffffff";
// The corners of an arrow, in eighths of a cell.
const ARROWS = {
  ">": [[2, 1], [7, 4], [2, 7]],
  "<": [[6, 1], [1, 4], [6, 7]],
  v: [[1, 2], [4, 7], [7, 2]],
  "^": [[1, 6], [4, 1], [7, 6]],
};
const ICONS = {
  back: "M11 2v12L3 8zM2 2h1.6v12H2z",
  forward: "M5 2v12l8-6zM12.4 2H14v12h-1.6z",
  play: "M4 1.5v13L14 8z",
  pause: "M3 2h3.6v12H3zM9.4 2H13v12H9.4z",
};

function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** The cells of a frame, computed from the frame that was shown before. */
function cellsAt(film, at, before) {
  const isNext = before && before.film === film && before.at <= at;
  const cells = isNext ? before.cells : Int16Array.from(film.frames[0]?.cells ?? []);
  for (let frame = isNext ? before.at + 1 : 1; frame <= at; frame += 1) {
    const changes = film.frames[frame].changes ?? [];
    for (let index = 0; index + 1 < changes.length; index += 2) cells[changes[index]] = changes[index + 1];
  }
  return { film, at, cells };
}

/** Black or white, whichever contrasts more with a colour. */
function inkOn(colour) {
  const part = (from) => (parseInt(colour.slice(from, from + 2), 16) / 255) ** 2.2;
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.18 ? INK : HALO;
}

function drawCells(pen, film, cells, cell, background) {
  for (let index = 0; index < film.rows * film.cols; index += 1) {
    const [x, y] = [(index % film.cols) * cell, Math.floor(index / film.cols) * cell];
    pen.fillStyle = cells[index] < 0 ? background : film.colours[cells[index]] ?? background;
    pen.fillRect(x, y, cell, cell);
  }
  const line = Math.max(1, Math.round(cell / 30));
  if (cell < 8) return;
  pen.fillStyle = "rgb(0 0 0 / 22%)";
  for (let row = 1; row < film.rows; row += 1) pen.fillRect(0, row * cell, film.cols * cell, line);
  for (let col = 1; col < film.cols; col += 1) pen.fillRect(col * cell, 0, line, film.rows * cell);
}

function drawSymbols(pen, film, cells, cell) {
  const longest = Math.max(1, ...film.labels.map((label) => label.length));
  pen.font = `500 ${Math.round((cell * 0.54) / Math.max(1, longest * 0.7))}px system-ui, sans-serif`;
  [pen.textAlign, pen.textBaseline] = ["center", "middle"];
  const inks = film.colours.map(inkOn);
  for (const [index, colour] of cells.entries()) {
    if (colour < 0) continue;
    const [x, y] = [(index % film.cols) * cell, Math.floor(index / film.cols) * cell];
    pen.fillStyle = inks[colour];
    pen.fillText(film.labels[colour] ?? "", x + cell / 2, y + cell / 2 + cell / 24);
  }
}

/** The border between marked cells and all others. */
function borderPath(film, marks, cell) {
  const isMarked = (row, col) => row >= 0 && col >= 0 && row < film.rows && col < film.cols
    && "*+".includes(marks[row * film.cols + col] ?? " ");
  const path = new Path2D();
  const edge = (row, col, down, right) => {
    path.moveTo(col * cell, row * cell);
    path.lineTo((col + right) * cell, (row + down) * cell);
  };
  for (let row = 0; row <= film.rows; row += 1) {
    for (let col = 0; col <= film.cols; col += 1) {
      if (isMarked(row, col) !== isMarked(row - 1, col)) edge(row, col, 0, 1);
      if (isMarked(row, col) !== isMarked(row, col - 1)) edge(row, col, 1, 0);
    }
  }
  return path;
}

/** Draws a path in dark ink with a light edge, which shows on every colour. */
function strokeTwice(pen, path, width) {
  [pen.lineCap, pen.lineJoin] = ["square", "miter"];
  for (const [colour, factor] of [[HALO, 2.2], [INK, 1]]) {
    [pen.strokeStyle, pen.lineWidth] = [colour, width * factor];
    pen.stroke(path);
  }
}

function drawMarks(pen, film, marks, cell, unit, hasSymbols) {
  if (!marks) return;
  strokeTwice(pen, borderPath(film, marks, cell), Math.max(unit, Math.min(2.5 * unit, cell / 9)));
  for (let index = 0; index < marks.length; index += 1) {
    const [x, y] = [(index % film.cols) * cell, Math.floor(index / film.cols) * cell];
    const corners = ARROWS[marks[index]];
    const path = new Path2D();
    if (corners) {
      for (const [right, down] of corners) path.lineTo(x + (cell * right) / 8, y + (cell * down) / 8);
      path.closePath();
    } else if (marks[index] === "*" && cell >= 5) {
      path.arc(x + cell / 2, y + cell / 2, hasSymbols ? cell * 0.4 : cell / 5, 0, 2 * Math.PI);
    } else continue;
    const isRing = !corners && hasSymbols;
    strokeTwice(pen, path, Math.max(unit, Math.min(2 * unit, cell / 12)));
    pen.fillStyle = INK;
    if (!isRing) pen.fill(path);
  }
}

/** Draws a frame as large as `width` allows, on whole pixels of the screen. */
function drawFrame(canvas, shown, width, hasSymbols) {
  const { film, at, cells } = shown;
  const ratio = window.devicePixelRatio || 1;
  const room = Math.min(width, MOST_WIDTH) - 6;
  const cell = Math.max(1, Math.floor(ratio * Math.min(room / film.cols, MOST_HEIGHT / film.rows, 48)));
  const edge = Math.round(3 * ratio);
  canvas.width = film.cols * cell + 2 * edge;
  canvas.height = film.rows * cell + 2 * edge;
  canvas.style.setProperty("width", `${canvas.width / ratio}px`);
  const pen = canvas.getContext("2d");
  pen.translate(edge, edge);
  drawCells(pen, film, cells, cell, getComputedStyle(canvas).getPropertyValue("--empty").trim() || "#888");
  const isReadable = hasSymbols && cell / ratio >= 10;
  if (isReadable) drawSymbols(pen, film, cells, cell);
  drawMarks(pen, film, film.frames[at].marks, cell, ratio, isReadable);
}

function controls(act) {
  const button = (name, label, click) =>
    el("button", { type: "button", class: "square", title: label, on: { click } }, icon(name));
  const speeds = [1, 2, 4, 8].map((speed) => el("option", { value: speed }, `${speed}×`));
  const parts = {
    back: button("back", "one step back", () => act.step(-1)),
    play: button("play", "play", () => act.toggle()),
    forward: button("forward", "one step on", () => act.step(1)),
    slider: el("input", { type: "range", min: 0, step: 1, "aria-label": "step of the solution",
      on: { input: (event) => act.seek(Number(event.target.value)) } }),
    speed: el("select", { "aria-label": "speed" }, ...speeds),
    place: el("span", { class: "n" }),
  };
  const element = el("div", { class: "controls" },
    parts.back, parts.play, parts.forward, parts.slider, parts.place, parts.speed);
  return { ...parts, element };
}

/**
 * A player of films. `update` takes a film; the step that is shown stays if the film is of the same board.
 * @returns {{element: HTMLElement, update: (film: object) => void, say: (text: string) => void}}
 */
export function player() {
  const state = { shown: null, timer: 0, width: 0 };
  const captionId = uniqueId("caption");
  const canvas = el("canvas", { role: "img", "aria-describedby": captionId });
  const caption = el("p", { class: "caption", id: captionId });
  const bar = controls({ step, toggle, seek });
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", () => {
    choice("symbols", String(box.checked));
    draw();
  });
  box.checked = choice("symbols") !== "false";
  const symbols = el("label", { class: "check" }, box, "symbols");
  const stage = el("div", { class: "stage" }, canvas);
  const element = el("div", { class: "player" },
    stage, bar.element, el("div", { class: "row" }, caption, symbols));

  for (const part of [bar.element, canvas, symbols]) show(part, false);

  function draw() {
    if (!state.shown) return;
    const { film, at } = state.shown;
    const { caption: text = "" } = film.frames[at];
    drawFrame(canvas, state.shown, state.width || MOST_WIDTH, box.checked);
    setText(caption, text);
    setText(bar.place, `${at} / ${film.frames.length - 1}`);
    bar.slider.max = String(film.frames.length - 1);
    bar.slider.value = String(at);
    bar.slider.setAttribute("aria-valuetext", text);
    canvas.setAttribute("aria-label", `board ${film.name}, ${plural(film.rows, "row")}, ${plural(film.cols, "column")}`);
  }
  function go(at) {
    if (!state.shown) return;
    const { film } = state.shown;
    state.shown = cellsAt(film, Math.max(0, Math.min(film.frames.length - 1, at)), state.shown);
    draw();
  }
  function seek(at) {
    stop();
    go(at);
  }
  function step(by) {
    seek(state.shown.at + by);
  }
  function stop() {
    clearTimeout(state.timer);
    state.timer = 0;
    showButton("play");
  }
  function showButton(name) {
    if (bar.play.title === name) return;
    bar.play.title = name;
    bar.play.replaceChildren(icon(name));
  }
  function toggle() {
    if (state.timer) return stop();
    if (state.shown.at === state.shown.film.frames.length - 1) go(0);
    showButton("pause");
    state.timer = setTimeout(next, FRAME_MILLISECONDS / Number(bar.speed.value));
  }
  function next() {
    go(state.shown.at + 1);
    const isLast = state.shown.at === state.shown.film.frames.length - 1;
    if (isLast || !element.isConnected) return stop();
    state.timer = setTimeout(next, FRAME_MILLISECONDS / Number(bar.speed.value));
  }
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width < 20 || contentRect.width === state.width) return;
    state.width = contentRect.width;
    draw();
  }).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  function update(film) {
    if (!film.frames?.length) return say("The film has no frames.");
    const before = state.shown?.film;
    const last = film.frames.length - 1;
    const isSame = before && before.name === film.name && before.frames.length > 1;
    const wasAtEnd = isSame && state.shown.at === before.frames.length - 1;
    if (!isSame || last === 0) stop();
    const at = wasAtEnd ? last : isSame ? Math.min(state.shown.at, last) : 0;
    state.shown = cellsAt(film, at, null);
    show(bar.element, last > 0);
    show(canvas, true);
    show(symbols, true);
    draw();
  }
  /** Says why there is no film. */
  function say(text) {
    stop();
    state.shown = null;
    for (const part of [bar.element, canvas, symbols]) show(part, false);
    setText(caption, text);
  }
  return { element, update, say };
}
