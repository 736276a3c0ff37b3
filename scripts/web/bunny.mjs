// Stories of players of Hopping Bunny on the page, one function each, and screenshots of the board and tiles.

import { must, tabTo } from "../lib/browser.mjs";
import { ask, openGame, pixels, reads, stateOf, text } from "./actions.mjs";

/** The tokens of the shortest program of each level. */
const SHORTEST_LENGTHS = [2, 4, 4, 5, 5, 4, 7, 7, 6, 6, 6, 8];

async function openLevel(page, number) {
  await page.getByRole("button", { name: "Hopping Bunny" }).click();
  await page.locator(".level").nth(number - 1).click();
  await reads(page, "h1", new RegExp(`^Level ${number}$`), "a level");
  await reads(page, "#optimum", /proven/, "a level");
}
const levelName = (page, number) => page.locator(".level").nth(number - 1).getAttribute("aria-label");
const program = (page) => page.locator("#program-text").inputValue();
async function programIs(page, wanted, place) {
  await page.waitForFunction((expected) => document.querySelector("#program-text")?.value === expected, wanted)
    .catch(async () => {
      throw new Error(`${place}: found the program ${await program(page)}, expected ${wanted}`);
    });
}

/** Runs the program to its end, and waits for a result that matches; before, the page must not show the result. */
async function outcome(page, pattern, place) {
  await page.locator('[aria-label="To the end"][aria-disabled=false]').waitFor();
  await reads(page, "#standing", /^Run the program to see its result\.$/, place);
  const isText = await page.evaluate(() => document.activeElement.matches("textarea"));
  await (isText ? page.getByRole("button", { name: "To the end" }).click() : page.keyboard.press("e"));
  await reads(page, "#standing", pattern, place);
}

/** Drags the element `from` onto the element `to`, to the fraction `share` of its width. */
async function drag(page, from, to, share = 0.1) {
  // Centred, because the tray covers the bottom of a small window.
  for (const selector of [to, from]) await page.locator(selector).evaluate((node) => node.scrollIntoView({ block: "center" }));
  const [source, target] = [await page.locator(from).boundingBox(), await page.locator(to).boundingBox()];
  await page.mouse.move(source.x + source.width / 2, source.y + source.height / 2);
  await page.mouse.down();
  await page.mouse.move(source.x + source.width / 2 + 10, source.y + source.height / 2 + 10);
  await page.mouse.move(target.x + target.width * share, target.y + target.height / 2, { steps: 4 });
  await page.mouse.up();
}
const trayTile = (kind) => `.tray [data-kind=${kind}]`;
const at = (place) => `#program [data-place="${place}"]`;

/** Tiles are added by clicks, dragged into loops, moved, and dragged away. */
async function bunnyTiles({ page }) {
  await openLevel(page, 1);
  await page.locator(trayTile("F")).click();
  await outcome(page, /1 square/, "one hop");
  await drag(page, trayTile("F"), at("1"));
  must(await levelName(page, 1) === "Level 1, not solved", "a level is solved before the program has run");
  must(await page.locator(".end").isHidden(), "the end is shown before the program has run");
  await outcome(page, /^all squares marked with 2 tokens: no program is shorter$/, "two hops");
  await reads(page, "#headline", /^optimal!$/, "two hops");
  must(await levelName(page, 1) === "Level 1, solved with 2 tokens, the shortest", `the level is called ${await levelName(page, 1)}`);
  await openLevel(page, 2);
  await drag(page, trayTile("LOOP"), at("0"));
  for (const kind of ["F", "F"]) await page.locator(trayTile(kind)).click();
  await programIs(page, "LOOP{FF}", "clicks in a loop");
  await drag(page, trayTile("R"), at("0.0"));
  await programIs(page, "LOOP{RFF}", "a tile dragged into a loop");
  await outcome(page, /no program is shorter/, "level 2");
  await drag(page, at("0.0"), at("1"));
  await programIs(page, "LOOP{FF}R", "a tile dragged out of a loop");
  await drag(page, at("0"), at("2"));
  await programIs(page, "RLOOP{FF}", "a loop that is moved");
  await drag(page, at("1"), at("1.0"), 0.5);
  await programIs(page, "RLOOP{FF}", "a loop dragged into itself");
  await drag(page, at("1"), trayTile("L"), 0.5);
  await programIs(page, "R", "a loop dragged away");
  await page.keyboard.press("u");
  await programIs(page, "RLOOP{FF}", "undo");
}

