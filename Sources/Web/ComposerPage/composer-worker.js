// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Each request gets a new instance, so that no memory remains after it. Wasm/Exports.swift describes the functions.

const compiled = fetch("composer.wasm").then((response) => response.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes));
// The error is reported for each request.
compiled.catch(() => {});

class Instance {
    constructor(module) {
        this.exports = new WebAssembly.Instance(module).exports;
        this.start = this.exports.composer_buffer();
    }

    /// Returns a view of the buffer; the memory may have grown since the last call, which invalidates earlier views.
    bytes(length) { return new Uint8Array(this.exports.memory.buffer, this.start, length); }

    /// Writes concatenated texts, and returns their lengths.
    write(...texts) {
        const parts = texts.map((text) => new TextEncoder().encode(text));
        const all = parts.reduce((sum, part) => sum + part.length, 0);
        if (all > 8192) throw new RangeError("too long");
        let end = 0;
        for (const part of parts) {
            this.bytes(all).set(part, end);
            end += part.length;
            part.fill(0);
        }
        return parts.map((part) => part.length);
    }

    read(length) {
        const text = new TextDecoder().decode(this.bytes(length));
        this.bytes(length).fill(0);
        return text;
    }
}

function site(module, domain) {
    const instance = new Instance(module);
    return instance.read(instance.exports.composer_site(...instance.write(domain)));
}

const answers = {
    site: (module, { domain }) => ({ site: site(module, domain) }),
    fingerprint(module, { master }) {
        const instance = new Instance(module);
        const [words, svg] = instance.read(instance.exports.composer_fingerprint(...instance.write(master))).split("\n");
        return { words, svg };
    },
    compose(module, { master, domain, login, mode, counter, length, choice }) {
        const instance = new Instance(module);
        const lengths = instance.write(master, domain, login);
        const result = instance.exports.composer_compose(...lengths, mode, counter, length, choice);
        if (result < 0) return { error: -result };
        return { password: instance.read(result), site: site(module, domain) };
    },
};

onmessage = async ({ data }) => {
    try {
        postMessage({ number: data.number, ...answers[data.kind](await compiled, data) });
    } catch {
        postMessage({ number: data.number, error: "unavailable" });
    }
};
