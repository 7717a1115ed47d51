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

// A page that the browser kept may show what is not so any more.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
showQuestion();
follow();
sendFiles();
