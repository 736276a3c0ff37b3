// What players do on the page, one function a story. Each story begins on the page as a new player sees it.

import { must, tabTo } from "../lib/browser.mjs";
import {
  ask, clickCell, followHints, linkTo, movesMade, newGame, openGame, paste, pixels, pressTo, reads, stateOf, text,
} from "./actions.mjs";

const flood = (page, size = 8, colours = 4, seed = 3) =>
  newGame(page, { puzzle: "flood-it", rows: size, cols: size, colours, seed });
const clickomania = (page, options, more = {}) =>
  newGame(page, { puzzle: "clickomania", rows: 5, cols: 5, colours: 3, seed: 4, options, ...more });

async function solution(page, game) {
  const { status, known } = await ask(page, { ask: "solve", game, seconds: 60 });
  must(status === "optimal", `found ${status}, expected a proven optimum`);
  return known.moves;
}

/** A whole game by clicks, then undo to the start, then the same game by redo. */
async function wholeGameByClicks({ page }) {
  const game = await flood(page);
  await openGame(page, game);
  const start = await pixels(page);
  const moves = await solution(page, game);
  for (const [count, move] of moves.entries()) {
    const { cells } = await ask(page, { ask: "view", game, moves: moves.slice(0, count), known: {}, patience: 0 });
    await clickCell(page, game, cells.indexOf(game.symbols.indexOf(move)));
    await movesMade(page, count + 1);
  }
  await reads(page, "#standing", /^solved with \d+ moves: optimal$/, "a game by clicks");
  for (let count = moves.length; count > 0; count -= 1) await pressTo(page, "u", count - 1);
  must(await pixels(page) === start, "undo to the start leads to another board");
  for (let count = 0; count < moves.length; count += 1) await pressTo(page, "r", count + 1);
  await reads(page, "#standing", /: optimal$/, "redo to the end");
  await pressTo(page, "a", 0);
  must(await pixels(page) === start, "again leads to another board");
}

/** A whole game by number keys; the best result stays after a reload. */
async function wholeGameByKeys({ page }) {
  const game = await flood(page, 6, 4, 9);
  await openGame(page, game);
  const moves = await solution(page, game);
  for (const [count, move] of moves.entries()) await pressTo(page, move, count + 1);
  await reads(page, "#standing", /: optimal$/, "a game by keys");
  await reads(page, "#best", new RegExp(`^Your best here: ${moves.length} moves \\(1 game\\)$`), "a game by keys");
  await page.reload();
  await reads(page, "#standing", /: optimal$/, "after a reload");
  await reads(page, "#best", new RegExp(`^Your best here: ${moves.length} moves \\(1 game\\)$`), "after a reload");
  must(String((await stateOf(page)).moves) === String(moves), "a reload changes the moves");
}

/** A move that loses is told, and the list of moves leads back before the loss. */
async function lostMoveIsTold({ page }) {
  await openGame(page, await flood(page));
  await pressTo(page, "h", 0);
  await reads(page, "#verdict", /^Hint: colour \d/, "a hint");
  await pressTo(page, "h", 1);
  await page.keyboard.press("o");
  const losing = page.locator(".colour:has(.mark.lost)").first();
  await losing.click();
  await movesMade(page, 2);
  await reads(page, "#verdict", /^Move 2: loses \d+ moves?$/, "a losing move");
  await reads(page, "#live", /^Move 2, \d: loses \d+ moves?\.$/, "a losing move");
  await reads(page, "#standing", /more than the optimum/, "a losing move");
  must((await page.locator("#moves > li").nth(1).textContent()).includes("−"), "the list of moves does not mark the loss");
  await page.locator("#moves button").first().click();
  await movesMade(page, 1);
  await reads(page, "#verdict", /^Move 1: optimal$/, "back by the list of moves");
}

/** Hints lead to the optimum. */
async function hintsLeadToOptimum({ page }) {
  await openGame(page, await flood(page, 7, 5, 2));
  await reads(page, "#optimum", /^\d+ moves \(proven\)$/, "the optimum");
  await followHints(page, "hints");
  await reads(page, "#standing", /: optimal$/, "hints");
}

/** The number of optimal moves, with marks on demand. */
async function optimalMovesAreMarked({ page }) {
  await openGame(page, await flood(page));
  await reads(page, "#here", /^\d of \d moves optimal$/, "optimal here");
  must(await page.locator(".colour .mark:not(:empty)").count() === 0, "the marks are there without being asked for");
  await page.keyboard.press("o");
  const told = Number((await text(page, "#here"))[0]);
  must(await page.locator(".colour .mark.good").count() === told, `the marks do not say ${told} moves`);
}

