// The look of the page: contrasts, sizes, and screenshots of its states.

import { must } from "../lib/browser.mjs";
import { newGame, openGame, reads } from "./actions.mjs";
import { BUNNY_PAIRS, bunnyPictures } from "./bunny.mjs";

/** The contrast (WCAG) of text colours with their grounds is at least 4.5. Colours are the variables of the style. */
export async function contrasts(page, place) {
  const texts = ["ink", "dim", "high", "good", "proven"];
  const pairs = [...["paper", "card"].flatMap((ground) => texts.map((text) => [text, ground])),
    ["link", "paper"], ["ink", "field"], ["dim", "field"], ["on-accent", "accent"], ...BUNNY_PAIRS];
  const ratios = await page.evaluate((names) => {
    const probe = document.createElement("span");
    document.body.append(probe);
    const luminance = (name) => {
      probe.style.setProperty("color", `var(--${name})`);
      const parts = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
      const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = names.map(([text, ground]) => {
      const [low, high] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
      return [`--${text} on --${ground}`, (high + 0.05) / (low + 0.05)];
    });
    probe.remove();
    return found;
  }, pairs);
  for (const [name, ratio] of ratios) must(ratio >= 4.5, `${place}: contrast of ${name} is ${ratio.toFixed(2)}`);
}

/** No control extends beyond the page; on a phone each is at least 44 pixels high. Heading and board share an edge. */
async function fitsIn(page, place) {
  const { width } = page.viewportSize();
  const found = await page.evaluate(() => [...document.querySelectorAll("button, select, canvas")]
    .filter((node) => node.checkVisibility())
    .map((node) => ({ name: node.textContent || node.ariaLabel, ...node.getBoundingClientRect().toJSON() })));
  const [heading, board] = await page.evaluate(() => ["h1", ".board-canvas"].map((at) => document.querySelector(at).getBoundingClientRect().left));
  must(board + 3 === heading, `${place}, ${width} pixels: the cells begin at pixel ${board + 3}, the heading at ${heading}`);
  for (const { name, right, height } of found) {
    must(right <= width, `${place}, ${width} pixels: "${name}" ends at pixel ${right}`);
    must(width > 500 || height >= 44, `${place}, ${width} pixels: "${name}" is ${height} pixels high, expected 44`);
  }
}

async function floodPictures(page, shoot) {
  await openGame(page, await newGame(page, { puzzle: "flood-it", rows: 14, cols: 14, colours: 6, seed: 7 }));
  await reads(page, "#optimum", /proven/, "picture");
  for (const key of "36251") await page.keyboard.press(key);
  await page.keyboard.press("o");
  await page.keyboard.press("h");
  await reads(page, "#here", /moves optimal$/, "picture");
  await fitsIn(page, "Flood-It");
  await shoot("flood-it");
  await page.keyboard.press("w");
  await reads(page, ".film .place", /^4 /, "picture");
  await fitsIn(page, "film");
  await shoot("optimum");
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await page.locator("#layers > li").first().waitFor();
  await shoot("search");
  await page.keyboard.press("Escape");
}

async function clickomaniaPictures(page, shoot) {
  const options = { objective: "score" };
  await openGame(page, await newGame(page, { puzzle: "clickomania", rows: 12, cols: 12, colours: 4, seed: 7, options }));
  await page.locator(".clickomania .board-canvas").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "Enter", "h"]) await page.keyboard.press(key);
  await reads(page, "#verdict", /^Hint/, "picture");
  await fitsIn(page, "Clickomania");
  await shoot("clickomania");
}

/** Takes screenshots of the page in its states. */
export async function pictures({ page }, shoot) {
  await floodPictures(page, shoot);
  for (const [name, button] of [["new", "New"], ["open", "Open"], ["share", "Share"], ["settings", "Settings"]]) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.locator("dialog").waitFor();
    await shoot(`dialog-${name}`);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  }
  await clickomaniaPictures(page, shoot);
  await bunnyPictures(page, shoot);
}
