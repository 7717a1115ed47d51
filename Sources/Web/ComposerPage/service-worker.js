// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Caches the page for use without a network. scripts/make/composer writes the version, a hash of the files.

const version = "b882b62cd6fbcd77";
const cacheName = "composer-" + version;
const files = [
    "./", "index.html", "composer.css", "composer.js", "composer-worker.js", "composer.wasm", "manifest.webmanifest", "icon.svg",
    "icon-192.png", "icon-512.png", "icon-maskable-512.png",
];

addEventListener("install", (event) => {
    // The browser's own cache may contain the files of the previous version.
    const requests = files.map((file) => new Request(file, { cache: "reload" }));
    event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(requests)));
});

addEventListener("activate", (event) => {
    event.waitUntil(caches.keys().then((names) => Promise.all(
        names.filter((name) => name.startsWith("composer-") && name !== cacheName).map((name) => caches.delete(name)))));
});

addEventListener("fetch", (event) => {
    if (event.request.method !== "GET") return;
    event.respondWith(caches.open(cacheName).then(async (cache) =>
        await cache.match(event.request, { ignoreSearch: true }) ?? fetch(event.request)));
});