/** A program by keys: loops with counts, removal, undo to the start and redo to the end. */
async function bunnyKeys({ page }) {
  await openLevel(page, 4);
  for (const key of "o17") await page.keyboard.press(key);
  await programIs(page, "LOOP(17){}", "digits");
  await reads(page, "#standing", /^A loop is empty/, "an empty loop");
  for (const key of ["Backspace", "o", "o", "7", "l", "f"]) await page.keyboard.press(key);
  await programIs(page, "LOOP{LOOP(7){LF}}", "nested loops");
  for (const key of ["Escape", "Escape", "Enter", "ArrowRight", "ArrowLeft", "End", "ArrowLeft", "f"]) await page.keyboard.press(key);
  await programIs(page, "LOOP{LOOP(7){LF}F}", "arrows and Enter");
  await outcome(page, /^all squares marked with 5 tokens: no program is shorter$/, "level 4 by keys");
  for (let count = 0; count < 20; count += 1) await page.keyboard.press("u");
  await programIs(page, "", "undo to the start");
  for (let count = 0; count < 20; count += 1) await page.keyboard.press("y");
  await programIs(page, "LOOP{LOOP(7){LF}F}", "redo to the end");
  await page.keyboard.press("Control+z");
  await programIs(page, "LOOP{LOOP(7){LF}}", "undo with Ctrl");
  await page.keyboard.press("Home");
  await page.keyboard.press("Delete");
  await programIs(page, "", "a loop that is removed");
}

/** The text and the tiles are the same program; the error of a wrong text names the place. */
async function bunnyText({ page }) {
  await openLevel(page, 5);
  const input = page.locator("#program-text");
  await input.fill("loop(4){lloop(12){f}l}f");
  await page.locator(`${at("0.1.0")}.tile-f`).waitFor();
  must(await page.locator("#program .tile").count() === 6, "the tiles differ from the text");
  await input.fill("LOOP(4){LX}");
  await reads(page, "#program-problem", /^Character 10: found 'X', expected F, L, R, /, "a wrong letter");
  must(await text(page, "#program-problem mark") === "X", "the wrong letter is not marked");
  await page.locator(".fault-text").click();
  const selection = await input.evaluate(({ selectionStart, selectionEnd }) => `${selectionStart}-${selectionEnd}`);
  must(selection === "9-10", `the place of the fault is ${selection}, expected 9-10`);
  for (const [wrong, message] of [["LOOP(0){F}", /^Character 6: found "0"/], ["LOOP(3){F", /^Character 10: found the end/],
    ["}", /^Character 1: found '}' without a loop/]]) {
    await input.fill(wrong);
    await reads(page, "#program-problem", message, wrong);
  }
  await input.fill("LOOP{FLOOP(9){LF}}");
  await outcome(page, /^all squares marked with 5 tokens: no program is shorter$/, "level 5 by text");
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await programIs(page, "", "undo of what was typed");
  await page.keyboard.press("y");
  must(await page.locator("#program-problem").isHidden(), "the fault of an older text stays");
}

