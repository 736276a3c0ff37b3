// What the checks of the pages share: Chromium, driven by playwright-core, and what every page has to fulfil.
//
// The checks need Chromium (CHROMIUM, or /usr/bin/chromium) and the npm package playwright-core, in a node_modules
// folder above this file, above the working directory, or named by NODE_PATH.

import { createRequire } from "node:module";

const MOST_TABS = 400;
/** The longest wait for anything, in milliseconds, on a machine that does much else. */
const PATIENCE = Number(process.env.PATIENCE ?? 300) * 1000;

function browserType() {
  for (const from of [import.meta.url, `${process.cwd()}/x`]) {
    try {
      return createRequire(from)("playwright-core").chromium;
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error("found no playwright-core: npm install playwright-core");
}

/** Chromium without a window. */
export function launch() {
  return browserType().launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"],
    timeout: PATIENCE });
}

export function must(isTrue, message) {
  if (!isTrue) throw new Error(message);
}

/** A page that notes every console error, every error of a script, and every request that `isAllowed` refuses. */
export async function openPage(browser, { width, scheme, isAllowed, reducedMotion = "reduce" }) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion,
    deviceScaleFactor: width < 500 ? 2 : 1,
  });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    const isFault = ["error", "warning"].includes(message.type());
    if (isFault) faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!isAllowed(request.url())) faults.push(`request to ${request.url()}`);
  });
  page.setDefaultTimeout(PATIENCE);
  return { page, context, faults };
}

/** No fault so far, and nothing wider than the page. */
export async function sound({ page, faults }, place) {
  must(faults.length === 0, `${place}: ${faults.join("; ")}`);
  const { wide, width } = await page.evaluate(() => {
    const root = document.documentElement;
    return { wide: root.scrollWidth, width: root.clientWidth };
  });
  must(wide <= width, `${place}: the page is ${wide} pixels wide, its window ${width}`);
}

/** Presses Tab until the element that has the focus matches, and requires a visible mark of the focus. */
export async function tabTo(page, selector, place) {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate((wanted) => {
      const node = document.activeElement;
      if (!node?.matches(wanted)) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(node);
      return { isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 };
    }, selector);
    if (!found) continue;
    must(found.isMarked, `${place}: the focus on ${selector} cannot be seen`);
    return;
  }
  throw new Error(`${place}: ${MOST_TABS} presses of Tab do not reach ${selector}`);
}
