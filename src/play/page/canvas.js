// Draws boards on a canvas: cells, flood, symbols, badges, the cursor, and the animation between positions.

import { el, setText } from "./dom.js";
import { areDistinct, inkOn } from "./palette.js";

/** The colour index of an empty cell. */
export const EMPTY = 255;
const FALL_MILLISECONDS = 190;
const FADE_MILLISECONDS = 130;
const MAX_CELL = 64;
const [INK, HALO] = ["#14181b", "#ffffff"];

/** The look of a board: its size, colours and symbols, according to the settings. */
export function lookOf({ rows, cols, symbols, colours }, settings) {
  const hasSymbols = settings.get("symbols") === "always" || !areDistinct(symbols);
  const longest = Math.max(1, ...symbols.map((symbol) => symbol.length));
  return { rows, cols, labels: symbols, colours, inks: colours.map(inkOn), hasSymbols, longest };
}

/** The pieces of a position without animation: one for each cell that is not empty. */
function stillPieces(look, cells) {
  const pieces = [];
  for (let index = 0; index < cells.length; index += 1) {
    if (cells[index] === EMPTY) continue;
    pieces.push({ colour: cells[index], x: index % look.cols, y: Math.floor(index / look.cols), alpha: 1 });
  }
  return pieces;
}

/** The rows of the non-empty cells of a column, from top to bottom. */
function columnOf(look, cells, col) {
  const rows = Array.from({ length: look.rows }, (_, row) => row);
  return rows.filter((row) => cells[row * look.cols + col] !== EMPTY);
}

/**
 * The moving pieces when `removed` cells vanish; `null` if `after` does not follow from `before`. For any corner, cells
 * keep their order within a column, and columns keep their order.
 */
function fallingPieces(look, before, after, removed) {
  const remaining = before.slice();
  for (const index of removed) remaining[index] = EMPTY;
  const columns = (cells) => Array.from({ length: look.cols }, (_, col) => [col, columnOf(look, cells, col)])
    .filter(([, rows]) => rows.length > 0);
  const [from, to] = [columns(remaining), columns(after)];
  const fits = from.length === to.length && from.every(([, rows], at) => rows.length === to[at][1].length);
  if (!fits) return null;
  return from.flatMap(([col, rows], at) => rows.map((row, n) =>
    ({ colour: remaining[row * look.cols + col], x: col, y: row, toX: to[at][0], toY: to[at][1][n] })));
}

/** The pieces between two positions; `share` is the finished fraction of the animation. */
function piecesBetween(look, before, after, removed, share) {
  if (removed) {
    const moving = fallingPieces(look, before, after, removed);
    if (!moving) return stillPieces(look, after);
    const eased = share * share * (3 - 2 * share);
    const pieces = moving.map(({ colour, x, y, toX, toY }) =>
      ({ colour, x: x + (toX - x) * eased, y: y + (toY - y) * eased, alpha: 1 }));
    const fading = removed.map((index) => ({ colour: before[index], x: index % look.cols,
      y: Math.floor(index / look.cols), alpha: Math.max(0, 1 - 2 * share) }));
    return [...fading.filter(({ alpha }) => alpha > 0), ...pieces];
  }
  const changed = stillPieces(look, after).filter(({ x, y, colour }) => before[y * look.cols + x] !== colour);
  return [...stillPieces(look, before), ...changed.map((piece) => ({ ...piece, alpha: share }))];
}

function drawPieces(pen, look, pieces, cell) {
  for (const { colour, x, y, alpha } of pieces) {
    const [left, top] = [Math.round(x * cell), Math.round(y * cell)];
    pen.globalAlpha = alpha;
    pen.fillStyle = look.colours[colour];
    pen.fillRect(left, top, cell, cell);
  }
  pen.globalAlpha = 1;
}

