// Draws a board of Hopping Bunny: squares, carrots on unmarked squares, start, trail, bunny.

import { el } from "./dom.js";
import { allowsMotion, animate, canvasFor, EMPTY, pixelRatio, redrawOnChange } from "./canvas.js";
import { plural } from "./dialog.js";

const MAX_CELL = 72;
/** Cells that are smaller (in pixels of the page) get plain shapes instead of pictures. */
const MIN_PICTURE_CELL = 13;
const QUARTER = Math.PI / 2;

/** The directions, by the solver's numbers. */
const DIRECTIONS = ["east", "south", "west", "north"];

/** The cell where the bunny starts. */
const startOf = ({ cols, start: [row, col] }) => row * cols + col;

/** For each cell, whether it is an unmarked square at the start. */
function unmarkedOf({ cells, symbols }) {
  return cells.map((cell) => cell !== EMPTY && symbols[cell] === "#");
}

/**
 * The track of a run: the bunny at each step, and the step at which each square is marked and each edge first passed.
 * @param {object} game
 * @param {[string, [number, number], number][]} steps as the solver gives them
 */
export function trackOf(game, steps) {
  const frames = [[startOf(game), 0], ...steps.map(([, bunny]) => bunny)];
  const [marked, edges] = [new Map([[startOf(game), 0]]), new Map()];
  for (let at = 1; at < frames.length; at += 1) {
    const [[from], [cell]] = [frames[at - 1], frames[at]];
    if (from === cell) continue;
    if (!marked.has(cell)) marked.set(cell, at);
    const edge = from < cell ? `${from}-${cell}` : `${cell}-${from}`;
    if (!edges.has(edge)) edges.set(edge, { from, to: cell, at });
  }
  return { frames, marked, edges: [...edges.values()] };
}

const SHAPES = {
  carrot: new Path2D("M-.3 .3C-.3 .05 -.05 -.22 .12 -.22C.22 -.22 .24 -.18 .22 -.1C.2 .06 -.06 .3 -.3 .3z"),
  leaves: new Path2D("M.13 -.16L.14 -.36M.13 -.16L.27 -.31M.13 -.16L.34 -.18"),
  body: new Path2D("M-.4 0A.28 .24 0 0 1 .16 0A.28 .24 0 0 1 -.4 0z"),
  tail: new Path2D("M-.48 0A.07 .07 0 0 1 -.34 0A.07 .07 0 0 1 -.48 0z"),
  head: new Path2D("M0 0A.2 .19 0 0 1 .4 0A.2 .19 0 0 1 0 0z"),
  ears: new Path2D("M.14 -.12C0 -.34 -.3 -.34 -.32 -.24C-.33 -.16 -.06 -.1 .1 -.06z"
    + "M.14 .12C0 .34 -.3 .34 -.32 .24C-.33 .16 -.06 .1 .1 .06z"),
  nose: new Path2D("M.35 0A.04 .04 0 0 1 .43 0A.04 .04 0 0 1 .35 0z"),
  eyes: new Path2D("M.23 -.09A.03 .03 0 0 1 .29 -.09A.03 .03 0 0 1 .23 -.09z"
    + "M.23 .09A.03 .03 0 0 1 .29 .09A.03 .03 0 0 1 .23 .09z"),
  arrow: new Path2D("M-.32 -.3L.38 0L-.32 .3L-.16 0z"),
};

