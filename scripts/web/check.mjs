// Plays on the page in a real browser; `scripts/web/check` says how. The first failure ends the check with exit code 1
// and a message.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch, must, openPage, sound } from "../lib/browser.mjs";
import { BUNNY_STORIES } from "./bunny.mjs";
import { STORIES } from "./stories.mjs";
import { optimaAgree, verdictTimes } from "./boards.mjs";
import { contrasts, pictures } from "./looks.mjs";
import { serve } from "./server.mjs";

/** The stories that `--short` tells on a phone too: there they have another layout, or other gestures. */
const PHONE_STORIES = ["wholeGameByClicks", "waysAreCounted", "hintsLeadToOptimum", "boardsAreChosen", "rulesChange", "smallWindows",
  "daysAreKept", "groupsHavePoints", "areasTakeColours", "endIsTold", "bunnyTiles", "bunnyTrack", "bunnyLevels", "bunnyMotion"];

const FOLDERS = { "flood-it": "floodit", clickomania: "clickomania", bunny: "bunny" };

/** The page as the program hands it out: `served` answers the questions; without an answer, the program has ended. */
async function serveAnswers(page, address, served) {
  await page.route((url) => url.pathname === new URL(address).pathname, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('data-solver="module"', 'data-solver="server"');
    await route.fulfill({ response, body });
  });
  await page.route("**/api/ask", (route) => {
    const answer = served(JSON.parse(route.request().postData()));
    return answer ? route.fulfill({ body: `${JSON.stringify(answer)}\n` }) : route.abort();
  });
}

/** A page of its own browser context, at the address. */
async function visit(browser, address, { width = 1280, scheme = "light", keepsNothing = false, reducedMotion, served } = {}) {
  const { origin } = new URL(address);
  const isAllowed = (url) => url.startsWith(`${origin}/`) || url.startsWith("data:") || url.startsWith("blob:");
  const tab = await openPage(browser, { width, scheme, isAllowed, reducedMotion });
  await tab.page.addInitScript((refuses) => {
    for (const name of refuses ? ["localStorage", "sessionStorage"] : []) {
      Object.defineProperty(window, name, { get: () => { throw new Error("refused"); } });
    }
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error(`policy: ${violatedDirective} ${blockedURI}`));
  }, keepsNothing);
  if (served) await serveAnswers(tab.page, address, served);
  await tab.page.goto(address);
  await tab.page.waitForFunction(() => document.querySelector("#optimum")?.textContent);
  return tab;
}

function datasets(puzzle) {
  const folder = fileURLToPath(new URL(`../../datasets/${FOLDERS[puzzle]}`, import.meta.url));
  return readdirSync(folder).filter((name) => /\.(txt|lines)$/.test(name)).sort();
}

/** Tells each story on a page of its own. Nothing is shared with the stories of another width. */
async function tell(browser, server, width, only) {
  for (const [name, story] of Object.entries({ ...STORIES, ...BUNNY_STORIES }).filter(([name]) => !only || only.includes(name))) {
    const tab = await visit(browser, server.address, { width });
    const friend = async (url, options) => {
      const other = await visit(browser, url, { width, ...options });
      return { ...other, async done() {
        await sound(other, name);
        await other.context.close();
      } };
    };
    try {
      await story(tab, { friend, datasets, ...server });
      await sound(tab, name);
    } catch (error) {
      throw new Error(`${name}, ${width} pixels: ${[error.message, ...tab.faults].join("; ")}`);
    }
    await tab.context.close();
    console.log(`${width} pixels, ${name}: right`);
  }
}

async function main(args) {
  const options = { expected: { type: "string" }, boards: { type: "string", default: "100" }, size: { type: "string", default: "14" },
    story: { type: "string", multiple: true }, short: { type: "boolean" } };
  const { values, positionals: [folder, shots] } = parseArgs({ args, options, allowPositionals: true });
  must(folder, "usage: scripts/web/check FOLDER [SCREENSHOTS] [--expected FILE.json] [--boards N] [--size N] [--story NAME]... [--short]");
  const unknown = PHONE_STORIES.filter((name) => !(name in STORIES || name in BUNNY_STORIES));
  must(!unknown.length, `no story has the name ${unknown}`);
  if (shots) mkdirSync(shots, { recursive: true });
  const [browser, server, other] = [await launch(), await serve(folder), await serve(folder)];
  const open = (options) => visit(browser, server.address, options);
  try {
    await Promise.all([tell(browser, server, 1280, values.story), tell(browser, other, 390, values.story ?? (values.short ? PHONE_STORIES : undefined))]);
    if (values.story && !values.story.includes("none")) return;
    for (const width of [1280, 820, 390]) {
      for (const scheme of ["light", "dark"]) {
        const tab = await open({ width, scheme });
        await contrasts(tab.page, `${width} pixels, ${scheme}`);
        const shoot = (name) => shots && tab.page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png`,
          fullPage: !name.startsWith("dialog") });
        await pictures(tab, shoot);
        await sound(tab, `${width} pixels, ${scheme}`);
        await tab.context.close();
        console.log(`${width} pixels, ${scheme}: right`);
      }
    }
    const tab = await open({});
    if (values.expected) await optimaAgree(tab.page, JSON.parse(readFileSync(values.expected, "utf8")));
    if (Number(values.boards) > 0) await verdictTimes(tab.page, Number(values.boards), Number(values.size));
    await sound(tab, "boards");
  } finally {
    await browser.close();
    server.close();
    other.close();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`check failed: ${error.message}`);
  process.exitCode = 1;
});
