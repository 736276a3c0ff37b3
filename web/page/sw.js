// Keeps the files of the page, so that it works without a network. `scripts/web/pack` writes their names and a version,
// which changes with any of them: a new version is kept beside the old one until no page needs that one any more.

const VERSION = "";
const FILES = [];

const mine = `${registration.scope} `;
const cache = () => caches.open(mine + VERSION);
/** Asks the host, not the browser's own cache, which may still have files of another version. */
const fresh = (file) => new Request(file, { cache: "reload" });

addEventListener("install", (event) => event.waitUntil(cache().then((kept) => kept.addAll(FILES.map(fresh)))));

addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) =>
  Promise.all(names.filter((name) => name.startsWith(mine) && name !== mine + VERSION).map((name) => caches.delete(name))))));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  event.respondWith(cache().then((kept) => kept.match(request, { ignoreSearch: true })).then((found) => found ?? fetch(request)));
});