/** A run shows the trail: step by step, backwards, at the end, and when it plays by itself. */
async function bunnyRuns({ page }) {
  await openLevel(page, 4);
  const start = await pixels(page);
  await page.locator("#program-text").fill("LOOP{LOOP(7){LF}F}");
  await reads(page, "#standing", /^Run the program/, "a program");
  await page.locator("h1").click();
  const [pictures, places] = [[], []];
  for (let step = 1; step <= 4; step += 1) {
    await page.keyboard.press(".");
    await reads(page, "#run-place", new RegExp(`^${step}$`), "a step");
    pictures.push(await pixels(page));
    places.push(await page.locator("#program .runs").last().getAttribute("data-place"));
  }
  // The fourth step is a hop into the void.
  must(new Set([start, ...pictures]).size === 4 && pictures[3] === pictures[2], "the steps show the wrong pictures");
  must(places.join(" ") === "0.0.0 0.0.1 0.0.0 0.0.1", `the tiles ${places} are marked`);
  await reads(page, "#live", /^Step 4: hop, \d+ squares left\. \d+ squares left; bunny at row \d+, column \d+, facing /, "a step");
  await page.keyboard.press(",");
  must(await pixels(page) === pictures[2], "a step back shows another picture");
  await page.keyboard.press("e");
  await reads(page, "#outcome", /^all squares marked/, "the end of a run");
  const end = await pixels(page);
  await page.keyboard.press("s");
  must(await pixels(page) === start, "stop leads to another picture");
  await page.locator("#speed").evaluate((slider) => {
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input"));
  });
  await page.locator("#run").click();
  await reads(page, "#outcome", /^all squares marked/, "a run");
  must(await pixels(page) === end, "a run ends with another picture");
  await reads(page, "#live", /^all squares marked/, "a run");
}

/** With and without animation, a run ends with the same picture. */
async function bunnyMotion({ page }, { friend, address }) {
  const animated = await friend(address, { reducedMotion: "no-preference" });
  for (const each of [page, animated.page]) {
    await openLevel(each, 2);
    await each.locator("#program-text").fill("LOOP{RFF}");
    await reads(each, "#standing", /^Run the program/, "motion");
    await each.locator("#run").click();
    await reads(each, "#outcome", /^all squares marked/, "motion");
  }
  const still = await pixels(page);
  await animated.page.waitForFunction((wanted) => document.querySelector(".board-canvas").toDataURL() === wanted, still);
  await animated.done();
}

/** A run marks the tiles that the solver executes. */
async function bunnyTrace({ page }) {
  const { games } = await ask(page, { ask: "shipped", name: "twelve.txt" });
  for (const text of ["LOOP(3){LLOOP(2){FR}}LOOP{FLOOP(5){RF}}", "FFRLOOP(4){LOOP(3){LOOP(2){F}L}R}F", "LOOP{LOOP(6){F}R}F"]) {
    const { program: canonical, steps } = await ask(page, { ask: "program", game: games[7], program: text });
    const found = await page.evaluate(async ([source, count]) => {
      const { parseProgram, tileAt, walk, writeProgram } = await import("./bunny-program.js");
      const tiles = parseProgram(source);
      let letters = "";
      for (const { place } of walk(tiles)) {
        if (letters.length === count) break;
        letters += tileAt(tiles, place).kind;
      }
      return { letters, text: writeProgram(tiles) };
    }, [canonical, steps.length]);
    must(found.text === canonical && canonical === text, `${text}: the tiles say ${found.text}`);
    must(found.letters === steps.map(([letter]) => letter).join(""), `${text}: the marked tiles differ from the executed ones`);
  }
}

/** A run has a trail; each square is marked at the first step that reaches it. */
async function bunnyTrack({ page }) {
  const found = await page.evaluate(async () => {
    const { trackOf } = await import("./bunny-board.js");
    const { frames, marked, edges } = trackOf({ cols: 5, start: [1, 0] }, [["F", [6, 0], 4], ["L", [6, 3], 4], ["F", [1, 3], 3]]);
    return JSON.stringify([frames[0], [...marked], edges.map(({ from, to, at: first }) => [from, to, first])]);
  });
  must(found === "[[5,0],[[5,0],[6,1],[1,3]],[[5,6,1],[6,1,3]]]", `found ${found}`);
}

