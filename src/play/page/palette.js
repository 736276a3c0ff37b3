// The colours of the cells, and the ink on them.

const SAFE = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#5b5b5b"];
const VIVID = ["#e5383b", "#2f7de1", "#2a9d4b", "#f6c623", "#8c4bd6", "#f2811d", "#1fb5ad", "#e667af"];
const SOFT = ["#d98880", "#7fb3d5", "#7dbb91", "#e8d27a", "#a18cc6", "#e0a36b", "#74bdb6", "#d59bbb"];
const PALETTES = { safe: SAFE, vivid: VIVID, soft: SOFT };

/** Colours that names stand for; single letters stand for colours where all names of a board do. */
const NAMED = {
  red: "#d7263d", green: "#2a9d4b", blue: "#1f6fd0", yellow: "#f2d22e", orange: "#f08a24", purple: "#8a4fc4",
  violet: "#8a4fc4", cyan: "#3ec1d3", pink: "#ec7fb4", magenta: "#cf3fb0", brown: "#8a5a33", black: "#2b2b2b",
  white: "#f2f2ee", grey: "#8c8c8c", gray: "#8c8c8c", teal: "#1f8f8a", lime: "#a2d033",
};
const LETTERS = { r: "red", g: "green", b: "blue", y: "yellow", o: "orange", p: "purple", v: "violet", c: "cyan",
  m: "magenta", k: "black", w: "white" };

const DARK = "#14181b";
const LIGHT = "#ffffff";

function named(symbol) {
  const name = symbol.toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(name)) return name;
  return NAMED[name] ?? NAMED[LETTERS[name]];
}

/** Hues by the golden angle, with three lightnesses in turn. */
function spread(index) {
  const [hue, light] = [(index * 137.508) % 360, [0.62, 0.42, 0.78][index % 3]];
  const part = (shift) => {
    const at = (shift + hue / 30) % 12;
    const value = light - 0.6 * Math.min(light, 1 - light) * Math.max(-1, Math.min(at - 3, 9 - at, 1));
    return Math.round(255 * value).toString(16).padStart(2, "0");
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

/**
 * The colours of a board, by index.
 * @param {string[]} symbols
 * @param {string} palette
 * @returns {string[]}
 */
export function coloursOf(symbols, palette) {
  const own = symbols.map(named);
  if (own.length > 1 && own.every(Boolean) && new Set(own).size === own.length) return own;
  const usual = PALETTES[palette] ?? SAFE;
  return symbols.map((_, index) => (symbols.length <= usual.length ? usual[index] : spread(index)));
}

/** Whether colours alone tell the cells of a board apart. @param {string[]} symbols @returns {boolean} */
export const areTold = (symbols) => symbols.length <= SAFE.length;

/** Black or white, whichever contrasts more with a colour. @param {string} colour @returns {string} */
export function inkOn(colour) {
  const parts = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16) / 255);
  const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? DARK : LIGHT;
}
