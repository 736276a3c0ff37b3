// Helpers of the tests of pages: Chromium, driven by playwright-core, and requirements of every page.
//
// The tests need Chromium (CHROMIUM, or /usr/bin/chromium) and the npm package playwright-core, in a node_modules
// folder above this file, above the working directory, or named by NODE_PATH.

import { createRequire } from "node:module";

const MAX_TABS = 400;
/** Time-out of every wait, in milliseconds: long, for busy machines. The variable PATIENCE is in seconds. */
const TIMEOUT_MS = Number(process.env.PATIENCE ?? 300) * 1000;

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
    timeout: TIMEOUT_MS });
}

export function must(isTrue, message) {
  if (!isTrue) throw new Error(message);
}

/** A page, and `faults`: console errors and warnings, errors of scripts, requests that `isAllowed` refuses. */
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
  page.setDefaultTimeout(TIMEOUT_MS);
  return { page, context, faults };
}

/** Requires that the page has no fault so far, and no horizontal scroll bar. */
export async function sound({ page, faults }, place) {
  must(faults.length === 0, `${place}: ${faults.join("; ")}`);
  const { contentWidth, width } = await page.evaluate(() => {
    const root = document.documentElement;
    return { contentWidth: root.scrollWidth, width: root.clientWidth };
  });
  must(contentWidth <= width, `${place}: the page is ${contentWidth} pixels wide, its window ${width}`);
}

/** Presses Tab until the focused element matches `selector`, and requires a visible focus outline. */
export async function tabTo(page, selector, place) {
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate((wanted) => {
      const node = document.activeElement;
      if (!node?.matches(wanted)) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(node);
      return { isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 };
    }, selector);
    if (!focused) continue;
    must(focused.isMarked, `${place}: the focus on ${selector} cannot be seen`);
    return;
  }
  throw new Error(`${place}: ${MAX_TABS} presses of Tab do not reach ${selector}`);
}
