// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

const idleSeconds = 60;
const clipboardSeconds = 30;

/// The modes by name: the number in Wasm/Exports.swift, the allowed lengths, the default length, and a hint.
const modes = {
    "modern": { number: 0, lengths: [4, 64], length: 16, hint: "Slow to guess (scrypt). Another counter gives a new password." },
    "lesspass": { number: 3, lengths: [5, 35], length: 16, hint: "The passwords of LessPass, version 2." },
    "spectre": { number: 6, hint: "The passwords of Spectre, formerly Master Password." },
    "supergenpass-sha512": { number: 5, lengths: [4, 24], length: 10, hint: "The passwords of SuperGenPass. Enter the domain without subdomains." },
    "supergenpass": { number: 4, lengths: [4, 24], length: 10, hint: "The passwords of SuperGenPass. Enter the domain without subdomains." },
    "classic": { number: 1, hint: "Eight digits, fast to guess. For passwords that were made so." },
    "classic-utf8": { number: 2, hint: "Eight digits, fast to guess. For passwords that were made so." },
};

const errors = {
    1: "Enter the master password.", 2: "Enter a site.", 3: "Enter your full name, as in Spectre.",
    4: "This mode does not make passwords of this length.", 5: "Choose at least one kind of characters.", 6: "The counter starts at 1.",
};

const element = (id) => document.getElementById(id);
const form = element("form");
const fields = Object.fromEntries(["domain", "master", "mode", "login", "length", "counter", "template", "keep", "password"].map((id) => [id, element(id)]));
const classes = [...form.querySelectorAll("[name=class]")];

// --- The worker computes, so that the page stays responsive. ---

let worker;
let waiting = new Map();
let lastNumber = 0;

function startWorker() {
    worker?.terminate();
    waiting = new Map();
    worker = new Worker("composer-worker.js");
    worker.onmessage = ({ data }) => {
        waiting.get(data.number)?.(data);
        waiting.delete(data.number);
    };
}

function ask(request) {
    const number = ++lastNumber;
    return new Promise((resolve) => {
        waiting.set(number, resolve);
        worker.postMessage({ ...request, number });
    });
}

// --- Composing ---

function show(message) { element("status").textContent = message; }

function choice() {
    if (fields.mode.value === "spectre") return Number(fields.template.value);
    return classes.reduce((sum, box) => sum + (box.checked ? Number(box.value) : 0), 0);
}

function hideResult() {
    fields.password.value = "";
    reveal(fields.password, element("show-password"), false);
    element("result").hidden = true;
}

let composition = 0;

async function compose() {
    const current = ++composition;
    const button = element("compose");
    button.disabled = true;
    hideResult();
    show("Composing…");
    await restoring;
    const answer = await ask({
        kind: "compose", master: fields.master.value, domain: fields.domain.value, login: fields.login.value,
        mode: modes[fields.mode.value].number, counter: Number(fields.counter.value), length: Number(fields.length.value), choice: choice(),
    });
    if (current !== composition) return;
    button.disabled = false;
    if (answer.error) {
        show(errors[answer.error] ?? "This device could not compute the password. Is there enough memory?");
        return;
    }
    keepSettings(answer.site);
    element("site").textContent = answer.site;
    fields.password.value = answer.password;
    element("result").hidden = false;
    show(`The password for ${answer.site} is ready.`);
    element("copy").focus();
}

// --- The fingerprint of the master password ---

let fingerprintTimer;
const noFingerprint = element("fingerprint-words").textContent;

function forgetFingerprint() {
    clearTimeout(fingerprintTimer);
    element("fingerprint").hidden = true;
    element("fingerprint").removeAttribute("src");
    element("fingerprint-words").textContent = noFingerprint;
}

function updateFingerprint() {
    forgetFingerprint();
    const master = fields.master.value;
    if (master === "") return;
    fingerprintTimer = setTimeout(async () => {
        const { words, svg } = await ask({ kind: "fingerprint", master });
        if (words === undefined || master !== fields.master.value) return;
        element("fingerprint").src = "data:image/svg+xml," + encodeURIComponent(svg);
        element("fingerprint").hidden = false;
        element("fingerprint-words").textContent = words;
    }, 400);
}

// --- Options of a site, stored only on request ---

const settingsKey = (site) => "composer.site:" + site;

function stored(action) {
    // Storage may be disabled.
    try { return action(localStorage); } catch { return null; }
}

function keepSettings(site) {
    if (!fields.keep.checked) {
        stored((storage) => storage.removeItem(settingsKey(site)));
        return;
    }
    const settings = { choice: choice() };
    for (const name of ["mode", "login", "counter", "length"]) settings[name] = fields[name].value;
    stored((storage) => storage.setItem(settingsKey(site), JSON.stringify(settings)));
}

/// The pending restoration, which composing awaits, so that Enter in the site field also uses the stored settings.
let restoring;
let wasRestored = false;

