// The ink on the colours of the cells.

const [DARK, LIGHT] = ["#14181b", "#ffffff"];
/** The most colours that everybody can distinguish. */
const SAFE = 8;

/** Whether colours alone distinguish the cells of a board. @param {string[]} symbols @returns {boolean} */
export const areTold = (symbols) => symbols.length <= SAFE;

/** Black or white, whichever contrasts more with a colour. @param {string} colour @returns {string} */
export function inkOn(colour) {
  const parts = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16) / 255);
  const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? DARK : LIGHT;
}
