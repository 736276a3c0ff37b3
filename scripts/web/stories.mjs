// What players do on the page, one function a story. Each story begins on the page as a new player sees it.

import { readdirSync, readFileSync } from "node:fs";
import { must, tabTo } from "../lib/browser.mjs";
import {
  ask, clickCell, followHints, linkTo, movesMade, newGame, openGame, paste, pixels, places, pressTo, reads, stateOf, text,
} from "./actions.mjs";
import { solver } from "./module.mjs";

const flood = (page, size = 8, colours = 4, seed = 3) =>
  newGame(page, { puzzle: "flood-it", rows: size, cols: size, colours, seed });
const clickomania = (page, options, more = {}) =>
  newGame(page, { puzzle: "clickomania", rows: 5, cols: 5, colours: 3, seed: 4, options, ...more });

async function solution(page, game) {
  const { status, known } = await ask(page, { ask: "solve", game, seconds: 60 });
  must(status === "optimal", `found ${status}, expected a proven optimum`);
  return known.moves;
}

/** A whole game by clicks, the first one a double click, then undo to the start, then the same game by redo. */
async function wholeGameByClicks({ page }) {
  const game = await flood(page);
  await openGame(page, game);
  const start = await pixels(page);
  const moves = await solution(page, game);
  for (const [count, move] of moves.entries()) {
    const { cells } = await ask(page, { ask: "view", game, moves: moves.slice(0, count), known: {}, patience: 0 });
    await clickCell(page, game, cells.indexOf(game.symbols.indexOf(move)), { clickCount: count ? 1 : 2 });
    await movesMade(page, count + 1);
    if (count === 0) await reads(page, "#verdict", /^Move 1: optimal$/, "a double click");
  }
  await reads(page, "#standing", /^solved with \d+ moves$/, "a game by clicks");
  for (let count = moves.length; count > 0; count -= 1) await pressTo(page, "u", count - 1);
  must(await pixels(page) === start, "undo to the start leads to another board");
  await pressTo(page, "u", 0);
  await page.getByRole("button", { name: "Undo" }).click({ force: true });
  await reads(page, "#live", /^Back at the start\.$/, "undo at the start");
  for (let count = 0; count < moves.length; count += 1) await pressTo(page, "ry"[count % 2], count + 1);
  await reads(page, "#headline", /^optimal!$/, "redo to the end");
  await pressTo(page, "a", 0);
  must(await pixels(page) === start, "again leads to another board");
}

/** A whole game by number keys; the best result stays after a reload. How to play is said on the first visit. */
async function wholeGameByKeys({ page }) {
  await reads(page, "#intro", /^The flood begins at the marked cell/, "the first visit");
  must(await page.locator("#intro").isVisible(), "a first visit does not say how to play");
  const game = await flood(page, 6, 4, 9);
  await openGame(page, game);
  const moves = await solution(page, game);
  await reads(page, "#ways", /^\d+ optimal ways$/, "a proven optimum");
  for (const [count, move] of moves.entries()) await pressTo(page, move, count + 1);
  await reads(page, "#headline", /^optimal!$/, "a game by keys");
  await pressTo(page, "Control+z", moves.length - 1);
  await pressTo(page, "Control+z", moves.length - 2);
  await pressTo(page, "Control+y", moves.length - 1);
  await pressTo(page, "Control+Shift+Z", moves.length);
  await reads(page, "#best", new RegExp(`^Your best here: ${moves.length} moves \\(1 game\\)$`), "a game by keys");
  await page.reload();
  await reads(page, "#headline", /^optimal!$/, "after a reload");
  must(await page.locator("#intro").isHidden(), "a later visit says how to play");
  await reads(page, "#best", new RegExp(`^Your best here: ${moves.length} moves \\(1 game\\)$`), "after a reload");
  must(String((await stateOf(page)).moves) === String(moves), "a reload changes the moves");
}

/**
 * The optimal solutions are counted while one plays, until the player or the limit ends the count; then the player can
 * start a longer one. Nothing on the page moves.
 */