/** A friend opens the link in a browser of his own: the same board, the moves to beat. */
async function linkIsShared({ page }, { friend }) {
  const game = await flood(page, 6, 4, 5);
  await openGame(page, game);
  const moves = await solution(page, game);
  for (const [count, move] of moves.entries()) await pressTo(page, move, count + 1);
  await reads(page, "#best", /^Your best here/, "a game to be shared");
  await page.getByRole("button", { name: "Share" }).click();
  const address = await page.locator("#link").inputValue();
  const other = await friend(address);
  await reads(other.page, "#friend", new RegExp(`^A friend's result: ${moves.length} moves: beat this!$`), "a link");
  const state = await stateOf(other.page);
  must(String(state.game.cells) === String(game.cells), "the link leads to another board");
  must(String(state.given.moves) === String(moves) && state.given.best === moves.length, "the link leads to other moves");
  must(state.moves.length === 0, "the friend does not begin at the start");
  await other.page.getByRole("button", { name: "Watch your friend" }).click();
  must(await text(other.page, "#film-moves") === moves.join(" "), "the film shows other moves");
  await other.page.reload();
  await reads(other.page, "#friend", /^A friend's result/, "a link after a reload");
  await other.done();
}

/** What cannot be read is refused with the reason; what has several meanings offers them. */
async function boardsArePasted({ page }) {
  await paste(page, "112\n2?1\n123\n");
  await reads(page, "dialog .problem", /2:2: found '\?', expected a digit or a letter/, "a rejected paste");
  await page.keyboard.press("Escape");
  await paste(page, "112231123\n121212121\n");
  await reads(page, "dialog .problem", /2 meanings/, "an ambiguous paste");
  const readings = page.locator("dialog .readings button");
  must(await readings.count() === 2, `found ${await readings.count()} readings, expected 2`);
  await readings.first().click();
  await page.locator("dialog").waitFor({ state: "detached" });
  await reads(page, "h1", /^2 × 9, 3 colours$/, "a chosen reading");
}

/** Several boards of one text, and a picture. */
async function boardsAreChosen({ page }) {
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("#pasted").fill("# one\n123\n321\n# two\n111\n222\n121\n");
  await page.locator("dialog").getByRole("button", { name: "Open" }).first().click();
  await page.locator("dialog input[type=number]").fill("2");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await reads(page, "h1", /^3 × 3, 2 colours$/, "the second board of a text");
  const picture = "P3 4 2 9\n9 0 0 9 0 0 0 0 9 0 0 9\n9 0 0 9 0 0 0 0 9 0 0 9\n";
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("dialog input[type=file]").setInputFiles({ name: "board.ppm", mimeType: "image/x-portable-pixmap",
    buffer: Buffer.from(picture) });
  await reads(page, "dialog .problem", /is a picture: name its rows and columns/, "a picture without its size");
  await page.locator("dialog").getByLabel("Size, if nothing says it").fill("1x2");
  await page.keyboard.press("Enter");
  await reads(page, "h1", /^1 × 2, 2 colours$/, "a picture");
}

/** A new board by size, colours, start and seed is the same again. */
async function seedsRepeat({ page }) {
  const make = async () => {
    await page.keyboard.press("n");
    for (const [label, value] of [["Rows", "6"], ["Columns", "7"], ["Colours", "5"], ["Start", "centre"], ["Seed", "77"]]) {
      await page.locator("dialog").getByLabel(label).fill(value);
    }
    await page.keyboard.press("Enter");
    await reads(page, "h1", /^6 × 7, 5 colours$/, "a new board");
    await reads(page, "#board-name", /seed77/, "the seed");
    return (await stateOf(page)).game;
  };
  const one = await make();
  must(String(one.start) === "3,3", `the start is ${one.start}, expected 3,3`);
  await page.getByRole("button", { name: "Today" }).click();
  await reads(page, "#board-name", /^board of /, "the board of the day");
  must(String((await make()).cells) === String(one.cells), "the same seed gives another board");
}

/** The board of the day is the same for everybody. */
async function dailyIsTheSame({ page }, { friend, address }) {
  await page.getByRole("button", { name: "Today" }).click();
  await reads(page, "#board-name", /^board of \d{4}-\d\d-\d\d$/, "the board of the day");
  const other = await friend(address);
  await other.page.getByRole("button", { name: "Today" }).click();
  await reads(other.page, "#board-name", /^board of /, "the board of the day");
  const [one, two] = [await stateOf(page), await stateOf(other.page)];
  must(String(one.game.cells) === String(two.game.cells), "two players get different boards of the day");
  await other.done();
}

/** The search shows its layers, and both limits meet. */
async function searchIsWatched({ page }) {
  await openGame(page, await flood(page, 10, 6, 1));
  await page.keyboard.press("s");
  await page.locator("#layers > li").first().waitFor();
  await page.locator(".film input[type=range]").focus();
  await reads(page, ".film .result-line", /^optimal: /, "a watched search");
  await page.keyboard.press("End");
  await reads(page, "#limits", /^\d+ moves: proven and reached$/, "a watched search");
  const layers = await page.locator("#layers .n").allTextContents();
  must(layers.length > 0 && layers.some((count) => Number(count.replaceAll(",", "")) > 0), "the layers have no counts");
  await page.keyboard.press("Escape");
  await page.locator(".colours").waitFor();
}

/** The optimum is shown move by move; the game can go on from any of its positions. */
async function optimumIsWatched({ page }) {
  const game = await flood(page, 7, 4, 6);
  await openGame(page, game);
  await reads(page, "#optimum", /proven/, "the optimum");
  await page.keyboard.press("w");
  await page.locator(".film input[type=range]").focus();
  await page.keyboard.press("End");
  const all = (await text(page, "#film-moves")).split(" ").length;
  await reads(page, ".film .place", new RegExp(`^${all} / ${all}$`), "the film");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await reads(page, ".film .place", /^2 \//, "the film");
  await page.getByRole("button", { name: "Go on from here" }).click();
  await movesMade(page, 2);
  await reads(page, "#standing", /optimal so far/, "the game goes on from the film");
}

/** A game of Clickomania for each objective, by hints, and one click by the mouse. */
async function clickomaniaObjectives({ page }) {
  for (const objective of ["clear", "clicks", "left", "score"]) {
    const game = await clickomania(page, objective === "clear" ? {} : { objective }, { kind: "clearable" });
    await openGame(page, game);
    const start = await pixels(page);
    await reads(page, "#optimum", /proven|can be cleared/, `the optimum of ${objective}`);
    const { choices } = await ask(page, { ask: "view", game, moves: [], known: {}, patience: 0 });
    await clickCell(page, game, choices[0].cells[0]);
    await movesMade(page, 1);
    await pressTo(page, "u", 0);
    must(await pixels(page) === start, `undo leads to another board under ${objective}`);
    await followHints(page, objective);
    await reads(page, "#standing", /: optimal$/, `hints under ${objective}`);
    await reads(page, "#best", /^Your best here: /, `the result under ${objective}`);
  }
}

/** A move that can no longer be mended is told. */
async function fatalClickIsTold({ page }) {
  const board = { kind: "clearable", rows: 4, cols: 4, colours: 4, seed: 2 };
  const game = await clickomania(page, { objective: "clicks" }, board);
  await openGame(page, game);
  await reads(page, "#here", /^6 of 7 moves optimal$/, "optimal here");
  await clickCell(page, game, 2);
  await reads(page, "#verdict", /^Move 1: loses the game/, "a fatal click");
}

/** Other rules for the same board. */
async function rulesChange({ page }) {
  await openGame(page, await clickomania(page, {}));
  await page.locator("#objective").selectOption("score");
  await reads(page, "#optimum", /points/, "another objective");
  await page.getByRole("button", { name: "Rules" }).click();
  await page.getByText("More rules").click();
  await page.locator("dialog").getByLabel("Points for a click").fill("n/0");
  await page.getByRole("button", { name: "Play by these rules" }).click();
  await reads(page, "dialog .problem", /./, "a rule that is wrong");
  await page.locator("dialog").getByLabel("Points for a click").fill("n(n-1)");
  await page.locator("dialog").getByLabel("Smallest group").fill("3");
  await page.getByRole("button", { name: "Play by these rules" }).click();
  await reads(page, "#board-name", /min group 3, score n\(n-1\)$/, "other rules");
  const { game } = await stateOf(page, "clickomania");
  must(game.options["min-group"] === "3" && game.options.score === "n(n-1)", "the game does not have the rules");
}

/** Everything by the keyboard: a board from the dialog, cells by arrow keys, back by the list of moves. */
async function keyboardAlone({ page }) {
  await tabTo(page, ".header-actions button", "keyboard");
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await openGame(page, await flood(page, 4, 3, 8));
  const before = await pixels(page);
  await tabTo(page, ".board-canvas", "keyboard");
  await page.keyboard.press("ArrowDown");
  await reads(page, "#live", /^Row 1, column 1: colour /, "the cell cursor");
  for (let at = 0; await page.locator("#moves > li").count() === 0; at += 1) {
    must(at < 16, "no cell of the board can be played by the keyboard");
    await page.keyboard.press(at % 4 === 3 ? "ArrowDown" : at % 8 < 4 ? "ArrowRight" : "ArrowLeft");
    await page.keyboard.press("Enter");
    await reads(page, "#verdict", /^Move 1|already/, "the cell cursor");
  }
  must(await pixels(page) !== before, "a move by the keyboard does not change the board");
  await reads(page, "#live", /^Move 1, \d: (optimal|loses \d+ moves?)\.$/, "the verdict");
  await tabTo(page, ".colour", "keyboard");
  await tabTo(page, ".move", "keyboard");
}

/** Symbols in the cells, on demand and where there are many colours. */
async function symbolsShow({ page }) {
  const game = await flood(page);
  await openGame(page, game);
  const plain = await pixels(page);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Symbols in the cells").selectOption("always");
  await page.keyboard.press("Escape");
  must(await pixels(page) !== plain, "symbols do not show");
}

/** The range of an optimum narrows while one looks, and nothing on the page moves. */
async function rangesNarrowInPlace({ page }) {
  await page.evaluate(() => {
    const seen = { texts: new Set(), places: new Set() };
    globalThis.checkSeen = seen;
    new MutationObserver(() => {
      const optimum = document.querySelector("#optimum")?.textContent;
      if (!/points/.test(optimum)) return;
      seen.texts.add(optimum);
      const top = (at) => document.querySelector(at).getBoundingClientRect().top;
      seen.places.add(String([".main-actions", ".here-row", "#best"].map(top)));
    }).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
  });
  await openGame(page, await clickomania(page, { objective: "score" }, { rows: 9, cols: 9, colours: 4 }));
  await page.waitForFunction(() => globalThis.checkSeen.texts.size >= 3);
  const places = await page.evaluate(() => [...globalThis.checkSeen.places]);
  must(places.length === 1, `the parts of the page move: ${places.join("; ")}`);
}

/** Whoever likes motion sees cells fall and the flood spread, and the same board in the end. */
async function motionEnds({ page }, { friend, address }) {
  const other = await friend(address, { reducedMotion: "no-preference" });
  for (const game of [await clickomania(page, {}), await flood(page)]) {
    const { choices } = await ask(page, { ask: "view", game, moves: [], known: {}, patience: 0 });
    for (const each of [page, other.page]) {
      await openGame(each, game);
      await reads(each, "#here", /^\d+ of \d+ moves? optimal$/, "motion");
      await clickCell(each, game, choices.at(-1).cells[0]);
      await movesMade(each, 1);
      await each.mouse.move(0, 0);
    }
    const calm = await pixels(page);
    await other.page.waitForFunction((wanted) => document.querySelector(".board-canvas").toDataURL() === wanted, calm);
  }
  await other.done();
}

/** The shipped data sets are those of the program, and open. */
async function dataSetsOpen({ page }, { datasets }) {
  for (const puzzle of ["flood-it", "clickomania", "bunny"]) {
    const { sets: names } = await ask(page, { ask: "sets", puzzle });
    const there = datasets(puzzle);
    must(String(names) === String(there), `found the data sets ${names} for ${puzzle}, expected ${there}`);
    for (const name of names) {
      const { games } = await ask(page, { ask: "shipped", name });
      must(games.every((game) => game.puzzle === puzzle), `${name} is not for ${puzzle}`);
    }
  }
}

/** The page works in a browser that keeps nothing. */
async function nothingIsKept(_, { friend, address }) {
  const other = await friend(address, { keepsNothing: true });
  await reads(other.page, "#optimum", /proven/, "a browser that keeps nothing");
  await other.page.keyboard.press("h");
  await reads(other.page, "#verdict", /^Hint/, "a browser that keeps nothing");
  await pressTo(other.page, "h", 1);
  await other.done();
}

/** A broken link is refused with the reason, and the page goes on. */
async function brokenLink({ page }) {
  await page.evaluate(() => {
    location.hash = "#p=flood-it&b=2x2c2s0.01";
  });
  await reads(page, ".banner", /^link: found the board/, "a broken link");
  await openGame(page, await flood(page));
  must(!(await page.locator(".banner").isVisible()), "the message of a broken link stays");
  must((await linkTo(page, await flood(page))).startsWith("#p=flood-it&b=8x8c4s0."), "a link looks unlike its format");
}

export const STORIES = {
  wholeGameByClicks, wholeGameByKeys, lostMoveIsTold, hintsLeadToOptimum, optimalMovesAreMarked, linkIsShared,
  boardsArePasted, boardsAreChosen, seedsRepeat, dailyIsTheSame, searchIsWatched, optimumIsWatched,
  clickomaniaObjectives, fatalClickIsTold, rulesChange, keyboardAlone, symbolsShow, rangesNarrowInPlace,
  motionEnds, dataSetsOpen, nothingIsKept, brokenLink,
};
