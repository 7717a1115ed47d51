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

// Loads the page again, and puts the fetch of the new one in the place of the old one.
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

// Follows the fetch that runs, by server-sent events.
function follow() {
  const job = document.getElementById("job");
  if (!job || !("running" in job.dataset)) return;
  const events = new EventSource(`/fetch/${job.dataset.number}/events`);
  let work = Promise.resolve();
  events.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (!state.isRunning) events.close();
    work = work.then(async () => {
      const current = document.getElementById("job");
      if (String(state.version) !== current.dataset.version) await renew(current);
      else showProgress(state);
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
    if (file.size > 512 * 1024) return event.target.setCustomValidity("The file is longer than 512 KiB.");
    const bytes = new Uint8Array(await file.arrayBuffer());
    field.value = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  });
}

// Sends a file ahead of its form, and puts its name there into a field of the form.
async function send(input, file) {
  const form = input.form;
  const status = form.querySelector(".upload");
  const tell = (text, isFlaw) => {
    status.hidden = !text;
    status.textContent = text;
    status.classList.toggle("flaw", isFlaw);
    input.setCustomValidity(isFlaw ? text : "");
  };
  form.elements[input.dataset.to].value = "";
  if (!file) return tell("", false);
  tell("Reading the file …", false);
  input.setCustomValidity("The file is still being read.");
  try {
    const response = await fetch(input.dataset.sends, {
      method: "POST",
      body: file,
      headers: { "Content-Type": "application/octet-stream", "Form-Token": form.elements["form-token"].value },
    });
    if (!response.ok) return tell("The file is too long, or the page is of an earlier session. Load the page again.", true);
    const answer = await response.json();
    if (answer.flaw) return tell(answer.flaw, true);
    form.elements[input.dataset.to].value = answer.name;
    tell("The file is ready.", false);
    const preview = document.getElementById(input.dataset.preview);
    if (!preview) return;
    preview.src = answer.path;
    preview.hidden = false;
  } catch {
    tell("The server does not answer. Start the program again, and load the page.", true);
  }
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
  for (const name of ["dragover", "dragleave", "drop"]) {
    area.addEventListener(name, (event) => {
      event.preventDefault();
      area.classList.toggle("over", name === "dragover");
    });
  }
  area.addEventListener("drop", (event) => take(event, event.dataTransfer.files));
  addEventListener("paste", (event) => take(event, event.clipboardData.files));
}

// Locks the keychain when the page was not used for a while, here and in the browser's other tabs.
function lockWhenIdle() {
  const lock = document.getElementById("lock");
  const idle = 1000 * document.body.dataset.idle;
  if (!lock || !idle) return;
  const tabs = new BroadcastChannel("lock");
  const place = lock.elements.place.value;
  // The page of an unlocked keychain leaves neither itself nor an entry in the history.
  const leave = () => {
    document.body.replaceChildren();
    location.replace(place);
  };
  const end = async () => {
    const form = document.querySelector("[data-saved-when-idle]");
    const isChanged = form
      && (form.elements.picture.value || Array.from(form.elements).some((one) => "defaultValue" in one && one.value !== one.defaultValue));
    const action = isChanged ? form : lock;
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(action)) if (typeof value === "string") body.append(name, value);
    if (isChanged) body.append("lock", "");
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    // The tabs that follow ask the server, which has locked it by then.
    await fetch(action.action, { method: "POST", body, headers, redirect: "manual" }).catch(() => {});
    tabs.postMessage("locked");
    leave();
  };
  let last = Date.now();
  for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) {
    addEventListener(name, () => { last = Date.now(); }, { passive: true });
  }
  // By the clock, because timers stand still while the computer sleeps.
  const timer = setInterval(() => {
    if (Date.now() - last < idle) return;
    clearInterval(timer);
    end();
  }, 1000);
  tabs.addEventListener("message", leave);
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
