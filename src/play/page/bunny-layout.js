// Where the cells of a board are drawn. Boards that were joined stand side by side in one wide board; here they wrap.

const VOID = 255;

/** The parts of a board between columns without squares, without the rows above and below their squares. */
function partsOf({ rows, cols, cells }) {
  const parts = [];
  for (let col = 0; col < cols; col += 1) {
    const used = Array.from({ length: rows }, (_, row) => row).filter((row) => cells[row * cols + col] !== VOID);
    if (!used.length) continue;
    const last = parts.at(-1);
    const part = last?.to === col - 1 ? last : { from: col, top: rows, bottom: 0 };
    if (part !== last) parts.push(part);
    Object.assign(part, { to: col, top: Math.min(part.top, used[0]), bottom: Math.max(part.bottom, used.at(-1)) });
  }
  return parts.map(({ from, to, top, bottom }) => ({ from, to, top, wide: to - from + 1, high: bottom - top + 1 }));
}

/** The parts in lines of at most so many columns, with one cell between two parts. */
function wrapped(parts, most) {
  const now = { x: 0, y: 0, high: 0, cols: 0 };
  const places = parts.map((part) => {
    if (now.x > 0 && now.x + part.wide > most) Object.assign(now, { x: 0, y: now.y + now.high + 1, high: 0 });
    const place = { ...part, x: now.x, y: now.y };
    now.x += part.wide + 1;
    Object.assign(now, { high: Math.max(now.high, part.high), cols: Math.max(now.cols, now.x - 1) });
    return place;
  });
  return { places, cols: now.cols, rows: now.y + now.high };
}

/**
 * The columns and rows of the picture, and the place of each cell in it.
 * @param {object} game
 * @param {{wide: number, high: number}} room
 * @param {boolean} wraps whether the board is several boards
 * @returns {{cols: number, rows: number, x: (cell: number) => number, y: (cell: number) => number}}
 */
export function layoutOf(game, { wide, high }, wraps) {
  const { rows, cols } = game;
  const plain = { cols, rows, x: (cell) => cell % cols, y: (cell) => Math.floor(cell / cols) };
  const parts = wraps ? partsOf(game) : [];
  if (parts.length < 2) return plain;
  const sizeOf = (layout) => Math.min(wide / layout.cols, high / layout.rows);
  const least = Math.max(...parts.map((part) => part.wide));
  const all = Array.from({ length: cols - least + 1 }, (_, more) => wrapped(parts, least + more));
  const best = all.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
  const partAt = Array.from({ length: cols }, (_, col) => best.places.find(({ from, to }) => from <= col && col <= to));
  const shift = (cell, axis, from) => (partAt[cell % cols]?.[axis] ?? 0) - (partAt[cell % cols]?.[from] ?? 0);
  return { cols: best.cols, rows: best.rows, x: (cell) => (cell % cols) + shift(cell, "x", "from"),
    y: (cell) => Math.floor(cell / cols) + shift(cell, "y", "top") };
}
