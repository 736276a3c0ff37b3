// What joins the flood: for the counts on the buttons and the cells under the pointer.

function neighboursOf(index, rows, cols) {
  const [row, col] = [Math.floor(index / cols), index % cols];
  return [row > 0 && index - cols, row < rows - 1 && index + cols, col > 0 && index - 1, col < cols - 1 && index + 1]
    .filter((next) => next !== false);
}

/**
 * The cells that join the flood if it takes a colour.
 * @param {{rows: number, cols: number}} look
 * @param {{cells: number[], marks: number[]}} view
 * @param {number} colour
 * @returns {number[]}
 */
export function joining({ rows, cols }, { cells, marks }, colour) {
  const open = marks.flatMap((mark, index) => (mark > 0 ? [index] : []));
  const seen = new Set(open);
  const joined = [];
  while (open.length) {
    for (const next of neighboursOf(open.pop(), rows, cols)) {
      if (seen.has(next) || cells[next] !== colour) continue;
      seen.add(next);
      open.push(next);
      joined.push(next);
    }
  }
  return joined;
}