/** Draws gaps between cells of different colours, so that regions are visible. */
function drawGaps(pen, look, cells, cell, paper) {
  const gap = Math.max(1, Math.round(cell / 22));
  if (cell < 6) return;
  pen.fillStyle = paper;
  const isGap = (one, other) => one !== other;
  for (let index = 0; index < cells.length; index += 1) {
    const [col, row] = [index % look.cols, Math.floor(index / look.cols)];
    if (col > 0 && isGap(cells[index], cells[index - 1])) pen.fillRect(col * cell - (gap >> 1), row * cell, gap, cell);
    const above = index - look.cols;
    if (row > 0 && isGap(cells[index], cells[above])) pen.fillRect(col * cell, row * cell - (gap >> 1), cell, gap);
  }
}

function drawSymbols(pen, look, pieces, cell) {
  pen.font = `600 ${Math.round((cell * 0.5) / Math.max(1, look.longest * 0.68))}px system-ui, sans-serif`;
  [pen.textAlign, pen.textBaseline] = ["center", "middle"];
  for (const { colour, x, y, alpha } of pieces) {
    pen.globalAlpha = alpha * 0.86;
    pen.fillStyle = look.inks[colour];
    pen.fillText(look.labels[colour] ?? "", (x + 0.5) * cell, (y + 0.5) * cell + cell / 24);
  }
  pen.globalAlpha = 1;
}

/** The border around the cells for which `isInside(index)` is true. */
function borderPath(look, isInside, cell) {
  const inside = (row, col) =>
    row >= 0 && col >= 0 && row < look.rows && col < look.cols && isInside(row * look.cols + col);
  const path = new Path2D();
  const edge = (row, col, down, right) => {
    path.moveTo(col * cell, row * cell);
    path.lineTo((col + right) * cell, (row + down) * cell);
  };
  for (let row = 0; row <= look.rows; row += 1) {
    for (let col = 0; col <= look.cols; col += 1) {
      if (inside(row, col) !== inside(row - 1, col)) edge(row, col, 0, 1);
      if (inside(row, col) !== inside(row, col - 1)) edge(row, col, 1, 0);
    }
  }
  return path;
}

/** Draws a path in dark ink with a light edge, so that it is visible on every colour. */
function strokeTwice(pen, path, width) {
  [pen.lineCap, pen.lineJoin] = ["square", "miter"];
  for (const [colour, wide] of [[HALO, width * 2], [INK, width]]) {
    [pen.strokeStyle, pen.lineWidth] = [colour, wide];
    pen.stroke(path);
  }
}

function drawMarks(pen, look, marks, cell, unit) {
  if (!marks || !marks.some((mark) => mark > 0)) return;
  strokeTwice(pen, borderPath(look, (index) => marks[index] > 0, cell), Math.max(unit, Math.min(2.5 * unit, cell / 9)));
  const start = marks.indexOf(2);
  if (start < 0 || cell < 6) return;
  const dot = new Path2D();
  const [x, y] = [(start % look.cols + 0.5) * cell, (Math.floor(start / look.cols) + 0.5) * cell];
  dot.arc(x, y, look.hasSymbols ? cell * 0.38 : cell * 0.16, 0, 2 * Math.PI);
  strokeTwice(pen, dot, Math.max(unit, Math.min(2 * unit, cell / 14)));
  if (look.hasSymbols) return;
  pen.fillStyle = INK;
  pen.fill(dot);
}

function drawBadges(pen, look, badges, cell, unit) {
  const size = Math.max(9 * unit, Math.min(cell * 0.62, 22 * unit));
  pen.font = `700 ${Math.round(size * 0.62)}px system-ui, sans-serif`;
  [pen.textAlign, pen.textBaseline] = ["center", "middle"];
  for (const { index, text, isGood } of badges) {
    const [x, y] = [(index % look.cols + 0.5) * cell, (Math.floor(index / look.cols) + 0.5) * cell];
    const dot = new Path2D();
    dot.arc(x, y, size / 2, 0, 2 * Math.PI);
    pen.fillStyle = isGood ? "#00674c" : "#ffffff";
    pen.fill(dot);
    [pen.strokeStyle, pen.lineWidth] = [isGood ? "#ffffff" : INK, unit];
    pen.stroke(dot);
    pen.fillStyle = isGood ? "#ffffff" : INK;
    pen.fillText(text, x, y + size * 0.04);
  }
}

