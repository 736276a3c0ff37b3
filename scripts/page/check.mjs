// Checks the served page and a report in a real browser.
//
//   node scripts/page/check.mjs URL LONE REPORT.html [SCREENSHOT_DIR]
//
// URL is the address, with its token, that a running `gridhunt serve` printed. It must serve a run with one solved
// board, an unfinished run with a checkpoint, and a batch of 12 boards. LONE is the address of a server of one run.
// REPORT.html is a report of `gridhunt report` with two runs of one board and a batch of 12 boards.
// ../lib/browser.mjs lists the required programs. The first failure ends the check with exit code 1 and a message.

import { mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, must, openPage, sound, tabTo } from "../lib/browser.mjs";

const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"];

function pixels(page) {
  return page.locator(".player canvas").first().evaluate((canvas) => canvas.toDataURL());
}

/** Keys move the slider of the film, and the slider changes the board. */
async function filmMoves(page, place) {
  await page.locator(".controls input[type=range]").first().waitFor();
  await tabTo(page, ".controls input[type=range]", place);
  await page.keyboard.press("Home");
  const [first, text] = [await pixels(page), await page.locator(".caption").first().textContent()];
  await page.keyboard.press("ArrowRight");
  must(await pixels(page) !== first, `${place}: the slider moves, but the board does not change`);
  must(await page.locator(".caption").first().textContent() !== text, `${place}: the caption does not change`);
  await page.keyboard.press("End");
  const slider = page.locator(".controls input[type=range]").first();
  const [value, last] = await slider.evaluate((node) => [node.value, node.max]);
  must(value === last, `${place}: End leads to step ${value} of ${last}`);
  await page.keyboard.press("Home");
  must(await pixels(page) === first, `${place}: Home shows another board than before`);
}

/** The read-out of the chart follows the arrow keys. */
async function chartReads(page, place) {
  const isDrawn = await page.locator(".plot:visible").count();
  if (!isDrawn) return;
  await tabTo(page, ".plot", place);
  const before = await page.locator(".readout").first().textContent();
  await page.keyboard.press("Home");
  const after = await page.locator(".readout").first().textContent();
  must(before !== after && after.startsWith("at "), `${place}: the chart says "${after}" at its start`);
}

