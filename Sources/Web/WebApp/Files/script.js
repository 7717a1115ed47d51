// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The pages also work without this script, except for uploads: they are then reloaded, and a question appears in the page.
"use strict";

// Shows the question of the fetch as a modal dialog. Esc declines, as the button does.
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

// Loads the page again, and replaces the job element by the new one.
async function renew(job) {
  const response = await fetch(location.href, { cache: "no-store" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("job");
  if (!response.ok || !fresh) return location.reload();
  const shown = document.getElementById("question");
  const asked = fresh.querySelector("#question");
  // The input into a question is retained while the question is the same.
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

// Follows the running job by server-sent events.
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

// Puts the chosen file into a field of its form.
function sendFiles() {
  document.addEventListener("change", async (event) => {
    const name = event.target.dataset && event.target.dataset.fills;
    if (!name) return;
    const field = event.target.form.elements[name];
    const file = event.target.files[0];
    field.value = "";
    event.target.setCustomValidity("");
    if (!file) return;
    // A chosen file replaces the proposed identity of the keychain.
    const choice = event.target.form.querySelector("#kept-file");
    if (choice) choice.checked = true;
    if (file.size > 512 * 1024) return event.target.setCustomValidity("The file is longer than 512 KiB.");
    const bytes = new Uint8Array(await file.arrayBuffer());
    field.value = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  });
}

// Uploads a file before its form is sent, and puts the name of the upload into a field of the form.
async function send(input, file) {
  const form = input.form;
  const status = form.querySelector(".upload");
  const preview = document.getElementById(input.dataset.preview);
  const original = (input.dataset.original ??= preview && !preview.hidden ? preview.src : "");
  // If several files are chosen one after the other, only the last one is used.
  const turn = Number(input.dataset.turn ?? 0) + 1;
  input.dataset.turn = turn;
  const isLatest = () => Number(input.dataset.turn) === turn;
  const show = (source) => {
    if (!preview) return;
    preview.hidden = !source;
    if (source) preview.src = source;
  };
  const tell = (text, isProblem) => {
    if (!isLatest()) return;
    status.textContent = text;
    status.classList.toggle("problem", isProblem);
    // The form can be sent without the file.
    input.setCustomValidity("");
    if (!isProblem) return;
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
    if (answer.problem) return tell(answer.problem, true);
    if (!isLatest()) return;
    form.elements[input.dataset.to].value = answer.name;
    tell("The file is ready.", false);
    show(answer.path);
  } catch {
    tell("The server does not answer. Start the program again, and load the page.", true);
  }
}

// Removes messages that are outdated after the next attempt or a reload: a download does not change the page.
function dropStaleMessages() {
  document.addEventListener("submit", (event) => {
    for (const problem of event.target.querySelectorAll(".problem[role=alert]")) problem.remove();
  });
  const query = new URLSearchParams(location.search);
  if (!query.has("done") && !query.has("saved")) return;
  query.delete("done");
  query.delete("saved");
  const rest = String(query);
  history.replaceState(null, "", location.pathname + (rest && "?" + rest));
}

// Uploads files that are chosen, dropped or pasted.
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
  // Without this, a file that is dropped outside the area would replace the page.
  for (const name of ["dragover", "dragleave", "drop"]) {
    addEventListener(name, (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      area.classList.toggle("over", name === "dragover" && area.contains(event.target));
    });
  }
  area.addEventListener("drop", (event) => take(event, event.dataTransfer.files));
  addEventListener("paste", (event) => {
    // Spreadsheets copy a picture in addition to the text.
    if (!event.clipboardData.types.includes("text/plain")) take(event, event.clipboardData.files);
  });
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function post(path, body) {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return fetch(path, { method: "POST", body, headers, redirect: "manual" }).catch(() => null);
}

// Sends a form without leaving the page. After success, the server redirects to another page.
async function submit(form) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  return (await post(form.action, body))?.type === "opaqueredirect";
}

// Saves the form of the page if it was changed.
async function saveForm() {
  const form = document.querySelector("[data-saved-when-idle]");
  if (!form) return true;
  const isChanged = Array.from(form.elements).some((one) =>
    "defaultValue" in one && (one.value !== one.defaultValue || one.checked !== one.defaultChecked));
  return isChanged || form.elements.picture?.value ? submit(form) : true;
}

// Locks the keychain when none of its pages was used for some time, in all tabs of the browser.
function lockWhenIdle() {
  const lock = document.getElementById("lock");
  const idle = 1000 * document.body.dataset.idle;
  if (!lock || !idle) return;
  const tabs = new BroadcastChannel("lock");
  const place = lock.elements.place.value;
  let [last, told, saving, isEnding] = [Date.now(), Date.now(), 0, false];
  // Removes the contents of the page, and its entry in the history.
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
    // A form that cannot be saved stays open.
    if (!isSaved) {
      isEnding = false;
      last = Date.now();
      return;
    }
    // If another browser has signed in, the server refuses the request, but the page is left anyway.
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
  // Compares clock times, because timers stop while the computer sleeps.
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

// Shares the picture or the text with another program, if the browser supports it.
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

// A page in the back/forward cache may be outdated, and must not contain data of the keychain.
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
