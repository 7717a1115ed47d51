// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The files of the composer page, as resources for the program that serves it.
package enum ComposerPage {
    /// The name of each file, as the page's service worker caches it, and its bytes.
    package static let files: [(name: String, bytes: [UInt8])] = [
        ("index.html", PackageResources.index_html),
        ("composer.css", PackageResources.composer_css),
        ("composer.js", PackageResources.composer_js),
        ("composer-worker.js", PackageResources.composer_worker_js),
        ("composer.wasm", PackageResources.composer_wasm),
        ("service-worker.js", PackageResources.service_worker_js),
        ("manifest.webmanifest", PackageResources.manifest_webmanifest),
        ("icon.svg", PackageResources.icon_svg),
        ("icon-192.png", PackageResources.icon_192_png),
        ("icon-512.png", PackageResources.icon_512_png),
        ("icon-maskable-512.png", PackageResources.icon_maskable_512_png),
    ]
}
