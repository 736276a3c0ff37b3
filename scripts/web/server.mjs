// A static server of a folder on loopback. Like a plain server, it sends no header except the media type.

import { createServer } from "node:http";
import { readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const MEDIA = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8", ".wasm": "application/wasm" };
/** A path, because the page must work below any path. */
const PREFIX = "/some/where/";

function fileAt(folder, url) {
  const { pathname } = new URL(url, "http://127.0.0.1");
  if (!pathname.startsWith(PREFIX)) return null;
  const name = normalize(decodeURIComponent(pathname.slice(PREFIX.length))) || ".";
  const path = join(folder, name === "." ? "index.html" : name);
  if (name.startsWith("..") || !statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  return path;
}

/**
 * `change(name, text)` replaces the content of a file in answers, to act as a new version of the page.
 * @returns {Promise<{address: string, folder: string, change: (name: string, text: string) => void, close: () => void}>}
 */
export function serve(folder) {
  const changed = new Map();
  const server = createServer((request, response) => {
    const path = fileAt(folder, request.url);
    response.writeHead(path ? 200 : 404, path ? { "content-type": MEDIA[extname(path)] ?? "text/plain" } : {});
    response.end(path ? changed.get(path) ?? readFileSync(path) : "");
  });
  const change = (name, text) => changed.set(join(folder, name), text);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => done({ address: `http://127.0.0.1:${server.address().port}${PREFIX}`, folder,
      change, close }));
  });
}
