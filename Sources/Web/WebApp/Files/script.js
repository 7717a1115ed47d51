// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The pages work without it, but for sending files: they are loaded anew then, and a question stands in the page.
"use strict";

// Brings the question of the fetch in front of the page. Esc declines, as the button does.
function showQuestion() {
  const dialog = document.getElementById("question");
  if (!dialog) return;
  dialog.close();
  dialog.showModal();
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    dialog.querySelector("button[value=decline]").click();
  });
}

// Loads the page again, and puts the work of the new one in the place of the old one.
async function renew(job) {
  const response = await fetch(location.href, { cache: "no-store" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("job");
  if (!response.ok || !fresh) return location.reload();
  const shown = document.getElementById("question");
  const asked = fresh.querySelector("#question");
  // What is typed into a question stays while the question does.
  if (shown && asked && shown.dataset.question === asked.dataset.question) {
    job.dataset.version = fresh.dataset.version;
    return;
  }
  job.replaceWith(fresh);
  showQuestion();
}

function showProgress(state) {
  document.getElementById("progress-text").textContent = state.text;
  const bar = document.getElementById("progress");
  if (bar && state.total) {
    bar.max = state.total;
    bar.value = state.completed;
  }
}

// Follows the work that runs, by server-sent events.
function follow() {
  const job = document.getElementById("job");
  if (!job || !("running" in job.dataset)) return;
  const events = new EventSource(job.dataset.events);
  let work = Promise.resolve();
  events.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (!state.isRunning) events.close();
    work = work.then(async () => {
      const current = document.getElementById("job");
      if (String(state.version) !== current.dataset.version) await renew(current);
      else if (state.isRunning) showProgress(state);
    });
  });
  addEventListener("pagehide", () => events.close());
}

// Sends the file that was chosen as a field of its form.
function sendFiles() {
  document.addEventListener("change", async (event) => {
    const name = event.target.dataset && event.target.dataset.fills;
    if (!name) return;
    const field = event.target.form.elements[name];
    const file = event.target.files[0];
    field.value = "";
    event.target.setCustomValidity("");
    if (!file) return;
    // Who chooses a file does not want the identity of the keychain that was proposed.
    const choice = event.target.form.querySelector("#kept-file");
    if (choice) choice.checked = true;
    if (file.size > 512 * 1024) return event.target.setCustomValidity("The file is longer than 512 KiB.");
    const bytes = new Uint8Array(await file.arrayBuffer());
    field.value = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  });
}

// Sends a file ahead of its form, and puts its name there into a field of the form.
async function send(input, file) {
  const form = input.form;
  const status = form.querySelector(".upload");
  const preview = document.getElementById(input.dataset.preview);
  const original = (input.dataset.original ??= preview && !preview.hidden ? preview.src : "");
  // Only the latest of several files counts.
  const turn = Number(input.dataset.turn ?? 0) + 1;
  input.dataset.turn = turn;
  const isLatest = () => Number(input.dataset.turn) === turn;
  const show = (source) => {
    if (!preview) return;
    preview.hidden = !source;
    if (source) preview.src = source;
  };
  const tell = (text, isFlaw) => {
    if (!isLatest()) return;
    status.textContent = text;
    status.classList.toggle("flaw", isFlaw);
    // The form can be sent without the file.
    input.setCustomValidity("");
    if (!isFlaw) return;
    input.value = "";
    show(original);
  };
  form.elements[input.dataset.to].value = "";
  if (!file) {
    show(original);
    return tell("", false);
  }
  const limit = Number(input.dataset.limit);
  if (file.size > limit * 1024 * 1024) return tell(`The file is longer than ${limit} MiB.`, true);
  tell("Reading the file …", false);
  input.setCustomValidity("The file is still being read.");
  try {
    const response = await fetch(input.dataset.sends, {
      method: "POST",
      body: file,
      headers: { "Content-Type": "application/octet-stream", "Form-Token": form.elements["form-token"].value },
    });
    if (!response.ok) return tell("The page is of an earlier session. Load the page again.", true);
    const answer = await response.json();
    if (answer.flaw) return tell(answer.flaw, true);
    if (!isLatest()) return;
    form.elements[input.dataset.to].value = answer.name;
    tell("The file is ready.", false);
    show(answer.path);
  } catch {
    tell("The server does not answer. Start the program again, and load the page.", true);
  }
}

// Takes away what is true only until the next try, or until the page is loaded again: a download leaves the page as it is.
function dropStaleMessages() {
  document.addEventListener("submit", (event) => {
    for (const flaw of event.target.querySelectorAll(".flaw[role=alert]")) flaw.remove();
  });
  const query = new URLSearchParams(location.search);
  if (!query.has("done") && !query.has("saved")) return;
  query.delete("done");
  query.delete("saved");
  const rest = String(query);
  history.replaceState(null, "", location.pathname + (rest && "?" + rest));
}