/** The contrast (WCAG) of text colours with their grounds is at least 4.5. Colours are the variables of the style. */
async function contrasts(page, place) {
  const pairs = [["ink", "paper"], ["dim", "paper"], ["link", "paper"], ["high", "paper"], ["proven", "paper"],
    ["best", "paper"], ["ink", "field"], ["dim", "field"], ["link", "field"]];
  const ratios = await page.evaluate((names) => {
    const style = getComputedStyle(document.documentElement);
    const luminance = (name) => {
      const code = style.getPropertyValue(`--${name}`).trim();
      const parts = [1, 3, 5].map((from) => parseInt(code.slice(from, from + 2), 16) / 255);
      const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return names.map(([text, ground]) => {
      const [low, high] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
      return [`--${text} on --${ground}`, (high + 0.05) / (low + 0.05)];
    });
  }, pairs);
  for (const [name, ratio] of ratios) must(ratio >= 4.5, `${place}: contrast of ${name} is ${ratio.toFixed(2)}`);
}

/** Pressing a head of a table sorts the rows: rising, then falling, then in the original order. */
async function sorts(page, head, place) {
  const button = page.locator(".data th .sort:visible", { hasText: new RegExp(`^${head}$`) }).first();
  const index = await button.evaluate((node) => node.parentNode.cellIndex);
  const column = () => button.evaluate((node, cell) => [...node.closest("table").tBodies[0].rows]
    .map((row) => Number(row.cells[cell].textContent.replaceAll(",", ""))), index);
  const before = await column();
  const ascending = before.toSorted((one, other) => one - other);
  for (const wanted of [ascending, ascending.toReversed(), before]) {
    await button.focus();
    await page.keyboard.press("Enter");
    must(String(await column()) === String(wanted), `${place}: found the order ${await column()}, expected ${wanted}`);
  }
  must(String(ascending) !== String(before), `${place}: the rows were sorted before`);
}

/** A batch shows histograms of its optima and times, and their bars count all boards. */
async function batchShows(page, place) {
  const bars = page.locator(".histogram:visible").first().locator("li");
  const names = await bars.evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label")));
  const boards = names.reduce((sum, name) => sum + Number(name.match(/: (\d+) boards?$/)[1]), 0);
  must(boards === 12, `${place}: the histogram counts ${boards} boards, expected 12: ${names}`);
  await sorts(page, "expanded", place);
}

/** The time axis of the chart of a live search ends at the current time. */
async function liveChartEndsAtPresent(page) {
  const text = await page.evaluate(async () => {
    const { boundsChart } = await import("/assets/steps.js");
    const chart = boundsChart();
    chart.update({ proven: [[1, 3]], best: [[1, 5]], end: 7, isLive: true });
    return chart.element.textContent;
  });
  must(/^now: 7 s/.test(text) && text.includes("now, 7 s"), `the chart of a live search says ${text}`);
}

/** The labels of the time axis do not overlap, for short and long searches and for narrow and wide charts. */
async function ticksDoNotOverlap(page) {
  const overlaps = await page.evaluate(async () => {
    const { boundsChart } = await import("/assets/steps.js");
    const nextFrame = () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    const found = [];
    for (const width of [300, 340, 620]) {
      const [chart, box] = [boundsChart(), document.createElement("div")];
      box.style.width = `${width}px`;
      box.append(chart.element);
      document.body.append(box);
      for (const end of [0.3, 59, 65, 130, 700, 4000, 90000]) {
        for (const isLog of [true, false]) {
          chart.update({ proven: [[0.05, 3]], best: [[0.1, 5]], end, isLive: true });
          box.querySelectorAll(".segments button")[isLog ? 0 : 1].click();
          await nextFrame();
          const texts = [...box.querySelectorAll(".tick[y='256']")].map((node) => [node.textContent, node.getBoundingClientRect()]);
          texts.sort(([, one], [, other]) => one.left - other.left);
          texts.slice(1).forEach(([text, { left }], at) => {
            if (left < texts[at][1].right + 2) found.push(`${texts[at][0]}|${text} at ${width}`);
          });
        }
      }
      box.remove();
    }
    return found;
  });
  must(overlaps.length === 0, `labels of the time axis overlap: ${overlaps.join("; ")}`);
}

/** The table of layers fits the page even with large numbers. */
async function layersFit(page, place) {
  const excess = await page.evaluate(async () => {
    const { layerTable } = await import("/assets/bars.js");
    const table = layerTable();
    document.querySelector("main").append(table.element);
    table.update({ layers: [{ f: 31, expanded: 12345678901, growth: 12.3 }], now: { f: 32, expanded: 98765432101 } });
    const box = table.element.querySelector(".scroller");
    const hidden = box.scrollWidth - box.clientWidth;
    table.element.remove();
    return hidden;
  });
  must(excess <= 0, `${place}: the table of layers is ${excess} pixels too wide`);
}

/** The panels fill the column beside the board: below the last one, less than 120 pixels are empty. */
async function hasNoHole(page, place) {
  const hole = await page.evaluate(() => {
    const columns = [...document.querySelectorAll(".columns")].find((node) => node.clientHeight > 0);
    const bottoms = [...columns.children].filter((node) => node.clientHeight > 0 && !node.matches(".film"))
      .map((node) => node.getBoundingClientRect().bottom);
    return columns.getBoundingClientRect().bottom - Math.max(...bottoms);
  });
  must(hole < 120, `${place}: a hole of ${Math.round(hole)} pixels`);
}

/** The runs that the check uses: one with a solved board, an unfinished one, and a batch. */
async function chosenRuns(page) {
  const { runs } = await page.evaluate(() => fetch("/api/runs").then((answer) => answer.json()));
  must(runs.length > 0, "list: the program serves no run");
  const known = runs.filter(({ board, error }) => board && !error);
  // The oldest runs, which are last in the list.
  const solved = known.findLast(({ done, boards, active }) => done > 0 && boards === 1 && !active);
  const open = known.findLast(({ state, active }) => state !== "finished" && !active);
  const batch = runs.find(({ boards }) => boards === 12);
  must(solved, "list: no run has a finished board");
  must(batch, "list: no run has 12 boards");
  must(open, "list: no run is unfinished and has a board");
  return { solved, open, batch };
}

const runHref = ({ id }) => `#/runs/${encodeURIComponent(id)}`;

/** Goes by keys from the list to a run, to its board, its film and its chart. */
async function walkRun(tab, run, picture) {
  const { page } = tab;
  await tabTo(page, `.runs a[href="${runHref(run)}"]`, "list");
  await page.keyboard.press("Enter");
  await page.locator(".run h1", { hasText: run.name }).waitFor();
  await sound(tab, `run ${run.name}`);
  const links = page.locator(".data tbody a:visible");
  if (await links.count() > 0) {
    const href = await links.first().getAttribute("href");
    await tabTo(page, `.data a[href="${href}"]`, `run ${run.name}`);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.hash === href);
  }
  await page.locator(".board .range:visible").waitFor();
  await filmMoves(page, `board of ${run.name}`);
  await page.locator("h1").evaluate((node) => node.focus());
  await chartReads(page, `board of ${run.name}`);
  await sound(tab, `board of ${run.name}`);
  await picture("board");
  await page.locator("h1").evaluate((node) => node.focus());
}