function drawHighlighted(pen, look, highlighted, cell, unit) {
  if (!highlighted.length) return;
  const isHighlighted = new Set(highlighted);
  pen.fillStyle = "rgb(255 255 255 / 30%)";
  for (const index of highlighted) {
    pen.fillRect((index % look.cols) * cell, Math.floor(index / look.cols) * cell, cell, cell);
  }
  strokeTwice(pen, borderPath(look, (index) => isHighlighted.has(index), cell), Math.max(unit, Math.min(2 * unit, cell / 10)));
}

function drawCursor(pen, look, index, cell, unit) {
  const [x, y] = [(index % look.cols) * cell, Math.floor(index / look.cols) * cell];
  const path = new Path2D();
  const inset = 2 * unit;
  path.rect(x + inset, y + inset, cell - 2 * inset, cell - 2 * inset);
  strokeTwice(pen, path, 2 * unit);
}

/** Pixels of the screen per pixel of the page. */
export const pixelRatio = () => window.devicePixelRatio || 1;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
export const allowsMotion = () => !reducedMotion.matches && !document.hidden;

/** A canvas for a board. With the id of a help text, it can get the focus of the keyboard. */
export const canvasFor = (name, helpId) => el("canvas", { class: `board-canvas ${name}`,
  ...(helpId && { tabindex: "0", role: "application", "aria-roledescription": "board", "aria-describedby": helpId }) });

/** Calls `draw(share)` for each frame, while `share` of the time grows from 0 to 1. Ends early when `isCurrent()` is false. */
export function animate(milliseconds, isCurrent, draw) {
  const start = performance.now();
  const step = (time) => {
    if (!isCurrent()) return;
    const share = Math.min(1, Math.max(0, (time - start) / milliseconds));
    draw(share);
    if (share < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Redraws a board when its box, the window or the theme changes. Sets `state.width` to the width of the box. */
export function redrawOnChange(box, state, fit, draw) {
  const refit = () => {
    fit();
    draw();
  };
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === state.width) return;
    state.width = contentRect.width;
    refit();
  }).observe(box);
  addEventListener("resize", refit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

const KEY_STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity],
  End: [0, Infinity], PageUp: [-Infinity, 0], PageDown: [Infinity, 0] };

/** The cell that a key moves the cursor to; `undefined` for other keys. Without a cursor (-1), keys lead to `first`. */
export function cellOfKey({ key, ctrlKey, metaKey, altKey }, cursor, { rows, cols }, first = 0) {
  if (!KEY_STEPS[key] || ctrlKey || metaKey || altKey) return undefined;
  if (cursor < 0) return first;
  const [down, right] = KEY_STEPS[key];
  const limit = (value, count) => Math.max(0, Math.min(count - 1, value));
  return limit(Math.floor(cursor / cols) + down, rows) * cols + limit((cursor % cols) + right, cols);
}

/** The size of a cell, in pixels of the screen, so that the board fits into its box and the window. */
function cellSize(look, width, height) {
  return Math.max(1, Math.floor(pixelRatio() * Math.min(width / look.cols, (height - 6) / look.rows, MAX_CELL)));
}

/**
 * A board on a canvas. `show` draws a position, `setMarks` the marks on it; `cellAt` finds the cell under a pointer.
 * @param {{maxHeight: () => number, helpId?: string}} options `maxHeight` in pixels; `helpId` as for `canvasFor`
 */