// Takes files that are chosen, dropped or pasted.
function sendAhead() {
  document.addEventListener("change", (event) => {
    if (event.target.dataset.sends) send(event.target, event.target.files[0]);
  });
  const area = document.querySelector("[data-drop]");
  if (!area) return;
  const input = document.getElementById(area.dataset.drop);
  const take = (event, files) => {
    const file = Array.from(files).find((one) => one.type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    send(input, file);
  };
  // A file that is dropped beside the area would take the place of the page.
  for (const name of ["dragover", "dragleave", "drop"]) {
    addEventListener(name, (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      area.classList.toggle("over", name === "dragover" && area.contains(event.target));
    });
  }
  area.addEventListener("drop", (event) => take(event, event.dataTransfer.files));
  addEventListener("paste", (event) => {
    // Spreadsheets copy a picture of their text beside it.
    if (!event.clipboardData.types.includes("text/plain")) take(event, event.clipboardData.files);
  });
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function post(path, body) {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return fetch(path, { method: "POST", body, headers, redirect: "manual" }).catch(() => null);
}

// Sends a form without leaving the page. Each form that was sent well leads to another page.
async function submit(form) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  return (await post(form.action, body))?.type === "opaqueredirect";
}

// Saves the form of the page where something was typed into it.
async function saveForm() {
  const form = document.querySelector("[data-saved-when-idle]");
  if (!form) return true;
  const isChanged = Array.from(form.elements).some((one) =>
    "defaultValue" in one && (one.value !== one.defaultValue || one.checked !== one.defaultChecked));
  return isChanged || form.elements.picture?.value ? submit(form) : true;
}

// Locks the keychain when no page of it was used for a while, in each tab of the browser.
function lockWhenIdle() {
  const lock = document.getElementById("lock");
  const idle = 1000 * document.body.dataset.idle;
  if (!lock || !idle) return;
  const tabs = new BroadcastChannel("lock");
  const place = lock.elements.place.value;
  let [last, told, saving, isEnding] = [Date.now(), Date.now(), 0, false];
  // The page of an unlocked keychain leaves neither itself nor an entry in the history.
  const leave = () => {
    document.body.replaceChildren();
    location.replace(place);
  };
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    // The other tabs save their forms first.
    tabs.postMessage("locking");
    const isSaved = await saveForm();
    await pause(100);
    for (let turn = 0; saving > 0 && turn < 50; turn++) await pause(100);
    // What cannot be saved stays.
    if (!isSaved) {
      isEnding = false;
      last = Date.now();
      return;
    }
    // Where another browser was let in meanwhile, the request is refused, and the page is left all the same.
    await submit(lock);
    tabs.postMessage("locked");
    leave();
  };
  const noteUse = () => {
    last = Date.now();
    if (last - told < 20000) return;
    told = last;
    tabs.postMessage("active");
    post("/keychain/active", new URLSearchParams({ "form-token": lock.elements["form-token"].value }));
  };
  for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) addEventListener(name, noteUse, { passive: true });
  // By the clock, because timers stand still while the computer sleeps.
  setInterval(() => {
    if (Date.now() - last >= idle) end();
  }, 1000);
  tabs.addEventListener("message", async ({ data }) => {
    if (data === "active") last = Date.now();
    if (data === "saving") saving += 1;
    if (data === "saved") saving -= 1;
    if (data === "locked") leave();
    if (data !== "locking") return;
    tabs.postMessage("saving");
    await saveForm();
    tabs.postMessage("saved");
  });
  lock.addEventListener("submit", (event) => {
    event.preventDefault();
    end();
  });
}

// Passes the picture or the text on to another program, where the browser can.
function share() {
  const button = document.querySelector("[data-share]");
  if (!button || !navigator.share) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const title = document.querySelector("h1").textContent;
    const content = { title, text: document.querySelector(".note").textContent };
    if (button.dataset.share.endsWith("picture")) {
      const picture = await (await fetch(button.dataset.share)).blob();
      const files = [new File([picture], "present.jpg", { type: picture.type })];
      if (navigator.canShare({ files })) content.files = files;
    }
    await navigator.share(content).catch(() => {});
  });
}

// A page that the browser keeps may show what is not so any more, and holds nothing of the keychain.
addEventListener("pagehide", (event) => {
  if (event.persisted && document.body.dataset.idle) document.body.replaceChildren();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
showQuestion();
follow();
sendFiles();
sendAhead();
lockWhenIdle();
share();
dropStaleMessages();
