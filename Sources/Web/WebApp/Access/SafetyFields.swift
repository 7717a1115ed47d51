// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Hummingbird

/// Adds to every response what a browser must know to keep it apart from other sites.
struct SafetyFields: RouterMiddleware {
    typealias Context = WebContext

    static let pagePolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "form-action 'self'", "frame-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
    ].joined(separator: "; ")
    /// For content that was fetched: the browser gives it an opaque origin, and loads and runs nothing for it.
    static let contentPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

    private static let fields: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        (
            "Permissions-Policy",
            "camera=(), clipboard-read=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
        ),
        ("Cache-Control", "no-store"), ("X-Frame-Options", "DENY"),
    ]

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for field in Self.fields {
            if let name = HTTPField.Name(field.name), response.headers[name] == nil {
                response.headers[name] = field.value
            }
        }
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = Self.pagePolicy
        }
        return response
    }
}