async function waysAreCounted({ page }) {
  await page.addInitScript(() => {
    globalThis.checkCounts = { limits: [], mode: "hold" };
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function post(message) {
      const question = JSON.parse(message.question ?? "{}");
      if (question.ask !== "count") return postMessage.call(this, message);
      const { limits, mode } = globalThis.checkCounts;
      limits.push(question.seconds);
      if (mode === "hold") return undefined;
      const seconds = mode === "limit" ? 0 : question.seconds;
      return postMessage.call(this, { ...message, question: JSON.stringify({ ...question, seconds }) });
    };
  });
  await page.reload();
  const turnTo = (mode) => page.evaluate((next) => {
    globalThis.checkCounts.mode = next;
  }, mode);
  const tops = () => page.evaluate(() => String(["#standing", ".main-actions", ".here-row"].map((at) =>
    document.querySelector(at).getBoundingClientRect().top + scrollY)));
  const [stop, count] = ["Stop", "Count"].map((name) => page.getByRole("button", { name, exact: true }));
  await openGame(page, await flood(page, 6, 4, 9));
  await reads(page, "#ways", /^counting ways …$/, "a proven optimum");
  const before = await tops();
  await pressTo(page, "h", 0);
  await pressTo(page, "h", 1);
  await reads(page, "#here", /optimal$/, "a move");
  await reads(page, "#ways", /^counting ways …$/, "a move during the count");
  await stop.click();
  await reads(page, "#ways", /^ways not counted$/, "a count that the player has stopped");
  await turnTo("limit");
  await count.click();
  await reads(page, "#ways", /^ways not counted$/, "a count that has reached its limit");
  await count.waitFor();
  await turnTo("pass");
  await count.click();
  await reads(page, "#ways", /^\d+ optimal ways$/, "a longer count");
  must(await count.count() === 0, "a finished count can be started");
  must(await tops() === before, `the parts of the page move from ${before} to ${await tops()}`);
  const limits = await page.evaluate(() => globalThis.checkCounts.limits.slice(-3));
  must(limits[0] < limits[1] && limits[1] === limits[2], `the limits of the counts are ${limits}`);
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
  await reads(page, "#standing", /\(optimum \+ \d+\)/, "a losing move");
  must((await page.locator("#moves > li").nth(1).textContent()).includes("−"), "the list of moves does not mark the loss");
  await page.locator("#moves button").first().click();
  await movesMade(page, 1);
  await reads(page, "#verdict", /^Move 1: optimal$/, "back by the list of moves");
}

/** Hints lead to the optimum, but not to a best result of the player's. Nothing on the page moves when a hint comes. */
async function hintsLeadToOptimum({ page }) {
  const areas = { puzzle: "free-flood", rows: 4, cols: 4, colours: 3, seed: 5 };
  for (const game of [await flood(page), await clickomania(page, {}, { kind: "clearable" }), await newGame(page, areas)]) {
    await openGame(page, game);
    await reads(page, "#here", /^\d+ of \d+ moves? optimal$/, "before a hint");
    const before = await places(page);
    await pressTo(page, "h", 0);
    await reads(page, "#verdict", /^Hint: /, "a hint");
    const after = await places(page);
    must(after === before, `${game.puzzle}: a hint moves the parts of the page from ${before} to ${after}`);
  }
  await openGame(page, await flood(page, 7, 5, 2));
  await reads(page, "#optimum", /^\d+ moves \(proven\)$/, "the optimum");
  await followHints(page, "hints");
  await reads(page, "#headline", /^optimal!$/, "hints");
  await helpIsTold(page, "hints");
  await reads(page, "#live", /: optimal\. Hints were played: /, "hints");
}

