// Caches the files of the page, so that it works without a network. `scripts/web/pack` fills in their names and a
// version, which changes with any file. A new version is cached beside the old one until no page uses the old one.

const VERSION = "";
const FILES = [];

const cachePrefix = `${registration.scope} `;
const openCache = () => caches.open(cachePrefix + VERSION);
/** A request that bypasses the browser's HTTP cache, which may have files of another version. */
const uncached = (file) => new Request(file, { cache: "reload" });

addEventListener("install", (event) => event.waitUntil(openCache().then((cache) => cache.addAll(FILES.map(uncached)))));

addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) =>
  Promise.all(names.filter((name) => name.startsWith(cachePrefix) && name !== cachePrefix + VERSION).map((name) => caches.delete(name))))));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  event.respondWith(openCache().then((cache) => cache.match(request, { ignoreSearch: true })).then((found) => found ?? fetch(request)));
});