async function restoreSettings() {
    const { site } = await ask({ kind: "site", domain: fields.domain.value });
    const settings = stored((storage) => JSON.parse(storage.getItem(settingsKey(site))));
    const isKnown = settings && Object.hasOwn(modes, settings.mode);
    // The choice to store the settings of one site does not apply to the next one.
    if (isKnown || wasRestored) fields.keep.checked = isKnown;
    wasRestored = isKnown;
    if (!isKnown) return;
    fields.mode.value = settings.mode;
    showMode();
    for (const name of ["login", "counter", "length"]) fields[name].value = settings[name];
    if (settings.mode === "spectre") fields.template.value = settings.choice;
    else for (const box of classes) box.checked = (settings.choice & Number(box.value)) !== 0;
    summarize();
    show(`The options for ${site} were kept in this browser.`);
}

// --- Modes ---

function showMode() {
    const name = fields.mode.value;
    const mode = modes[name];
    for (const part of form.querySelectorAll("[data-modes]")) {
        part.hidden = !part.dataset.modes.split(" ").includes(name);
        for (const field of part.querySelectorAll("input, select")) field.disabled = part.hidden;
    }
    if (mode.lengths) {
        [fields.length.min, fields.length.max] = mode.lengths;
        fields.length.value = mode.length;
    }
    fields.login.required = name === "spectre";
    element("login-label").textContent = name === "spectre" ? "Your full name" : "Login, if there are several";
    element("mode-hint").textContent = mode.hint;
    summarize();
}

/// Summarizes the options next to the heading of the closed section.
function summarize() {
    const parts = [fields.mode.selectedOptions[0].textContent];
    if (!fields.login.disabled && fields.login.value !== "") parts.push(fields.login.value);
    if (!fields.length.disabled) parts.push(`${fields.length.value} characters`);
    if (!fields.counter.disabled && fields.counter.value !== "1") parts.push(`counter ${fields.counter.value}`);
    element("options-summary").textContent = parts.join(", ");
}

// --- Showing, copying, clearing ---

function reveal(field, button, visible) {
    field.type = visible ? "text" : "password";
    button.setAttribute("aria-pressed", visible);
    button.textContent = visible ? "Hide" : "Show";
}

for (const [id, field] of [["show-master", fields.master], ["show-password", fields.password]]) {
    const button = element(id);
    button.addEventListener("click", () => reveal(field, button, field.type === "password"));
}

let clipboardTimer;

async function copy() {
    const password = fields.password.value;
    try {
        await navigator.clipboard.writeText(password);
    } catch {
        // Without a secure context, there is no other method to copy, and none to clear the clipboard.
        reveal(fields.password, element("show-password"), true);
        fields.password.select();
        show(document.execCommand("copy") ? "Copied. Clear the clipboard when you are done." : "Copy the selected password.");
        return;
    }
    show(`Copied. The clipboard is cleared after ${clipboardSeconds} seconds, if this browser permits it.`);
    clearTimeout(clipboardTimer);
    clipboardTimer = setTimeout(() => clearClipboard(password), clipboardSeconds * 1000);
}

async function clearClipboard(password) {
    // A page may read the clipboard only while it has the focus.
    if (!document.hasFocus()) {
        window.addEventListener("focus", () => clearClipboard(password), { once: true });
        return;
    }
    try {
        if (await navigator.clipboard.readText() !== password) return;
        await navigator.clipboard.writeText("");
        show("The clipboard was cleared.");
    } catch {
        show("This browser does not let the page read the clipboard. Clear it yourself.");
    }
}

function clear() {
    composition += 1;
    wasRestored = false;
    restoring = undefined;
    form.reset();
    hideResult();
    reveal(fields.master, element("show-master"), false);
    forgetFingerprint();
    element("site").textContent = "";
    element("compose").disabled = false;
    showMode();
    // A new worker discards the memory of the old one.
    startWorker();
}

let idleTimer;

function noteActivity() {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
        if (fields.master.value === "" && fields.password.value === "" && fields.domain.value === "") return;
        clear();
        show("The fields were cleared after a minute without input.");
    }, idleSeconds * 1000);
}

// --- Start ---

function refuse(message) {
    element("unsupported").textContent = message;
    element("unsupported").hidden = false;
    form.hidden = true;
}

if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
    refuse("This browser has no WebAssembly, or it is switched off. Passwords cannot be computed here.");
} else {
    startWorker();
    ask({ kind: "site", domain: "" }).then(({ error }) => {
        if (error) refuse("composer.wasm could not be loaded. Reload the page while the network is there.");
    });
    showMode();
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        compose();
    });
    form.addEventListener("input", () => {
        composition += 1;
        element("compose").disabled = false;
        hideResult();
        show("");
        summarize();
    });
    // An invalid field must be visible.
    form.addEventListener("invalid", ({ target }) => {
        if (element("options").contains(target)) element("options").open = true;
    }, true);
    fields.master.addEventListener("input", updateFingerprint);
    fields.domain.addEventListener("change", () => { restoring = restoreSettings(); });
    fields.mode.addEventListener("change", showMode);
    element("copy").addEventListener("click", copy);
    for (const type of ["input", "keydown", "pointerdown"]) document.addEventListener(type, noteActivity);
    window.addEventListener("pagehide", clear);
    navigator.serviceWorker?.register("service-worker.js");
}