/** A search gets the time limit of the settings; a lower limit ends it. The solver is a stub. */
async function bunnyPatience({ page }) {
  const found = await page.evaluate(async () => {
    const { ShortestSearch } = await import("./bunny-search.js");
    const settings = { patience: 1000 };
    const limits = [];
    const ask = (question, { signal }) => new Promise((_, fail) => {
      limits.push(question.seconds);
      signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
    });
    return new Promise((done) => {
      setTimeout(() => done("the search goes on"), 30000);
      const search = new ShortestSearch({ ask, patience: () => settings.patience, onError: done,
        onChange: () => done(`${limits} ${search.isSearching} ${search.hasEnded}`) });
      search.open({ rows: 1, cols: 1, cells: [0], symbols: ["#"], start: [0, 0] });
      settings.patience = 0.001;
      search.applyPatience();
    });
  });
  must(found === "1000 false true", `found ${found}`);
}

/** The page shows the shortest length as soon as it is proven, but the program only on demand. */
async function bunnyShortest({ page }) {
  await openLevel(page, 3);
  const level = (await ask(page, { ask: "shipped", name: "twelve.txt" })).games[2];
  const [shortest] = (await ask(page, { ask: "solve", game: level, seconds: 60 })).known.moves;
  await reads(page, "#optimum", /^4 tokens \(proven\)$/, "the optimum");
  must(!(await page.locator("main").textContent()).includes(shortest), "the shortest program is shown unasked");
  await page.keyboard.press("h");
  await reads(page, "#shown-program", /^Hint: first token/, "a hint");
  await page.locator("#reveal").click();
  await reads(page, "#shortest", new RegExp(`^${shortest.replace(/[{}()]/g, "\\$&")}$`), "the shortest program");
  await page.getByRole("button", { name: "Run it" }).click();
  await programIs(page, shortest, "the shortest program in the editor");
  await reads(page, "#standing", /no program is shorter/, "the shortest program");
  must(await levelName(page, 3) === "Level 3, not solved", "a program that was shown counts as the player's own");
}

/** The page proves the shortest length of each level. */
async function bunnyLevels({ page }) {
  for (const [index, shortest] of SHORTEST_LENGTHS.entries()) {
    await openLevel(page, index + 1);
    await reads(page, "#optimum", new RegExp(`^${shortest} tokens \\(proven\\)$`), `level ${index + 1}`);
    must(await page.locator(".sizes .refuted").count() === shortest - 1, "the refuted sizes do not show");
    if (index !== 6) continue;
    await page.keyboard.press("h");
    await reads(page, "#shown-program", /^Hint/, "a hint");
    const bottom = await page.locator("#shown-program").evaluate((node) => node.getBoundingClientRect().bottom - innerHeight);
    must(bottom <= 0, `a hint ends ${bottom} pixels below the window`);
  }
}

/** A friend opens the link and gets the same board, with the program to beat. */
async function bunnyLink({ page }, { friend }) {
  await openLevel(page, 2);
  await page.locator("#program-text").fill("FFRFF");
  await outcome(page, /^all squares marked with 5 tokens, shortest 4 tokens \(proven\)$/, "five tokens");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await reads(page, "dialog p", /your best result, 5, with its program/, "what the link holds");
  const address = await page.locator("#link").inputValue();
  const other = await friend(address);
  await reads(other.page, "h1", /^Level 2$/, "a link");
  await reads(other.page, "#friend", /^Your friend: 5 tokens, to be beaten$/, "a link");
  await programIs(other.page, "", "a link");
  await other.page.locator("#program-text").fill("LOOP{RFF}");
  await outcome(other.page, /no program is shorter/, "a link");
  await reads(other.page, "#friend", /^Your friend: 5 tokens: beaten$/, "a link");
  await other.page.locator("#friend + button").click();
  await programIs(other.page, "FFRFF", "the friend's program");
  await other.page.reload();
  await reads(other.page, "#friend", /: beaten$/, "a link after a reload");
  must((await stateOf(other.page, "bunny")).game.rows === 3, "the link leads to another board");
  await other.done();
}