async function helpIsTold(page, place) {
  must(await page.locator("#helped").isVisible(), `${place}: the end does not say that hints were played`);
  await reads(page, "#best", /^No unaided game yet$/, `${place}: a game with hints counts`);
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
  await page.getByRole("button", { name: "Share", exact: true }).click();
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
  await paste(page, "112\n231\n");
  await reads(page, "#notice", /^read as text/, "the note of the reader");
  await paste(page, "p=flood-it&b=1x3c1s0.000");
  await reads(page, "h1", /^1 × 3, 1 colour$/, "the end of a link");
  must(await page.locator("#notice").isHidden(), "the note of the reader stays");
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
  await reads(page, "dialog .problem", /2 meanings/, "a picture of blocks without its size");
  await reads(page, "dialog .readings button:first-child", /^one board of 1 x 2$/, "a size that fits");
  must(await page.getByRole("button", { name: "Open this board" }).count() === 1, "two buttons have one name");
  await page.locator("dialog").getByLabel("Size, if nothing says it").fill("1x2");
  await page.keyboard.press("Enter");
  await reads(page, "h1", /^1 × 2, 2 colours$/, "a picture");
}

/** A new board by size, colours, start and seed is the same again. */
async function seedsRepeat({ page }) {
  const make = async () => {
    await page.keyboard.press("n");
    await page.locator("dialog").waitFor();
    const focus = await page.evaluate(() => document.activeElement.textContent);
    must(/^medium/.test(focus), `the dialog begins at ${focus}, expected the usual level`);
    await page.getByText("A board of your own").click();
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
  must(await text(page, ".film h2") === "The optimum", "the film of the optimum has another title");
  must(await page.locator("#board-help").isHidden(), "a film asks for clicks");
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
    await reads(page, "#headline", /^(optimal|cleared)!$/, `hints under ${objective}`);
    await helpIsTold(page, objective);
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
  await reads(page, "#how-to", /^A click removes a group/, "how to play");
  await page.getByText("More rules").click();
  await page.locator("dialog").getByLabel("Points for a click").fill("n/0");
  await page.getByRole("button", { name: "Play by these rules" }).click();
  await reads(page, "dialog .problem", /./, "a rule that is wrong");
  await page.locator("dialog").getByLabel("Points for a click").fill("n(n-1)");
  await page.locator("dialog").getByLabel("Smallest group").fill("3");
  await page.getByRole("button", { name: "Play by these rules" }).click();
  await reads(page, "#board-name", / n\(n-1\) points for n cells, .*, min group 3$/, "other rules");
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
  // A busy browser measures the board late: after the first range is there.
  await page.addInitScript(() => {
    const { ResizeObserver } = globalThis;
    globalThis.ResizeObserver = class extends ResizeObserver {
      constructor(tell) {
        const tellLate = (entries) =>
          globalThis.checkSeen?.texts.size ? tell(entries) : setTimeout(() => tellLate(entries), 5);
        super(tellLate);
      }
    };
  });
  await page.reload();
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
  if (/proven/.test(await text(page, "#optimum"))) return;
  await page.getByRole("button", { name: "Best solution" }).click();
  must(await text(page, ".film h2") === "The best solution so far", "a solution that is not proven is called the optimum");
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

/** The table of the puzzles is the only file that names a puzzle, besides those that draw one. */
async function tableNamesPuzzles({ page }, { folder }) {
  const { puzzles } = await ask(page, { ask: "puzzles" });
  const names = puzzles.flatMap(({ id, title }) => [id, title]);
  const files = readdirSync(folder).filter((file) => /\.(js|css|html|webmanifest)$/.test(file) && !/^(bunny|puzzles|sw)\b/.test(file));
  for (const file of files) {
    const text = readFileSync(`${folder}/${file}`, "utf8").replace(/bunny[-a-z]*\.(css|js)/g, "");
    must(!names.some((name) => text.includes(name)), `${file} names one of ${names}`);
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

/** Each tab keeps its own game; a new tab begins with the last one. */
async function tabsKeepTheirGames({ page, context }, { address }) {
  const title = /^8 × 8, 4 colours$/;
  await openGame(page, await flood(page));
  const other = await context.newPage();
  await other.goto(address);
  await reads(other, "h1", title, "a new tab");
  await openGame(other, await flood(other, 5));
  await page.reload();
  await reads(page, "h1", title, "a reload beside another tab");
  await other.reload();
  await reads(other, "h1", /^5 × 5, 4 colours$/, "a reload of the other tab");
  await other.close();
}

/** The page of the program: a link is a command, a note is shown, and a move is not made once the program has ended. */
async function programEnds({ page }, { friend, address, folder }) {
  const answer = await solver(`${folder}/gridhunt.wasm`);
  let isThere = true;
  const note = "link: its moves were dropped";
  const served = (question) => {
    if (!isThere) return null;
    return question.ask === "open" ? { ...answer(question), note } : answer(question);
  };
  const link = (await linkTo(page, await flood(page, 4, 3))).slice(1);
  const other = await friend(`${address}#${link}`, { served });
  await reads(other.page, ".banner", new RegExp(`^${note}$`), "a note");
  await reads(other.page, "#optimum", /proven/, "the program's page");
  await other.page.getByRole("button", { name: "Share", exact: true }).click();
  const command = await other.page.locator("#link").inputValue();
  must(command === `gridhunt play '${link}'`, `found the command ${command}`);
  await paste(page, `${command}\n`);
  await reads(page, "h1", /^4 × 4, 3 colours$/, "a pasted command");
  await other.page.keyboard.press("Escape");
  await other.page.locator("dialog").waitFor({ state: "detached" });
  isThere = false;
  await other.page.keyboard.press("h");
  await other.page.keyboard.press("h");
  await reads(other.page, ".banner", /^The program behind this page has ended: start gridhunt play again\.$/, "the end");
  must((await stateOf(other.page)).moves.length === 0, "a move without an answer is kept");
  isThere = true;
  await pressTo(other.page, "h", 0);
  await pressTo(other.page, "h", 1);
  must(await other.page.locator(".banner").isHidden(), "the message stays when the program is there again");
  const unknown = other.faults.splice(0).filter((fault) => !/ERR_FAILED/.test(fault));
  must(unknown.length === 0, `the end of the program: ${unknown.join("; ")}`);
  await other.done();
}

/** What is known of positions stays when another game is open; less patience ends a search. The solver is a stub. */
async function thinkingRemembers({ page }) {
  const found = await page.evaluate(async () => {
    const { Thinking } = await import("./thinking.js");
    const told = [];
    const now = { patience: 1000 };
    const game = (start) => ({ puzzle: "flood-it", rows: 1, cols: 1, cells: [0], symbols: ["1"], start });
    const [one, two] = [game([0, 0]), game([0, 1])];
    let search;
    const searches = new Promise((done) => {
      search = done;
    });
    const ask = async (question, { signal } = {}) => {
      const { known, patience } = question;
      if (question.ask === "view") {
        told.push(Object.entries(known).map(([key, { bound, tried }]) => `${key} ${bound} ${tried}`).join(", "));
        const isTried = (known.here?.tried ?? -1) >= patience;
        const questions = question.game === one && !isTried ? [{ key: "here", moves: [], role: "here", seconds: patience }] : [];
        return { key: "here", unit: "moves", questions, learned: [{ key: "here", known: { bound: 5, tried: 0, moves: [] } }] };
      }
      search(question.seconds);
      return new Promise((_, fail) => {
        signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
      });
    };
    let ended;
    const ends = new Promise((done, fail) => {
      ended = done;
      setTimeout(() => fail(new Error("the search goes on")), 30000);
    });
    const thinking = new Thinking({ ask, patience: () => now.patience, onView: () => {}, onError: (error) => told.push(error.message),
      onSearch: (role) => now.patience < 1 && role === null && ended() });
    thinking.open(one, []);
    const seconds = await searches;
    now.patience = 0.001;
    thinking.refresh();
    await ends;
    thinking.open(two, []);
    await thinking.refresh();
    const shown = new Promise((done) => {
      thinking.onView = done;
    });
    told.length = 0;
    thinking.open(one, []);
    await shown;
    thinking.close();
    return `${seconds}: ${told[0]}`;
  });
  must(found === "1000: here 5 0.001", `found ${found}`);
}

/** Windows that are narrow or low: nothing is wider than the page, and the verdict is there without scrolling. */
async function smallWindows({ page }) {
  const before = page.viewportSize();
  const visit = async (name) => {
    await page.getByRole("button", { name }).click();
    await reads(page, "#optimum", /./, name);
  };
  for (const [width, height] of [[320, 640], [640, 450], [844, 390]]) {
    await page.setViewportSize({ width, height });
    for (const name of ["Hopping Bunny", "Clickomania", "Flood-It"]) {
      await visit(name);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      must(wide <= width, `${name}: the page is ${wide} pixels wide, its window ${width}`);
    }
    if (width < 600) continue;
    await page.keyboard.press(await page.evaluate(() => document.querySelector(".colour.adds").ariaKeyShortcuts));
    await reads(page, "#verdict", /^Move \d+: /, "a low window");
    await openGame(page, await flood(page));
    const lowest = await page.evaluate(() => {
      scrollTo(0, 0);
      return Math.max(...[".colours", "#verdict"].map((at) => document.querySelector(at).getBoundingClientRect().bottom));
    });
    must(lowest <= height, `${width} x ${height}: the verdict ends at pixel ${lowest}`);
  }
  await page.setViewportSize(before);
}

/** Without a network the page goes on. */
async function worksOffline({ page, context }) {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await context.setOffline(true);
  await page.reload();
  await reads(page, "#optimum", /proven/, "without a network");
  const icons = await page.evaluate(async () => {
    const { href } = document.querySelector("link[rel=manifest]");
    const { icons: [{ src }] } = await (await fetch(href)).json();
    return (await fetch(src)).ok;
  });
  must(icons, "the manifest has no icon");
  await context.setOffline(false);
}

/** A new version of the files takes the place of the old one once no page needs that one any more. */
async function newVersionReplacesOld({ page }, { address, folder, change }) {
  const [index, worker] = ["index.html", "sw.js"].map((name) => readFileSync(`${folder}/${name}`, "utf8"));
  const shown = () => page.evaluate(() => document.documentElement.dataset.version ?? "first");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  change("index.html", index.replace("<html", '<html data-version="second"'));
  change("sw.js", worker.replace(/^const VERSION = .*/m, 'const VERSION = "second";'));
  await page.reload();
  must(await shown() === "first", "files of two versions are mixed");
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
    const coming = registration.installing;
    if (coming) await new Promise((done) => coming.addEventListener("statechange", () => coming.state === "installed" && done()));
  });
  must(await shown() === "first", "a page changed under its user");
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.version === "second");
  const kept = await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    return (await caches.keys()).length;
  });
  must(kept === 1, `${kept} versions are kept, expected the newest alone`);
  change("index.html", index);
  change("sw.js", worker);
}

