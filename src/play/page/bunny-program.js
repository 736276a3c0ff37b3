// Programs of Hopping Bunny as trees of tiles. Whether a text is a program is decided by the solver, not here.
//
// A tile is {kind: "F" | "L" | "R"} or {kind: "LOOP", count, body}; the count of an endless loop is `null`. A *place*
// is a list of indices, from the outermost list inwards. A place whose last index is the length of its list is the
// *slot* after its last tile. Trees are immutable: each edit returns a new tree.

import { plural } from "./dialog.js";

/** The largest count of a loop; the solver has the same limit. */
export const MAX_COUNT = 65531;

/** @param {string} kind @param {?number} [count] */
export const tileOf = (kind, count = null) => (kind === "LOOP" ? { kind, count, body: [] } : { kind });

/** The tiles of a program that the solver has written. @param {string} text */
export function parseProgram(text) {
  const open = [[]];
  for (const [token, count] of text.matchAll(/LOOP(?:\((\d+)\))?\{|[FLR}]/g)) {
    if (token === "}") {
      open.pop();
      continue;
    }
    const tile = tileOf(token[1] ? "LOOP" : token, count === undefined ? null : Number(count));
    open.at(-1).push(tile);
    if (tile.body) open.push(tile.body);
  }
  return open[0];
}

/** The text of a program, in the solver's notation. */
export function writeProgram(tiles) {
  return tiles.map(({ kind, count, body }) =>
    (body ? `LOOP${count === null ? "" : `(${count})`}{${writeProgram(body)}}` : kind)).join("");
}

/** The list that contains a place. */
export function listAt(tiles, place) {
  return place.slice(0, -1).reduce((list, index) => list[index].body, tiles);
}

/** The tile at a place; `undefined` for a slot. */
export const tileAt = (tiles, place) => listAt(tiles, place)[place.at(-1)];

/** The tree with the list that contains `place` replaced by `edit(list)`. */
function withList(tiles, place, edit) {
  if (place.length === 1) return edit(tiles);
  const [first, ...rest] = place;
  return tiles.map((tile, index) => (index === first ? { ...tile, body: withList(tile.body, rest, edit) } : tile));
}

export const insertTile = (tiles, place, tile) => withList(tiles, place, (list) => list.toSpliced(place.at(-1), 0, tile));
export const removeTile = (tiles, place) => withList(tiles, place, (list) => list.toSpliced(place.at(-1), 1));
export const replaceTile = (tiles, place, tile) => withList(tiles, place, (list) => list.with(place.at(-1), tile));

/** Whether `place` is `outer`, or inside the loop at `outer`. */
export const liesIn = (place, outer) => outer.every((index, depth) => place[depth] === index);

/**
 * Moves a tile. `to` is its new place, in indices before the move.
 * @returns {{tiles: object[], place: number[]}} the new tree, and the place of the tile in it
 */
export function moveTile(tiles, from, to) {
  const tile = tileAt(tiles, from);
  const depth = from.length - 1;
  const follows = to.length > depth && liesIn(to, from.slice(0, -1)) && to[depth] > from[depth];
  const place = follows ? to.with(depth, to[depth] - 1) : to;
  return { tiles: insertTile(removeTile(tiles, from), place, tile), place };
}

/** All places in the order of the text: tiles, and the slot at the end of each list. */
export function placesOf(tiles, outer = []) {
  const inner = tiles.flatMap((tile, index) => {
    const place = [...outer, index];
    return tile.body ? [place, ...placesOf(tile.body, place)] : [place];
  });
  return [...inner, [...outer, tiles.length]];
}

/** The loop at a place, or the innermost loop around it; `null` if there is none. */
export function loopAround(tiles, place) {
  if (tileAt(tiles, place)?.body) return place;
  return place.length > 1 ? place.slice(0, -1) : null;
}

/** The first loop without tiles; `null` if there is none. */
export function emptyLoop(tiles, outer = []) {
  for (const [index, { body }] of tiles.entries()) {
    if (!body) continue;
    const found = body.length ? emptyLoop(body, [...outer, index]) : [...outer, index];
    if (found) return found;
  }
  return null;
}

/**
 * The tiles that a program executes, in order, each with the current rounds of the loops around it. No loop may be
 * empty.
 * @returns {Generator<{place: number[], kind: string, rounds: number[]}>}
 */
export function* walk(tiles, outer = [], rounds = []) {
  for (const [index, { kind, count, body }] of tiles.entries()) {
    const place = [...outer, index];
    if (!body) yield { place, kind, rounds };
    else for (let round = 1; count === null || round <= count; round += 1) yield* walk(body, place, [...rounds, round]);
  }
}

const WORDS = { F: "Hop", L: "Turn left", R: "Turn right" };

/** The description of a tile. */
export function wordsOf({ kind, count, body }) {
  if (!body) return WORDS[kind];
  const times = count === null ? "Endless loop" : `Loop, ${plural(count, "times")}`;
  return `${times}, ${plural(body.length, "tiles")} inside`;
}

/** The position of a place, in words. */
export function placeWords(tiles, place) {
  const { length } = listAt(tiles, place);
  const around = place.slice(0, -1).map((index) => index + 1).join(".");
  const inLoop = around ? ` in loop ${around}` : "";
  return place.at(-1) === length ? `end of ${around ? `loop ${around}` : "the program"}` : `${place.at(-1) + 1} of ${length}${inLoop}`;
}