/** A reload keeps the program, the levels and the best result. */
async function bunnyReload({ page }) {
  await openLevel(page, 1);
  await page.locator("#program-text").fill("FF");
  await outcome(page, /no program is shorter/, "a level");
  await reads(page, "#best", /^Your best: 2 tokens$/, "a level");
  await openLevel(page, 6);
  await page.locator("#program-text").fill("LOOP(4){F}");
  await page.locator(`${at("0.0")}.tile-f`).waitFor();
  await page.reload();
  await programIs(page, "LOOP(4){F}", "a typed program after a reload");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("o");
  await page.keyboard.press("3");
  await page.reload();
  await programIs(page, "LOOP(3){}", "after a reload");
  await reads(page, "h1", /^Level 6$/, "after a reload");
  must(await levelName(page, 1) === "Level 1, solved with 2 tokens, the shortest", "a reload loses the level");
  await openLevel(page, 1);
  await reads(page, "#best", /^Your best: 2 tokens$/, "after a reload");
}

/** Keys alone suffice for a level, its program, a run, the board, and the shortest program. */
async function bunnyKeyboard({ page }) {
  await page.getByRole("button", { name: "Hopping Bunny" }).focus();
  await page.keyboard.press("Enter");
  await reads(page, "h1", /^Level 1$/, "the first visit");
  await reads(page, "#optimum", /proven/, "the first visit");
  await tabTo(page, ".level", "keyboard");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await reads(page, "h1", /^Level 3$/, "keyboard");
  for (const key of "orff") await page.keyboard.press(key);
  await outcome(page, /no program is shorter/, "keyboard");
  await page.keyboard.press("s");
  await tabTo(page, "#reveal", "keyboard");
  await page.keyboard.press("Enter");
  await page.locator("#shortest").waitFor();
  await tabTo(page, ".board-canvas", "keyboard");
  await page.keyboard.press("ArrowRight");
  await reads(page, "#live", /^Row 1, column 1: marked, start, bunny facing east$/, "keyboard");
  await page.keyboard.press("ArrowDown");
  await reads(page, "#live", /^Row 2, column 1: not marked$/, "keyboard");
  await tabTo(page, "#run", "keyboard");
  await page.keyboard.press("Enter");
  await reads(page, "#run-place", /^[1-9]/, "keyboard");
  await tabTo(page, "#program .slot", "keyboard");
  const name = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  must(name === "end of loop 1: tiles are added here", `the slot is called ${name}`);
  await page.keyboard.press("ArrowLeft");
  const hop = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  must(hop === "Hop, 3 of 3 in loop 1", `a tile is called ${hop}`);
}