/** The end of a game says in a word how it went; the next board has the same size, and the result gives no move away. */
async function endIsTold({ page }) {
  const game = await flood(page, 6, 4, 9);
  await openGame(page, game);
  const moves = await solution(page, game);
  for (const [count, move] of moves.slice(0, -1).entries()) await pressTo(page, move, count + 1);
  must(await page.locator(".end").isHidden(), "the end is told before the last move");
  await pressTo(page, moves.at(-1), moves.length);
  await reads(page, "#headline", /^optimal!$/, "the end");
  must(await page.locator(".colours").isHidden(), "a finished game offers colours");
  const told = (await page.locator(".end, #standing, #verdict").allTextContents()).join("; ");
  must(told.match(/optimal/gi).length === 1, `the end says more than once that the game is optimal: ${told}`);
  await page.getByRole("button", { name: "Share result" }).click();
  const result = await page.locator("#result-text").inputValue();
  must(result.startsWith(`gridhunt Flood-It, 6 × 6, 4 colours\n${moves.length}/${moves.length} moves, all optimal\nhttp`),
    `the result is ${result}`);
  must(!/&m=|&best=/.test(result), "the result gives moves away");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Enter");
  await movesMade(page, 0);
  await reads(page, "h1", /^6 × 6, 4 colours$/, "the next board");
  const { game: next } = await stateOf(page);
  must(String(next.cells) !== String(game.cells), "the next board is the same");
  // A move that is known to lose ends with what it has cost.
  await openGame(page, game);
  const { choices } = await ask(page, { ask: "view", game, moves: [], known: {}, patience: 0 });
  const lost = await losingMove(page, game, choices, moves.length);
  await pressTo(page, lost.name, 1);
  for (const [count, move] of lost.rest.entries()) await pressTo(page, move, count + 2);
  await reads(page, "#headline", /^\+\d$/, "a lost move");
}

