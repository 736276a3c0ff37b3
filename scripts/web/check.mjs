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

const ALL_STORIES = { ...STORIES, ...BUNNY_STORIES };

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

/** Tells a story on a page of its own. */
async function tell(browser, server, width, name) {
  const tab = await visit(browser, server.address, { width });
  const friend = async (url, options) => {
    const other = await visit(browser, url, { width, ...options });
    return { ...other, async done() {
      await sound(other, name);
      await other.context.close();
    } };
  };
  try {
    await ALL_STORIES[name](tab, { friend, datasets, ...server });
    await sound(tab, name);
  } catch (error) {
    throw new Error(`${name}, ${width} pixels: ${[error.message, ...tab.faults].join("; ")}`);
  }
  await tab.context.close();
  console.log(`${width} pixels, ${name}: right`);
}

/** The page looks right at a width, in a colour scheme. With a folder it makes pictures. */
async function look(browser, server, width, scheme, shots) {
  const tab = await visit(browser, server.address, { width, scheme });
  await contrasts(tab.page, `${width} pixels, ${scheme}`);
  const shoot = (name) => shots && tab.page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png`,
    fullPage: !name.startsWith("dialog") });
  await pictures(tab, shoot);
  await sound(tab, `${width} pixels, ${scheme}`);
  await tab.context.close();
  console.log(`${width} pixels, ${scheme}: right`);
}

/** Does all work side by side, one piece at a time on each server: stories of one server do not disturb each other. */
function share(servers, work) {
  const left = [...work];
  return Promise.all(servers.map(async (server) => {
    while (left.length) await left.shift()(server);
  }));
}

async function main(args) {
  const options = { expected: { type: "string" }, boards: { type: "string", default: "100" }, size: { type: "string", default: "14" },
    story: { type: "string", multiple: true }, short: { type: "boolean" } };
  const { values, positionals: [folder, shots] } = parseArgs({ args, options, allowPositionals: true });
  must(folder, "usage: scripts/web/check FOLDER [SCREENSHOTS] [--expected FILE.json] [--boards N] [--size N] [--story NAME]... [--short]");
  const unknown = [...PHONE_STORIES, ...(values.story ?? [])].filter((name) => !(name in ALL_STORIES || name === "none"));
  must(!unknown.length, `no story has the name ${unknown}`);
  if (shots) mkdirSync(shots, { recursive: true });
  const [browser, ...servers] = [await launch(), await serve(folder), await serve(folder)];
  const all = values.story?.filter((name) => name !== "none") ?? Object.keys(ALL_STORIES);
  const told = { 1280: all, 390: values.story || !values.short ? all : PHONE_STORIES };
  const seen = values.short ? [[1280, "light"], [390, "dark"]] : [1280, 820, 390].flatMap((width) => [[width, "light"], [width, "dark"]]);
  try {
    await share(servers, Object.entries(told).flatMap(([width, names]) => names.map((name) => (server) => tell(browser, server, Number(width), name))));
    if (values.story && !values.story.includes("none")) return;
    await share(servers, seen.map(([width, scheme]) => (server) => look(browser, server, width, scheme, shots)));
    const tab = await visit(browser, servers[0].address);
    if (values.expected) await optimaAgree(tab.page, JSON.parse(readFileSync(values.expected, "utf8")));
    if (Number(values.boards) > 0) await verdictTimes(tab.page, Number(values.boards), Number(values.size));
    await sound(tab, "boards");
  } finally {
    await browser.close();
    servers.forEach((server) => server.close());
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`check failed: ${error.message}`);
  process.exitCode = 1;
});