/** New boards by kind and seed, the board of the day, and boards as text. */
async function bunnyBoards({ page }) {
  await openLevel(page, 1);
  const make = async () => {
    await page.keyboard.press("n");
    const dialog = page.locator("dialog");
    await dialog.getByText("A board of your own").click();
    await dialog.getByLabel("Kind").selectOption("lattice");
    for (const [label, value] of [["Rows", "9"], ["Columns", "9"], ["Seed", "7"]]) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole("button", { name: "Play", exact: true }).click();
    await reads(page, "h1", /seed7/, "a new board");
    return (await stateOf(page, "bunny")).game.cells;
  };
  const cells = await make();
  await page.getByRole("button", { name: "Today" }).click();
  await reads(page, "h1", /^board of \d{4}-\d\d-\d\d$/, "the board of the day");
  must(String(await make()) === String(cells), "the same seed gives another board");
  const open = async (board) => {
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator("#pasted").fill(board);
    await page.locator("dialog").getByRole("button", { name: "Open" }).first().click();
  };
  await open("S##\n# x\n###");
  await reads(page, "dialog .problem", /:2:3: found 'x', expected S, #, O, or a space/, "a wrong board");
  await page.keyboard.press("Escape");
  await open("S##\n# #\nO##");
  await reads(page, "#board-name", /^3 × 3, 6 to mark$/, "a typed board");
  await reads(page, "#optimum", /proven/, "a typed board");
  await open("112\n231\n313");
  await reads(page, "h1", /^3 × 3, 3 colours$/, "a board of colours");
  must(await page.locator(".tab[aria-current=page]").textContent() === "Flood-It", "another tab is selected");
  await openGame(page, await ask(page, { ask: "new", puzzle: "bunny", rows: 1, cols: 2, kind: "grown", seed: 1 }));
  await reads(page, "#optimum", /^0 tokens \(proven\)$/, "a board with nothing to mark");
  await reads(page, "#searching", /^$/, "a board with nothing to mark");
  const bad = await ask(page, { ask: "new", puzzle: "bunny", rows: 6, cols: 6, kind: "grown", seed: 3 });
  await openGame(page, bad, { moves: ["LOOP{FL}"], best: 1 });
  await reads(page, "#friend", /^Your friend's program leaves \d+ squares$/, "a program that claims too much");
}

export const BUNNY_STORIES = { bunnyTiles, bunnyKeys, bunnyText, bunnyRuns, bunnyMotion, bunnyTrace, bunnyTrack, bunnyPatience,
  bunnyShortest, bunnyLevels, bunnyLink, bunnyReload, bunnyKeyboard, bunnyBoards };

/** Pairs of colours whose contrast must suffice. */
export const BUNNY_PAIRS = [["hop-ink", "hop"], ["turn-ink", "turn"], ["round-ink", "round"], ["card", "hop-ink"],
  ["card", "turn-ink"], ["card", "round-ink"], ["bunny-carrot", "bunny-square"], ["bunny-trail", "bunny-done"], ["dim", "card"]];

/** No control extends beyond the page (only the row of levels scrolls); on a phone each has at least 44 x 44 pixels. */
async function fingersFit(page, place) {
  const { width } = page.viewportSize();
  const found = await page.evaluate(() => [...document.querySelectorAll("main button, main select, dialog button")]
    .filter((node) => node.checkVisibility())
    .map((node) => ({ name: node.ariaLabel || node.textContent, isLevel: Boolean(node.closest(".levels")),
      ...node.getBoundingClientRect().toJSON() })));
  for (const { name, isLevel, right, width: wide, height } of found) {
    must(isLevel || right <= width, `${place}, ${width} pixels: "${name}" ends at pixel ${right}`);
    must(width > 500 || (wide >= 44 && height >= 44), `${place}: "${name}" has ${wide} x ${height} pixels, expected 44 x 44`);
  }
}

/** Takes screenshots of the puzzle in its states. */
export async function bunnyPictures(page, shoot) {
  await openLevel(page, 1);
  await shoot("bunny-first");
  await openLevel(page, 7);
  await page.locator("#program-text").fill("LOOP(3){LOOP(2){RLOOP(11){F}R}F}");
  await reads(page, "#standing", /^Run the program/, "picture");
  await page.locator("h1").click();
  for (let step = 0; step < 60; step += 1) await page.keyboard.press(".");
  await fingersFit(page, "Hopping Bunny");
  await shoot("bunny");
  await page.locator("#reveal").click();
  await page.locator("#program-text").fill("LOOP(3){LOOP(2){RLOOP(11){F}R}F");
  await reads(page, "#program-problem", /^Character/, "picture");
  await fingersFit(page, "a fault");
  await shoot("bunny-fault");
}
