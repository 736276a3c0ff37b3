// Actions on the page and readings from it, for the stories.

import { must } from "../lib/browser.mjs";

/** The saved state of a puzzle. */
export function stateOf(page, puzzle = "flood-it") {
  return page.evaluate((name) => JSON.parse(localStorage.getItem(`gridhunt.play.${name}`)), puzzle);
}

/** The answer of a solver (a worker with the module) to a question. */
export function ask(page, message) {
  return page.evaluate(async (question) => {
    const { Solver } = await import("./solver.js");
    globalThis.checkSolver ??= new Solver();
    return globalThis.checkSolver.ask(question);
  }, message);
}

/** The fragment of a link to a game. */
export async function linkTo(page, game, moves = [], best = null) {
  const { link } = await ask(page, { ask: "link", game, moves, best });
  return `#${link}`;
}

/** Opens the page with a game, and waits for its board. */
export async function openGame(page, game, { moves = [], best = null } = {}) {
  const hash = await linkTo(page, game, moves, best);
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, hash);
  await page.waitForFunction(({ puzzle, cells }) => {
    const saved = JSON.parse(localStorage.getItem(`gridhunt.play.${puzzle}`));
    return saved && String(saved.game.cells) === String(cells) && location.hash === "";
  }, game);
  await page.waitForFunction(() => document.querySelector("#optimum")?.textContent);
}

export const text = (page, selector) => page.locator(selector).first().textContent();

/** Waits until the text of an element matches the pattern. */
export async function reads(page, selector, pattern, place) {
  const wanted = { selector, source: pattern.source, flags: pattern.flags };
  try {
    await page.waitForFunction(({ selector: at, source, flags }) =>
      new RegExp(source, flags).test(document.querySelector(at)?.textContent ?? ""), wanted);
  } catch {
    throw new Error(`${place}: ${selector} reads "${await text(page, selector)}", expected ${pattern}`);
  }
}

/** Waits until the list shows this number of moves. */
export function movesMade(page, count) {
  return page.waitForFunction((wanted) => document.querySelectorAll("#moves > li").length === wanted, count);
}

export function pixels(page) {
  return page.locator(".board-canvas").first().evaluate((canvas) => canvas.toDataURL());
}

/** The places of the parts beside the board: with the letters of the font, and with wider ones, as other fonts have. */
export function places(page) {
  return page.evaluate(() => JSON.stringify(["", "1px", "3px"].map((spacing) => {
    document.body.style.letterSpacing = spacing;
    const tops = [...document.querySelectorAll(".side > *")].map((part) => part.offsetTop);
    document.body.style.letterSpacing = "";
    return tops;
  })));
}

/** Clicks the middle of a cell. */
export async function clickCell(page, game, index, options = {}) {
  const canvas = page.locator(".board-column .board-canvas");
  const place = await canvas.evaluate((node, { rows, cols, at }) => {
    const { width, height } = node.getBoundingClientRect();
    const [cellWide, cellHigh] = [(width - 6) / cols, (height - 6) / rows];
    return { x: 3 + (at % cols + 0.5) * cellWide, y: 3 + (Math.floor(at / cols) + 0.5) * cellHigh };
  }, { rows: game.rows, cols: game.cols, at: index });
  await canvas.click({ position: place, ...options });
}

/** Presses a key, and waits until the list shows this number of moves. */
export async function pressTo(page, key, count) {
  await page.keyboard.press(key);
  await movesMade(page, count);
}

/** Follows hints to the end of the game. */
export async function followHints(page, place) {
  for (let count = await page.locator("#moves > li").count(); ; count += 1) {
    must(count < 500, `${place}: the hints do not end`);
    await page.waitForFunction(() => document.querySelector(".status.over") || document.querySelector(".here")?.textContent);
    if (await page.locator(".status.over").count()) return count;
    await page.keyboard.press("h");
    await reads(page, "#verdict", /^Hint: /, place);
    await pressTo(page, "h", count + 1);
  }
}

export const newGame = (page, settings) => ask(page, { ask: "new", seed: 1, ...settings });

/** Pastes a text into the page, as Ctrl+V does. */
export async function paste(page, content) {
  await page.evaluate((data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", data);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, content);
}