export function boardCanvas({ maxHeight, helpId }) {
  const canvas = canvasFor("", helpId);
  const tipBox = el("span", { class: "tip", hidden: true, "aria-hidden": "true" });
  const box = el("div", { class: "board-box" }, canvas, tipBox);
  const state = { look: null, cells: [], marks: null, highlighted: [], badges: [], cursor: -1, animation: null, size: 1, width: 0 };

  function fit() {
    // The first drawing cannot wait for the observer: a later change of height would move the page below.
    state.width ||= box.getBoundingClientRect().width;
    if (!state.look || state.width < 20) return;
    state.size = cellSize(state.look, state.width, maxHeight());
    const edge = 2 * Math.round(3 * pixelRatio());
    const [wide, high] = [state.look.cols * state.size + edge, state.look.rows * state.size + edge];
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    canvas.style.setProperty("width", `${wide / pixelRatio()}px`);
    canvas.style.setProperty("height", `${high / pixelRatio()}px`);
  }

  function draw() {
    if (!state.look || state.width < 20) return;
    const { look, cells, size: cell, animation } = state;
    const [pen, unit] = [canvas.getContext("2d"), pixelRatio()];
    const paper = getComputedStyle(canvas).backgroundColor;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.translate(Math.round(3 * unit), Math.round(3 * unit));
    const pieces = animation ? piecesBetween(look, animation.before, cells, animation.removed, animation.share) : stillPieces(look, cells);
    drawPieces(pen, look, pieces, cell);
    if (!animation) drawGaps(pen, look, cells, cell, paper);
    if (look.hasSymbols && cell / unit >= 9) drawSymbols(pen, look, pieces, cell);
    if (!animation) drawHighlighted(pen, look, state.highlighted, cell, unit);
    if (!animation || !animation.removed) drawMarks(pen, look, state.marks, cell, unit);
    if (!animation) drawBadges(pen, look, state.badges, cell, unit);
    if (state.cursor >= 0) drawCursor(pen, look, state.cursor, cell, unit);
  }

  /** Shows a position. `isNext` animates the step to it; `removed` are the cells that this step removed, if any. */
  function show({ look, cells, marks = null, isNext = false, removed = null }) {
    const isSame = state.look && state.look.rows === look.rows && state.look.cols === look.cols;
    const hasChanged = !isSame || cells.some((colour, index) => colour !== state.cells[index]);
    const before = state.cells;
    Object.assign(state, { look, cells, marks });
    if (hasChanged) state.animation = null;
    fit();
    if (isNext && isSame && hasChanged && allowsMotion()) {
      const animation = { before, removed, share: 0 };
      state.animation = animation;
      animate(removed ? FALL_MILLISECONDS : FADE_MILLISECONDS, () => state.animation === animation, (share) => {
        animation.share = share;
        if (share === 1) state.animation = null;
        draw();
      });
    }
    draw();
  }
  function setMarks(changes) {
    Object.assign(state, changes);
    draw();
  }
  /** The cell under a pointer, or -1. */
  function cellAt({ clientX, clientY }) {
    if (!state.look) return -1;
    const { left, top } = canvas.getBoundingClientRect();
    const cellIndex = (position, start) => Math.floor(((position - start) * pixelRatio() - Math.round(3 * pixelRatio())) / state.size);
    const [col, row] = [cellIndex(clientX, left), cellIndex(clientY, top)];
    const isInside = row >= 0 && col >= 0 && row < state.look.rows && col < state.look.cols;
    return isInside ? row * state.look.cols + col : -1;
  }
  /** Shows a text above a cell; without a text, hides the last one. */
  function showTip(index, text) {
    tipBox.hidden = !text;
    if (!text) return;
    setText(tipBox, text);
    const [col, row] = [index % state.look.cols, Math.floor(index / state.look.cols)];
    const cell = state.size / pixelRatio();
    tipBox.style.setProperty("left", `${canvas.offsetLeft + 3 + (col + 0.5) * cell}px`);
    tipBox.style.setProperty("top", `${canvas.offsetTop + 3 + row * cell}px`);
  }
  redrawOnChange(box, state, fit, draw);
  return { element: box, canvas, show, setMarks, cellAt, draw, showTip };
}

/** A small picture of a game's board. @returns {HTMLElement} */
export function thumbnail(game, settings) {
  const board = boardCanvas({ maxHeight: () => 220 });
  board.canvas.setAttribute("role", "img");
  board.canvas.setAttribute("aria-label", `board ${game.name}`);
  board.show({ look: lookOf(game, settings), cells: game.cells });
  return board.element;
}
