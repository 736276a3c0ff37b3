// Keeps the files of the page, so that it works without a network. `scripts/web/pack` writes their names and a version,
// which changes with any of them: a new version is kept beside the old one until no page needs that one any more.

const VERSION = "";
const FILES = [];

const mine = `${registration.scope} `;
const cache = () => caches.open(mine + VERSION);

addEventListener("install", (event) => event.waitUntil(cache().then((kept) => kept.addAll(FILES))));

addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) =>
  Promise.all(names.filter((name) => name.startsWith(mine) && name !== mine + VERSION).map((name) => caches.delete(name))))));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  event.respondWith(cache().then((kept) => kept.match(request, { ignoreSearch: true })).then((found) => found ?? fetch(request)));
});
