// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Hummingbird
import NIOCore

/// Files that are part of the program, each under its path.
struct EmbeddedFiles: Sendable {
    private let files: [(path: RouterPath, type: String, bytes: [UInt8])]

    /// What the pages load.
    static let ofPages = EmbeddedFiles(files: [
        ("/style.css", "text/css; charset=utf-8", PackageResources.style_css),
        ("/script.js", "text/javascript; charset=utf-8", PackageResources.script_js),
        ("/icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ])

    func add(to router: Router<WebContext>) {
        for file in files {
            router.get(file.path) { _, _ in
                Response(
                    status: .ok, headers: [.contentType: file.type],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
            }
        }
    }
}
