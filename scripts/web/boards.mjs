// Checks optima on many boards, and measures the time from a move to its verdict.

import { must } from "../lib/browser.mjs";
import { ask } from "./actions.mjs";

/** The time limit of one proof, in seconds. */
const TIME_LIMIT = 300;

/**
 * The page finds the expected optima.
 * @param {object} page
 * @param {Object<string, {game: object, optimum: ?number}[]>} expected `null` for a goal that cannot be reached
 */
export async function optimaAgree(page, expected) {
  for (const [puzzle, boards] of Object.entries(expected)) {
    for (const { game, optimum } of boards) {
      const { known, status } = await ask(page, { ask: "solve", game, seconds: TIME_LIMIT });
      const found = known.never ? null : known.bound === known.held ? known.held : status;
      must(found === optimum, `${puzzle} ${game.name}: found the optimum ${found}, expected ${optimum}`);
    }
    console.log(`${puzzle}: ${boards.length} boards, the optima agree`);
  }
}

const median = (numbers) => numbers.sort((one, other) => one - other)[numbers.length >> 1];

/** Plays random moves; returns the milliseconds from each move to its final verdict, made by `Thinking` of the page. */
async function timesOf(page, game, seed) {
  return page.evaluate(async ([board, randomSeed, seconds]) => {
    const [{ Solver }, { Thinking }] = [await import("./solver.js"), await import("./thinking.js")];
    globalThis.checkSolver ??= new Solver();
    const solver = globalThis.checkSolver;
    let random = randomSeed;
    const randomBelow = (limit) => {
      random = (random * 1103515245 + 12345) % 2147483648;
      return (random >> 8) % limit;
    };
    const [times, moves] = [[], []];
    let resolvers;
    const isOpen = ({ least, most, fatal }) => !fatal && most !== least;
    const thinking = new Thinking({ ask: (question, options) => solver.ask(question, options), patience: () => seconds,
      onError: (error) => resolvers.fail(error), onSearch: () => {},
      onView: (view) => (view.path.length && isOpen(view.path.at(-1).lost) ? null : resolvers.done(view)) });
    const finalView = (act) => new Promise((done, fail) => {
      resolvers = { done, fail };
      act();
    });
    let view = await finalView(() => thinking.open(board, []));
    while (!view.over && moves.length < 60) {
      moves.push(view.choices[randomBelow(view.choices.length)].name);
      const started = performance.now();
      const played = moves.slice();
      view = await finalView(() => thinking.go(played));
      times.push(performance.now() - started);
    }
    thinking.close();
    return times;
  }, [game, seed, TIME_LIMIT]);
}

/** Prints the times of verdicts on moves, on square boards of six colours. */
export async function verdictTimes(page, count, size) {
  const times = [];
  for (let seed = 0; seed < count; seed += 1) {
    const game = await ask(page, { ask: "new", puzzle: "flood-it", rows: size, cols: size, colours: 6, seed });
    times.push(...await timesOf(page, game, seed + 1));
  }
  const sorted = [...times].sort((one, other) => one - other);
  const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(0);
  console.log(`verdicts on ${size}x${size}, 6 colours: ${times.length} moves on ${count} boards, `
    + `median ${median(times).toFixed(0)} ms, 90% within ${quantile(0.9)} ms, all within ${quantile(1)} ms`);
}
