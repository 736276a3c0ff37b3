// Many boards: the page's optima, and how long a verdict takes.

import { must } from "../lib/browser.mjs";
import { ask } from "./actions.mjs";

/** The time for one proof, in seconds. */
const SECONDS = 300;

/**
 * The page finds the optima that are expected.
 * @param {object} page
 * @param {Object<string, {game: object, optimum: ?number}[]>} expected `null` for a goal that cannot be reached
 */
export async function optimaAgree(page, expected) {
  for (const [puzzle, boards] of Object.entries(expected)) {
    for (const { game, optimum } of boards) {
      const { known, status } = await ask(page, { ask: "solve", game, seconds: SECONDS });
      const found = known.never ? null : known.bound === known.held ? known.held : status;
      must(found === optimum, `${puzzle} ${game.name}: found the optimum ${found}, expected ${optimum}`);
    }
    console.log(`${puzzle}: ${boards.length} boards, the optima agree`);
  }
}

const median = (numbers) => numbers.sort((one, other) => one - other)[numbers.length >> 1];

/** Plays a random game; gives the milliseconds from each move to its verdict. The code of the page does the thinking. */
async function timesOf(page, game, seed) {
  return page.evaluate(async ([played, number, seconds]) => {
    const [{ Solver }, { Thinking }] = [await import("./solver.js"), await import("./thinking.js")];
    globalThis.checkSolver ??= new Solver();
    const solver = globalThis.checkSolver;
    let random = number;
    const next = (limit) => {
      random = (random * 1103515245 + 12345) % 2147483648;
      return (random >> 8) % limit;
    };
    const [times, moves] = [[], []];
    let settle;
    const isOpen = ({ least, most, fatal }) => !fatal && most !== least;
    const thinking = new Thinking({ ask: (question, options) => solver.ask(question, options), patience: () => seconds,
      onError: (error) => settle.fail(error), onSearch: () => {},
      onView: (view) => (view.path.length && isOpen(view.path.at(-1).lost) ? null : settle.done(view)) });
    const there = (act) => new Promise((done, fail) => {
      settle = { done, fail };
      act();
    });
    let view = await there(() => thinking.open(played, []));
    while (!view.over && moves.length < 60) {
      moves.push(view.choices[next(view.choices.length)].name);
      const began = performance.now();
      const shown = moves.slice();
      view = await there(() => thinking.go(shown));
      times.push(performance.now() - began);
    }
    thinking.close();
    return times;
  }, [game, seed, SECONDS]);
}

/** How long the verdict on a move takes, on square boards of six colours. */
export async function verdictTimes(page, count, size) {
  const times = [];
  for (let seed = 0; seed < count; seed += 1) {
    const game = await ask(page, { ask: "new", puzzle: "flood-it", rows: size, cols: size, colours: 6, seed });
    times.push(...await timesOf(page, game, seed + 1));
  }
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(0);
  console.log(`verdicts on ${size}x${size}, 6 colours: ${times.length} moves on ${count} boards, `
    + `median ${median(times).toFixed(0)} ms, 90% within ${at(0.9)} ms, all within ${at(1)} ms`);
}