/** A first move that is not optimal, and the best way on. */
async function losingMove(page, game, choices, optimum) {
  for (const { name } of choices) {
    const { known } = await ask(page, { ask: "solve", game, moves: [name], seconds: 60 });
    if (known.held + 1 > optimum) return { name, rest: known.moves };
  }
  throw new Error("every first move is optimal");
}

/** Days in a row count boards that are solved on their day; the calendar opens earlier ones and marks what is solved. */
async function daysAreKept({ page }) {
  await page.getByRole("button", { name: "Clickomania" }).click();
  await reads(page, "#board-name", /^board of /, "the board of the day");
  const { game } = await stateOf(page, "clickomania");
  for (const [count, move] of (await solution(page, game)).entries()) {
    const [row, col] = move.split(",").map(Number);
    await clickCell(page, game, (row - 1) * game.cols + col - 1);
    await movesMade(page, count + 1);
  }
  await reads(page, "#headline", /^optimal!$/, "the board of the day");
  await reads(page, ".end .note", /^1 day in a row$/, "the streak");
  await page.getByRole("button", { name: "Share result" }).click();
  const result = await page.locator("#result-text").inputValue();
  must(/^gridhunt Clickomania, board of [-\d]+\n\d+\/\d+ clicks, all optimal \(1 day in a row\)\nhttp[^#]+$/.test(result),
    `the result is ${result}`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  const day = page.locator("dialog .day[aria-current=date]");
  must(/, optimal$/.test(await day.getAttribute("aria-label")), "the calendar does not mark the day");
  await page.getByRole("button", { name: "Month before" }).click();
  await page.locator("dialog .day").first().click();
  await reads(page, "#board-name", /^board of [-\d]+-01 /, "an earlier day");
}

/** Groups tell their size and points under the pointer, and the subtitle the rule. */
async function groupsHavePoints({ page }) {
  const game = await clickomania(page, { objective: "score" }, { rows: 4, cols: 4 });
  await openGame(page, game);
  await reads(page, "#board-name", /\(n-2\)\^2 points for n cells, 1000 for a clear$/, "the rule");
  const { choices: [{ cells, points }] } = await ask(page, { ask: "view", game, moves: [], known: {}, patience: 0 });
  must(points === (cells.length - 2) ** 2, `the group of ${cells.length} cells has ${points} points`);
  await page.mouse.move(0, 0);
  await clickCell(page, game, cells[0], { trial: true });
  const box = await page.locator(".board-canvas").boundingBox();
  const [cellWide, cellHigh] = [(box.width - 6) / game.cols, (box.height - 6) / game.rows];
  await page.mouse.move(box.x + 3 + (cells[0] % game.cols + 0.5) * cellWide,
    box.y + 3 + (Math.floor(cells[0] / game.cols) + 0.5) * cellHigh);
  await reads(page, ".tip", new RegExp(`^${cells.length} cells, ${points} points?$`), "the pointer");
}

/** A game ID of Flood holds a limit; a game that needs more moves says so. */
async function limitIsKept({ page }) {
  await paste(page, "3x2c3m5:012012,3");
  await reads(page, "#board-name", /limit 3$/, "a game ID");
  await reads(page, "#standing", /3 left to the limit/, "a game ID");
  await page.getByRole("button", { name: "Rules" }).click();
  await page.getByLabel("Most moves").fill("1");
  await page.getByRole("button", { name: "Play by these rules" }).click();
  await reads(page, "#board-name", /limit 1$/, "another limit");
  await followHints(page, "a limit");
  await reads(page, "#headline", /^over the limit$/, "a limit");
}

/** What is proven has a certificate, which the page checks and hands out. */
async function optimumIsCertified({ page }) {
  await openGame(page, await flood(page));
  await page.getByRole("button", { name: "Check the proof" }).click();
  await reads(page, "#proof", /Proven, checked here in \d+ ms: [^/]+\.cert$/, "a certificate");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#proof a").click()]);
  must(/\.cert$/.test(download.suggestedFilename()), `found the file ${download.suggestedFilename()}`);
  const file = readFileSync(await download.path(), "latin1");
  must(file.startsWith("GHCERT 3 flood-it\n8 8 4 "), `found ${file}`);
  await openGame(page, await clickomania(page));
  must(await page.locator("#proof").count() === 0 || await page.locator("#proof").isHidden(), "Clickomania has certificates");
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

/** Back returns to the board that was left, with its moves; forward to the other one. */
async function backReturnsToTheBoard({ page }) {
  const game = await flood(page, 6, 4, 9);
  await openGame(page, game);
  const [move] = await solution(page, game);
  await pressTo(page, move, 1);
  await page.getByRole("button", { name: "Today", exact: true }).click();
  await reads(page, "#board-name", /^board of /, "the board of the day");
  await page.goBack();
  await reads(page, "h1", /^6 × 6, 4 colours$/, "back");
  await movesMade(page, 1);
  await page.goForward();
  await reads(page, "#board-name", /^board of /, "forward");
  await page.goBack();
  await page.reload();
  await reads(page, "h1", /^6 × 6, 4 colours$/, "a reload after going back");
}

/** Free flood: a colour is chosen, then an area; hints choose the colour; the rules may name the colour at the end. */
async function areasTakeColours({ page }) {
  await page.getByRole("button", { name: "Free flood", exact: true }).click();
  await reads(page, "#intro", /choose the colour, then click the area/, "the first visit");
  const game = await newGame(page, { puzzle: "free-flood", rows: 4, cols: 4, colours: 3, seed: 5 });
  await openGame(page, game);
  const [move] = await solution(page, game);
  const [row, col, colour] = move.split(",");
  await page.keyboard.press(colour);
  await page.locator(`.colour[aria-pressed=true][aria-label="colour ${colour}"]`).waitFor();
  const index = (Number(row) - 1) * game.cols + Number(col) - 1;
  await clickCell(page, game, index);
  await movesMade(page, 1);
  await reads(page, "#verdict", /^Move 1: optimal$/, "a move of a solution");
  await clickCell(page, game, index);
  await reads(page, "#verdict", /^This area has colour . already/, "the same area again");
  await page.keyboard.press("o");
  await followHints(page, "free flood");
  await reads(page, "#headline", /^optimal!$/, "hints");
  await page.getByRole("button", { name: "Rules", exact: true }).click();
  await page.getByLabel("Colour at the end").selectOption(game.symbols[1]);
  await page.getByRole("button", { name: "Play by these rules" }).click();
  await reads(page, "#board-name", new RegExp(`all cells to get colour ${game.symbols[1]}`), "a target");
  must((await stateOf(page, "free-flood")).game.options.target === game.symbols[1], "the target is not kept");
}

export const STORIES = {
  wholeGameByClicks, wholeGameByKeys, waysAreCounted, lostMoveIsTold, hintsLeadToOptimum, optimalMovesAreMarked, linkIsShared,
  boardsArePasted, boardsAreChosen, seedsRepeat, dailyIsTheSame, searchIsWatched, optimumIsWatched,
  clickomaniaObjectives, fatalClickIsTold, rulesChange, keyboardAlone, symbolsShow, rangesNarrowInPlace,
  motionEnds, dataSetsOpen, tableNamesPuzzles, nothingIsKept, brokenLink, tabsKeepTheirGames, programEnds, thinkingRemembers, smallWindows,
  worksOffline, newVersionReplacesOld, endIsTold, daysAreKept, groupsHavePoints, limitIsKept, optimumIsCertified,
  areasTakeColours, backReturnsToTheBoard,
};
