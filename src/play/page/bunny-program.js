// Programs of Hopping Bunny as trees of tiles. Nothing here judges: the solver says whether a text is a program.
//
// A tile is {kind: "F" | "L" | "R"} or {kind: "LOOP", count, body}; the count of an endless loop is `null`. A *place*
// is a list of indices, from the outermost list inwards. A place whose last index is the length of its list is the
// *slot* behind its last tile. Trees never change: each edit gives a new one.

import { plural } from "./dialog.js";

/** The greatest count of a loop, as the solver allows it. */
export const MOST_COUNT = 65531;

/** @param {string} kind @param {?number} [count] */
export const tileOf = (kind, count = null) => (kind === "LOOP" ? { kind, count, body: [] } : { kind });

/** The tiles of a program in the notation that the solver writes. @param {string} text */
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

/** The program of some tiles in the usual notation. */
export function writeProgram(tiles) {
  return tiles.map(({ kind, count, body }) =>
    (body ? `LOOP${count === null ? "" : `(${count})`}{${writeProgram(body)}}` : kind)).join("");
}

/** The list that a place lies in. */
export function listAt(tiles, place) {
  return place.slice(0, -1).reduce((list, index) => list[index].body, tiles);
}

/** The tile at a place; `undefined` for a slot. */
export const tileAt = (tiles, place) => listAt(tiles, place)[place.at(-1)];

/** The tree in which `edit` has changed the list around `place`. */
function withList(tiles, place, edit) {
  if (place.length === 1) return edit(tiles);
  const [first, ...rest] = place;
  return tiles.map((tile, index) => (index === first ? { ...tile, body: withList(tile.body, rest, edit) } : tile));
}

export const insertTile = (tiles, place, tile) => withList(tiles, place, (list) => list.toSpliced(place.at(-1), 0, tile));
export const removeTile = (tiles, place) => withList(tiles, place, (list) => list.toSpliced(place.at(-1), 1));
export const replaceTile = (tiles, place, tile) => withList(tiles, place, (list) => list.with(place.at(-1), tile));

/** Whether `place` is `outer`, or lies in the loop there. */
export const liesIn = (place, outer) => outer.every((index, depth) => place[depth] === index);

/**
 * Moves a tile. `to` is its new place as counted before the move.
 * @returns {{tiles: object[], place: number[]}} `place` is where the tile is now
 */
export function moveTile(tiles, from, to) {
  const tile = tileAt(tiles, from);
  const depth = from.length - 1;
  const follows = to.length > depth && liesIn(to, from.slice(0, -1)) && to[depth] > from[depth];
  const place = follows ? to.with(depth, to[depth] - 1) : to;
  return { tiles: insertTile(removeTile(tiles, from), place, tile), place };
}

/** All places in the order of the text: tiles, and the slot behind each list. */
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
 * The tiles that a program executes, one after the other, with the rounds of the loops around each. Loops must not be
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

/** Where a place is, in words. */
export function placeWords(tiles, place) {
  const { length } = listAt(tiles, place);
  const around = place.slice(0, -1).map((index) => index + 1).join(".");
  const of = around ? ` in loop ${around}` : "";
  return place.at(-1) === length ? `end of ${around ? `loop ${around}` : "the program"}` : `${place.at(-1) + 1} of ${length}${of}`;
}