/** The colours of the board in the current theme. */
function coloursOf(canvas) {
  const style = getComputedStyle(canvas);
  const names = ["square", "done", "edge", "carrot", "leaf", "trail", "fur", "back", "outline", "nose", "lit"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--bunny-${name}`)]));
}

/** The pose of the bunny between two steps; `share` is the finished fraction of the hop or turn. */
function poseBetween(before, [cell, direction], share, cols) {
  const [x, y] = [cell % cols, Math.floor(cell / cols)];
  if (!before || share >= 1) return { x, y, angle: direction * QUARTER, lift: 0 };
  const [fromX, fromY] = [before[0] % cols, Math.floor(before[0] / cols)];
  const turn = ((direction - before[1] + 5) % 4) - 1;
  const arc = Math.sin(Math.PI * share);
  const isHop = before[0] !== cell;
  const bump = !isHop && !turn ? 0.16 * arc : 0;
  const [ahead, down] = [[1, 0], [0, 1], [-1, 0], [0, -1]][direction];
  return { x: fromX + (x - fromX) * share + bump * ahead, y: fromY + (y - fromY) * share + bump * down,
    angle: (before[1] + turn * share) * QUARTER, lift: isHop ? 0.22 * arc : 0 };
}

/**
 * A board. `open` sets the game, `setTrack` the steps of a program, `show` the current step.
 * @param {{maxHeight: () => number, helpId: string}} options see `boardCanvas`
 */
export function bunnyBoard({ maxHeight, helpId }) {
  const canvas = canvasFor("bunny-canvas", helpId);
  const box = el("div", { class: "board-box" }, canvas);
  const state = { game: null, unmarked: [], track: null, at: 0, share: 1, animation: null, cursor: -1, width: 0, cell: 0 };
  const x = (index) => index % state.game.cols;
  const y = (index) => Math.floor(index / state.game.cols);

  function fit() {
    if (!state.game || state.width < 20) return;
    const { rows, cols } = state.game;
    const size = Math.floor(pixelRatio() * Math.min(state.width / cols, (maxHeight() - 8) / rows, MAX_CELL));
    state.cell = Math.max(2, size);
    state.gap = state.cell >= 10 ? Math.max(1, Math.round(state.cell / 24)) : 0;
    const margin = Math.round(8 * pixelRatio());
    [canvas.width, canvas.height] = [cols * state.cell + margin, rows * state.cell + margin];
    canvas.style.setProperty("width", `${canvas.width / pixelRatio()}px`);
    canvas.style.setProperty("height", `${canvas.height / pixelRatio()}px`);
    canvas.style.setProperty("margin", `0 ${-(margin / 2 + state.gap) / pixelRatio()}px`);
  }
  const isMarked = (cell) => !state.unmarked[cell] || (state.track.marked.get(cell) ?? Infinity) <= state.at - (state.share < 1 ? 1 : 0);

  function drawSquares(pen, colours) {
    const { game, cell, gap } = state;
    game.cells.forEach((colour, index) => {
      if (colour === EMPTY) return;
      pen.beginPath();
      pen.roundRect(x(index) * cell + gap, y(index) * cell + gap, cell - 2 * gap, cell - 2 * gap, cell / 7);
      pen.fillStyle = isMarked(index) ? colours.done : colours.square;
      pen.fill();
      [pen.strokeStyle, pen.lineWidth] = [colours.edge, Math.max(1, pixelRatio() * 0.8)];
      if (cell >= 8) pen.stroke();
    });
  }
  /** Draws in a cell, in coordinates with the middle as origin and the side as unit. */
  function inCell(pen, col, row, draw, angle = 0, scale = 1) {
    pen.save();
    pen.translate((col + 0.5) * state.cell, (row + 0.5) * state.cell);
    pen.rotate(angle);
    pen.scale(state.cell * scale, state.cell * scale);
    draw();
    pen.restore();
  }
  function drawCarrots(pen, colours) {
    const { game, cell } = state;
    const isSmall = cell / pixelRatio() < MIN_PICTURE_CELL;
    game.cells.forEach((_, index) => {
      if (!state.unmarked[index] || isMarked(index)) return;
      inCell(pen, x(index), y(index), () => {
        pen.fillStyle = colours.carrot;
        if (isSmall) return void pen.fillRect(-0.22, -0.22, 0.44, 0.44);
        [pen.strokeStyle, pen.lineWidth, pen.lineCap] = [colours.leaf, 0.055, "round"];
        pen.stroke(SHAPES.leaves);
        pen.fill(SHAPES.carrot);
      });
    });
  }
  function drawStart(pen, colours) {
    const { game, cell } = state;
    const index = startOf(game);
    if (state.track.frames[state.at][0] === index) return;
    [pen.strokeStyle, pen.lineWidth] = [colours.outline, Math.max(1, cell / 22)];
    pen.beginPath();
    pen.setLineDash([cell / 9, cell / 9]);
    pen.arc((x(index) + 0.5) * cell, (y(index) + 0.5) * cell, cell * 0.4, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  }
  function drawTrail(pen, colours) {
    const { cell, track, at } = state;
    [pen.strokeStyle, pen.lineCap, pen.lineWidth] = [colours.trail, "round", Math.max(1.5, cell / 11)];
    pen.beginPath();
    for (const { from, to, at: first } of track.edges) {
      if (first > at - (state.share < 1 ? 1 : 0)) continue;
      pen.moveTo((x(from) + 0.5) * cell, (y(from) + 0.5) * cell);
      pen.lineTo((x(to) + 0.5) * cell, (y(to) + 0.5) * cell);
    }
    pen.stroke();
  }
  function drawBunny(pen, colours) {
    const { cell, game, track, at, share } = state;
    const isSmall = cell / pixelRatio() < MIN_PICTURE_CELL;
    const pose = poseBetween(track.frames[at - 1], track.frames[at], share, game.cols);
    inCell(pen, pose.x, pose.y - pose.lift / 2, () => {
      [pen.fillStyle, pen.strokeStyle, pen.lineJoin] = [colours.fur, colours.outline, "round"];
      pen.lineWidth = isSmall ? 0.1 : 0.05;
      if (isSmall) return [pen.fill(SHAPES.arrow), pen.stroke(SHAPES.arrow)];
      for (const part of [SHAPES.tail, SHAPES.body, SHAPES.head, SHAPES.ears]) {
        pen.fillStyle = part === SHAPES.body ? colours.back : colours.fur;
        pen.fill(part);
        pen.stroke(part);
      }
      pen.fillStyle = colours.nose;
      pen.fill(SHAPES.nose);
      pen.fillStyle = colours.outline;
      pen.fill(SHAPES.eyes);
    }, pose.angle, (isSmall ? 1.2 : 0.94) * (1 + pose.lift));
  }
  function drawCursor(pen, colours) {
    if (state.cursor < 0) return;
    const { cell, cursor } = state;
    [pen.strokeStyle, pen.lineWidth] = [colours.lit, Math.max(2, 3 * pixelRatio())];
    pen.strokeRect(x(cursor) * cell + 2, y(cursor) * cell + 2, cell - 4, cell - 4);
  }
  function draw() {
    if (!state.game || !state.cell) return;
    const pen = canvas.getContext("2d");
    const colours = coloursOf(canvas);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.translate(Math.round(4 * pixelRatio()), Math.round(4 * pixelRatio()));
    for (const part of [drawSquares, drawStart, drawTrail, drawCarrots, drawBunny, drawCursor]) part(pen, colours);
  }

  /** Shows a step, with an animation from the previous step if `milliseconds` is not 0. */
  function show(at, milliseconds = 0) {
    const isNext = at === state.at + 1 && milliseconds > 0 && allowsMotion();
    const animation = isNext ? {} : null;
    Object.assign(state, { at, animation, share: isNext ? 0 : 1 });
    draw();
    if (isNext) animate(milliseconds, () => state.animation === animation, (share) => {
      state.share = share;
      draw();
    });
  }
  function setTrack(steps) {
    state.track = trackOf(state.game, steps);
    show(0);
  }
  function open(game) {
    Object.assign(state, { game, unmarked: unmarkedOf(game), cursor: -1, width: state.width || box.clientWidth });
    fit();
    setTrack([]);
  }
  /** The first cell of a cursor. */
  const startCell = () => startOf(state.game);
  const wordsOf = (cell) => `row ${y(cell) + 1}, column ${x(cell) + 1}`;
  /** The content of a cell, in words. */
  function wordsAt(cell) {
    const [place, direction] = state.track.frames[state.at];
    const what = state.game.cells[cell] === EMPTY ? "no square" : isMarked(cell) ? "marked" : "not marked";
    const start = startCell() === cell ? ", start" : "";
    return `${wordsOf(cell)}: ${what}${start}${place === cell ? `, bunny facing ${DIRECTIONS[direction]}` : ""}`;
  }
  /** The board in words: the number of unmarked squares, and the place of the bunny. */
  function words() {
    const left = state.unmarked.filter((isOpen, cell) => isOpen && !isMarked(cell)).length;
    const [cell, direction] = state.track.frames[state.at];
    return `${plural(left, "squares")} left; bunny at ${wordsOf(cell)}, facing ${DIRECTIONS[direction]}`;
  }
  function setCursor(cell) {
    state.cursor = cell;
    draw();
  }
  redrawOnChange(box, state, fit, draw);
  return { element: box, canvas, open, setTrack, show, draw, words, wordsAt, setCursor, startCell };
}
