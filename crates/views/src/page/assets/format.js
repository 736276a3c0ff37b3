// Numbers and times as text, in the same forms as the program's own.

/** A whole number with separators: 3,206. @param {number} n @returns {string} */
export function count(n) {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A whole number with its noun: 1 row, 2,000 rows. @param {number} n @param {string} what @returns {string} */
export function plural(n, what) {
  return `${count(n)} ${what}${n === 1 ? "" : "s"}`;
}

/** A number of at most four characters and a unit: 1.23 M. @param {number} n @returns {string} */
export function short(n) {
  const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const unit = units.find(([size]) => Math.abs(n) >= size * 0.9995);
  if (!unit) return Number.isInteger(n) ? String(n) : String(Number(n.toPrecision(3)));
  const size = n / unit[0];
  return `${size.toFixed(Math.abs(size) < 9.995 ? 2 : Math.abs(size) < 99.95 ? 1 : 0)} ${unit[1]}`;
}

/** A value of an objective: in full as long as there is room. @param {number} n @returns {string} */
export function figures(n) {
  return Math.abs(n) < 1e6 && Number.isInteger(n) ? count(n) : short(n);
}

/** The value of the best solution of a result, if there is one. @param {object} result @returns {number | undefined} */
export function valueOf(result) {
  return result.score ?? result.cost ?? undefined;
}

/** A size: 310.0 MiB. @param {number} n @returns {string} */
export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let [size, at] = [n, 0];
  while (size >= 1024 && at < units.length - 1) [size, at] = [size / 1024, at + 1];
  return `${at ? size.toFixed(1) : size} ${units[at]}`;
}

/**
 * A time as text, without parts that are 0: 50 ms, 12.3 s, 2m 3s, 1h 2m, 3d 4h.
 * @param {number} s seconds
 * @returns {string}
 */
export function time(s) {
  if (s < 0.9995 && s > 0) return `${Number((s * 1000).toPrecision(3))} ms`;
  if (s < 99.95 && s !== 60) return `${Number(s.toFixed(s < 9.995 ? 2 : 1))} s`;
  const pair = (big, bigUnit, small, smallUnit) => `${big}${bigUnit}${small ? ` ${small}${smallUnit}` : ""}`;
  if (s < 3599.5) return pair(Math.floor(Math.round(s) / 60), "m", Math.round(s) % 60, "s");
  if (s < 86370) return pair(Math.floor(Math.round(s / 60) / 60), "h", Math.round(s / 60) % 60, "m");
  return pair(Math.floor(Math.round(s / 3600) / 24), "d", Math.round(s / 3600) % 24, "h");
}

/** A clock: 0.05 s, 2:12, 3:12:40. @param {number} s seconds @returns {string} */
export function clock(s) {
  if (s < 60) return `${s.toFixed(s < 10 ? 2 : 1)} s`;
  const whole = Math.floor(s);
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/**
 * A share as percent. Unfinished work never shows 100 %, and work that has begun never 0 %.
 * @param {number} share from 0 to 1
 * @returns {string}
 */
export function percent(share) {
  const whole = Math.round(share * 100);
  if (share < 1 && whole >= 100) return "99 %";
  return share > 0 && whole === 0 ? "< 1 %" : `${whole} %`;
}

/**
 * The step between ticks of an axis that leaves at most `most` of them.
 * @param {number} length of the axis
 * @param {number} most ticks
 * @param {number[]} steps rising; below and beyond them, 1, 2 and 5 times powers of ten
 * @returns {number}
 */
export function niceStep(length, most, steps) {
  const rough = length / Math.max(most, 1);
  const found = rough >= steps[0] && steps.find((step) => step >= rough);
  if (found) return found;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999) ?? rough;
}
