// The colours of text on coloured cells.

const [DARK, LIGHT] = ["#14181b", "#ffffff"];
/** Up to this number, all players can distinguish the colours. */
const MAX_DISTINCT = 8;

/** Whether the colours of a board can be distinguished without symbols. @param {string[]} symbols @returns {boolean} */
export const areDistinct = (symbols) => symbols.length <= MAX_DISTINCT;

/** Dark or white ink, whichever has more contrast with a colour. @param {string} colour @returns {string} */
export function inkOn(colour) {
  const parts = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16) / 255);
  const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? DARK : LIGHT;
}
