// The board of the day: solved days, the streak, and a calendar with the boards of earlier days.

import { el, setText } from "./dom.js";
import { iconButton, plural } from "./dialog.js";
import { boardId, load, save } from "./storage.js";

const NAME_OF_DAILY_BOARD = /^board of (\d{4}-\d\d-\d\d)$/;
const twoDigits = (number) => String(number).padStart(2, "0");
const dateOf = (day) => `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
const results = (puzzle) => load(`days.${puzzle}`) ?? {};

/** Whether the name of a game says that its board is that of a day. */
export const isOfDay = ({ name = "" }) => NAME_OF_DAILY_BOARD.test(name);

/** The date of the player's clock, `YYYY-MM-DD`. */
const today = () => dateOf(new Date());

/** Asks for the board of a day. */
export const boardOfDay = (app, puzzle, date = today()) => app.ask({ ask: "day", date, puzzle });

/** The number of consecutive days, up to today or yesterday, whose board was solved on the day itself. */
function streak(puzzle) {
  const [solved, day] = [results(puzzle), new Date()];
  const goBack = () => day.setDate(day.getDate() - 1);
  if (!solved[dateOf(day)]?.onDay) goBack();
  let days = 0;
  for (; solved[dateOf(day)]?.onDay; goBack()) days += 1;
  return days;
}

/** The streak in words; empty if it is 0. */
export function streakText(puzzle) {
  const days = streak(puzzle);
  return days ? `${plural(days, "days")} in a row` : "";
}

/** Stores a solved day, if the game's board is that of a day. Asks the solver for the board, because names can lie. */
export async function noteDaySolved(app, game, isOptimal) {
  const date = game.name.match(NAME_OF_DAILY_BOARD)?.[1];
  const before = results(game.puzzle)[date];
  if (!date || (before && (before.isOptimal || !isOptimal))) return;
  const board = await boardOfDay(app, game.puzzle, date);
  if (boardId(board) !== boardId(game)) return;
  save(`days.${game.puzzle}`, { ...results(game.puzzle), [date]: { isOptimal, onDay: before?.onDay ?? date === today() } });
}

/**
 * A calendar of one month; each day is a button that opens its board.
 * @param {string} puzzle
 * @param {(date: string) => void} open
 */
export function dayCalendar(puzzle, open) {
  const [title, note] = [el("h3", { "aria-live": "polite" }), el("p", { class: "note" }, ["Boards of the day", streakText(puzzle)].filter(Boolean).join(": "))];
  const days = el("div", { class: "days", role: "group", "aria-label": "Boards of the day" });
  const month = new Date();
  month.setDate(1);
  function button(day) {
    const date = dateOf(day);
    const result = results(puzzle)[date];
    const words = result ? `, ${result.isOptimal ? "optimal" : "solved"}` : "";
    const mark = result ? (result.isOptimal ? "★" : "✓") : "";
    return el("button", { type: "button", class: "day", "aria-label": `${date}${words}`, disabled: date > today(),
      "aria-current": date === today() ? "date" : null, on: { click: () => open(date) } },
    el("span", {}, String(day.getDate())), el("span", { class: "day-mark" }, mark));
  }
  function turnMonths(by) {
    month.setMonth(month.getMonth() + by);
    setText(title, month.toLocaleDateString("en-GB", { month: "long", year: "numeric" }));
    const [year, number] = [month.getFullYear(), month.getMonth()];
    const last = new Date(year, number + 1, 0).getDate();
    const all = Array.from({ length: last }, (_, at) => button(new Date(year, number, at + 1)));
    // Weeks begin on Monday, as in `names` below.
    all[0].style.setProperty("grid-column-start", (month.getDay() + 6) % 7 + 1);
    days.replaceChildren(...all);
  }
  turnMonths(0);
  const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map((name) => el("span", {}, name));
  return el("section", { "aria-label": "Boards of the day" }, el("div", { class: "month" },
    iconButton("previous", "Month before", () => turnMonths(-1), { isBare: true }), title,
    iconButton("next", "Next month", () => turnMonths(1), { isBare: true }), note),
  el("div", { class: "weekdays", "aria-hidden": "true" }, ...names), days);
}