async function checkServed(browser, url, options, shoot) {
  const origin = new URL(url).origin;
  const isAllowed = (wanted) => wanted.startsWith(`${origin}/`) || wanted.startsWith("data:");
  const tab = await openPage(browser, { ...options, isAllowed });
  const { page } = tab;
  const picture = (name) => shoot(page, name, options);
  await page.goto(url);
  await page.locator(".runs tbody tr").first().waitFor();
  must(!page.url().includes("token"), "list: the address still shows the token");
  await contrasts(page, `list, ${options.scheme}`);
  await sound(tab, "list");
  await picture("list");
  await liveChartEndsAtPresent(page);
  await ticksDoNotOverlap(page);
  await layersFit(page, "list");
  const { solved, open, batch } = await chosenRuns(page);
  await page.goto(`${url.split("?")[0]}${runHref(batch)}`);
  await page.locator(".run h1", { hasText: batch.name }).waitFor();
  await batchShows(page, "batch");
  await sound(tab, "batch");
  await picture("batch");
  await page.goto(`${url.split("?")[0]}#/`);
  await page.locator(".runs tbody tr").first().waitFor();
  await tabTo(page, "summary", "list");
  await page.keyboard.press("Enter");
  await page.locator(".searches li").nth(1).waitFor();
  await sound(tab, "runs of one board");
  await picture("side-by-side");
  await page.reload();
  await page.locator(".runs tbody tr").first().waitFor();
  await walkRun(tab, solved, picture);
  await page.goto(`${page.url().split("#")[0]}${runHref(open)}`);
  await page.locator(".run h1", { hasText: open.name }).waitFor();
  await page.locator(".board .range:visible", { hasText: "≤" }).waitFor();
  await sound(tab, `run ${open.name}`);
  await hasNoHole(page, `run ${open.name}`);
  await picture("run");
  await tab.context.close();
}

/** Opens a file offline; a request for anything else is a fault. */
async function openFile(browser, file, options) {
  const address = pathToFileURL(resolve(file)).href;
  const isAllowed = (wanted) => wanted.split("#")[0] === address || wanted.startsWith("data:");
  const tab = await openPage(browser, { ...options, isAllowed });
  await tab.context.setOffline(true);
  await tab.page.goto(address);
  return tab;
}

async function checkReport(browser, file, options, shoot) {
  const tab = await openFile(browser, file, options);
  const { page, context } = tab;
  await page.locator("main h1").first().waitFor();
  const place = "report";
  must(await page.locator("main .run, main .panel").count() > 0, `${place}: shows no run, no table and no figure`);
  await contrasts(page, `${place}, ${options.scheme}`);
  await chartReads(page, place);
  if (await page.locator(".controls input[type=range]:visible").count()) await filmMoves(page, place);
  must(await page.locator(".searches li").count() === 2, `${place}: two runs of one board are not in one chart`);
  await batchShows(page, place);
  await sound(tab, place);
  await shoot(page, "report", options);
  // A4 at 96 dots per inch.
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  await sound(tab, `${place}, printed`);
  await shoot(page, "print", options);
  await context.close();
}

/** A server of one run opens this run; the name of the program links to the list. */
async function checkLone(browser, url) {
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator(".run .range:visible").waitFor();
  await page.locator(".brand").click();
  await page.locator(".runs tbody tr").first().waitFor();
  await page.close();
}

/** A report in a frame without an address, as in a notebook: its links stay in the frame. */
async function checkFrame(browser, file) {
  const page = await browser.newPage();
  await page.setContent('<iframe sandbox="allow-scripts"></iframe>');
  await page.locator("iframe").evaluate((node, text) => { node.srcdoc = text; }, readFileSync(file, "utf8"));
  const link = page.frameLocator("iframe").locator("a[href$='/board-7']");
  const [name, address] = [await link.textContent(), await link.getAttribute("href")];
  await link.click();
  await page.frameLocator("iframe").locator(".board", { hasText: name }).first().waitFor();
  must(page.frames()[1].url() === `about:srcdoc${address}`, `a report in a frame: the link leads to ${page.frames()[1].url()}`);
  await page.close();
}

async function main([url, lone, report, folder]) {
  must(url && lone && report, "usage: node scripts/page/check.mjs URL-WITH-TOKEN LONE-URL REPORT.html [SCREENSHOT_DIR]");
  if (folder) mkdirSync(folder, { recursive: true });
  const shoot = async (page, name, { width, scheme }) => {
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: name !== "print" });
  };
  const browser = await launch();
  try {
    await checkFrame(browser, report);
    await checkLone(browser, lone);
    for (const width of WIDTHS) {
      for (const scheme of SCHEMES) {
        await checkServed(browser, url, { width, scheme }, shoot);
        await checkReport(browser, report, { width, scheme }, shoot);
        console.log(`${width} pixels, ${scheme}: right`);
      }
    }
  } finally {
    await browser.close();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`check failed: ${error.message}`);
  process.exitCode = 1;
});
