// Compares the module with the program: optima, and the states of each layer. Called by `scripts/web/counts`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { solver } from "./module.mjs";

const EMPTY = 255;
const KINDS = ["grown", "random", "lattice", "carved", "spiral"];

/** Sets of boards: arguments of the question `new`, and options of the program. */
const SETS = [
  { puzzle: "flood-it", count: 100, board: (i) => ({ rows: 6 + (i % 4) * 2, cols: 6 + (i % 4) * 2, colours: 3 + (i % 4) }) },
  // Larger boards. EXPECTED.json omits them: they take longer.
  { puzzle: "flood-it", count: 3, board: () => ({ rows: 21, cols: 21, colours: 6 }) },
  { puzzle: "clickomania", count: 30, board: (i) => ({ rows: 7, cols: 7, colours: 3 + (i % 3) }), options: { objective: "clear" } },
  { puzzle: "clickomania", count: 25, board: (i) => ({ rows: 6, cols: 6, colours: 3 + (i % 3) }), options: { objective: "clicks" } },
  { puzzle: "clickomania", count: 25, board: (i) => ({ rows: 7, cols: 7, colours: 3 + (i % 3) }), options: { objective: "left" } },
  { puzzle: "clickomania", count: 20, board: (i) => ({ rows: 5, cols: 5, colours: 3 + (i % 3) }), options: { objective: "score" } },
  { puzzle: "bunny", count: 100, board: (i) => ({ rows: 4 + (i % 4), cols: 4 + (i % 3), kind: KINDS[i % 5] }) },
];

/** The board of a game in the JSON format of boards. */
function boardOf({ puzzle, rows, cols, cells, symbols, start }, name) {
  const lines = Array.from({ length: rows }, (_, row) => cells.slice(row * cols, (row + 1) * cols));
  if (puzzle === "bunny") {
    const square = (cell, at) => (at === start[0] * cols + start[1] ? "S" : cell === EMPTY ? " " : symbols[cell]);
    return { name, bunny: lines.map((line, row) => line.map((cell, col) => square(cell, row * cols + col)).join("")) };
  }
  return { name, cells: lines.map((line) => line.map((cell) => cell + 1)), colours: symbols.length, start: start.map((at) => at + 1) };
}

/** The results of the program for these games. */
function solve(program, folder, games, { puzzle, options = {} }) {
  const file = join(folder, "boards.json");
  writeFileSync(file, games.map((game, at) => JSON.stringify(boardOf(game, String(at)))).join("\n"));
  const flags = Object.entries(options).flatMap(([key, value]) => [`--${key}`, value]);
  const args = ["solve", file, "--domain", puzzle, ...flags, "--threads", "1", "--memory", "1GiB", "--json"];
  let output;
  try {
    output = execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
  } catch (error) {
    // Exit code 4: a board is proven unsolvable.
    if (error.status !== 4) throw new Error(`${program} ${args.join(" ")}: ${error.stderr}`);
    output = error.stdout;
  }
  return output.trim().split("\n").map((line) => JSON.parse(line));
}

function compare(game, report, solved) {
  const optimum = report.status === "unsolvable" ? null : report.score ?? report.cost;
  const layers = (list) => JSON.stringify(list.map(({ f, expanded }) => [f, expanded]));
  const found = [solved.status, solved.known.held ?? null, layers(solved.layers)];
  const expected = [report.status, optimum, layers(report.layers)];
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`${game.name}: the module found ${found.join("; ")}, but the program found ${expected.join("; ")}`);
  }
  return { game, optimum };
}

async function main([module, program, expectedFile]) {
  const ask = await solver(module);
  const folder = mkdtempSync(join(tmpdir(), "gridhunt-"));
  const expected = {};
  try {
    for (const set of SETS) {
      const { puzzle, count, board, options = {} } = set;
      const games = Array.from({ length: count }, (_, seed) => ask({ ask: "new", puzzle, seed, options, ...board(seed) }));
      const refused = games.find(({ error }) => error);
      if (refused) throw new Error(`${puzzle}: ${refused.error}`);
      const reports = solve(program, folder, games, set);
      const results = games.map((game, at) => compare(game, reports[at], ask({ ask: "solve", game, seconds: 600 })));
      (expected[puzzle] ??= []).push(...results.filter(({ game }) => game.rows < 20));
      const what = Object.values(options).join(" ");
      console.log(`${puzzle} ${what}: ${count} boards, optima and layers equal those of the program`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (expectedFile) writeFileSync(expectedFile, JSON.stringify(expected));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
