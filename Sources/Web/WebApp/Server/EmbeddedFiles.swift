// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ComposerPage
import HTTPTypes
import Hummingbird
import NIOCore

/// The files that are embedded in the program, each with its path.
struct EmbeddedFiles: Sendable {
    private let files: [(path: RouterPath, type: String, bytes: [UInt8])]
    /// The Content-Security-Policy; `nil` for that of the pages.
    private var policy: String?

    /// The files that the pages load.
    static let ofPages = EmbeddedFiles(files: [
        ("/style.css", "text/css; charset=utf-8", PackageResources.style_css),
        ("/script.js", "text/javascript; charset=utf-8", PackageResources.script_js),
        ("/icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ])

    /// The Password Composer, which also works without this server.
    static let ofComposer = EmbeddedFiles(
        // The path of the folder itself serves its first file.
        files: ([("", ComposerPage.files[0].bytes)] + ComposerPage.files).map { name, bytes in
            (RouterPath(RequestGuard.composer + name), type(of: name), bytes)
        },
        policy: [
            "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self' data:",
            "manifest-src 'self'", "worker-src 'self'", "connect-src 'self'", "form-action 'none'",
            "frame-ancestors 'none'", "base-uri 'none'",
        ].joined(separator: "; "))

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case nil, "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "wasm": "application/wasm"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        default: "image/png"
        }
    }

    func add(to router: Router<WebContext>) {
        for file in files {
            router.get(file.path) { request, _ in
                // The router matches a path with and without a trailing slash.
                guard request.uri.path + "/" != RequestGuard.composer else {
                    return Response.redirect(to: RequestGuard.composer)
                }
                var response = Response(
                    status: .ok, headers: [.contentType: file.type],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
                response.headers[.contentSecurityPolicy] = policy
                if policy != nil, let name = HTTPField.Name("Permissions-Policy") {
                    // The composer clears the clipboard only if it still contains the password.
                    response.headers[name] = "clipboard-read=(self)"
                }
                return response
            }
        }
    }
}

extension Response {
    /// Returns content that is not a page of this server: the browser isolates it from the pages,
    /// and runs nothing in it.
    static func content(_ type: String, _ body: ResponseBody) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .contentSecurityPolicy: SafetyFields.contentPolicy], body: body)
    }

    static func content(_ type: String, _ bytes: [UInt8]) -> Response {
        content(type, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns content that the browser saves as a file and does not open.
    static func download(_ body: ResponseBody, name: String) -> Response {
        var response = content("application/octet-stream", body)
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }

    static func download(_ bytes: [UInt8], name: String) -> Response {
        download(ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), name: name)
    }
}
