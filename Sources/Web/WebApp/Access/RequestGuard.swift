// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Secrets

/// A middleware that refuses requests that the pages in the user's own browser did not send.
///
/// Another site can make the browser send requests to this port, and with DNS rebinding even read the responses.
/// Therefore each request is compared with a fixed host and origin, never with its own claims.
struct RequestGuard: RouterMiddleware {
    typealias Context = WebContext

    let origin: WebOrigin
    let access: BrowserAccess
    /// Whether browsers sign in with a passphrase instead of the redirecting file.
    let hasPassphrase: Bool

    /// The path to which the form of the redirecting file, which has no origin, is sent.
    static let launch = "/open"
    static let signIn = "/sign-in"
    /// The paths that a browser without a session may request, because they reveal nothing about the user.
    private static let publicPaths: Set<String> = ["/style.css", "/script.js", "/icon.svg"]
    /// The maximum size of a form, in bytes; an identity in base64 is its largest field.
    static let maximumFormSize = 1 << 20
    /// The path of the Password Composer; the links of its page are relative to this folder.
    ///
    /// A browser that installs the composer fetches its files without cookies.
    static let composer = "/composer/"
    /// The paths to which the script uploads files before their forms are sent.
    static let pictureUpload = "/presents/picture"
    static let sealedUpload = "/presents/sealed"
    /// The maximum size of a picture file, in bytes.
    static let maximumPictureSize = 24 << 20
    static let maximumSealedFileSize = 256 << 20
    /// The maximum size of a form from a browser without a session, in bytes.
    private static let maximumTokenFormSize = 64 << 10

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard origin.isNamed(by: request.head.authority) else { throw WebError.wrongHost }
        var (request, context) = (request, context)
        let path = request.uri.path
        // The redirecting file and another instance of the program have no session yet. The file has no origin, and the
        // program is not a browser.
        let isEntrance = path == (hasPassphrase ? Self.signIn : Self.launch)
        let isReopening = !hasPassphrase && path == RunningServer.path
        if hasPassphrase || !isEntrance && !isReopening { try checkOrigin(request) }
        let cookie = request.cookies[origin.cookieName]?.value
        context.session = cookie.flatMap(access.session)
        context.hasValidSession = { [access] in cookie.flatMap(access.session) != nil }
        guard context.session != nil || isEntrance || isReopening || Self.isPublic(path) else {
            guard hasPassphrase else { throw WebError.notSignedIn }
            guard request.method == .get else { throw WebError.signedOut }
            return .redirect(to: Self.signIn)
        }
        switch request.method {
        case .get, .head: break
        case .post where isReopening: break
        case .post where [Self.pictureUpload, Self.sealedUpload].contains(path):
            // A browser sends neither field to another origin without a preflight request (Fetch section 3.2.2).
            guard request.headers[.contentType] == "application/octet-stream" else { throw WebError.crossSite }
            guard isOwn(request.headers[.formToken], context) else { throw WebError.staleForm }
        case .post:
            let limit = context.session == nil ? Self.maximumTokenFormSize : Self.maximumFormSize
            context.form = try await form(of: &request, upTo: limit)
            guard isEntrance || isOwn(context.form["form-token"], context) else { throw WebError.staleForm }
        default: throw WebError.notFound
        }
        return try await next(request, context)
    }

    private func checkOrigin(_ request: Request) throws {
        // Fetch Metadata (W3C): a URL that is typed, or opened from outside the browser, has the site "none".
        let site = request.headers[.secFetchSite]
        guard site == nil || site == "same-origin" || site == "none" else { throw WebError.crossSite }
        switch request.headers[.origin] {
        case origin.origin(at: request.head.authority): return
        // Pages without a referrer send forms with the origin "null" (Fetch section 3.1), as other sites do too;
        // Sec-Fetch-Site distinguishes them.
        case "null" where site == "same-origin": return
        case nil where [.get, .head].contains(request.method): return
        default: throw WebError.crossSite
        }
    }

    private func isOwn(_ token: String?, _ context: WebContext) -> Bool {
        guard let session = context.session else { return false }
        return Secret(token ?? "") == Secret(session.formToken)
    }

    private static func isPublic(_ path: String) -> Bool {
        publicPaths.contains(path) || (path + "/").hasPrefix(composer)
    }

    /// Returns the maximum body size for a path, in bytes.
    static func maximumBodySize(to path: String) -> Int {
        switch path {
        case pictureUpload: maximumPictureSize
        case sealedUpload: maximumSealedFileSize
        default: maximumFormSize
        }
    }

    private func form(of request: inout Request, upTo limit: Int) async throws -> WebForm {
        // A form of another site could have another content type.
        guard request.headers[.contentType] == "application/x-www-form-urlencoded" else { throw WebError.crossSite }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw WebError.tooLarge
        }
        do {
            return WebForm(try await request.collectBody(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw WebError.tooLarge
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw WebError.tooLarge
        }
    }
}

extension HTTPField.Name {
    /// A Fetch Metadata field (W3C), which only a browser sets.
    fileprivate static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
    /// The field that contains the value of the form field `form-token`.
    fileprivate static let formToken = Self("Form-Token") ?? .origin
}

/// A middleware that adds fields to every response that make the browser isolate it from other sites.
struct SafetyFields: RouterMiddleware {
    typealias Context = WebContext

    static let pagePolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "form-action 'self'", "frame-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
    ].joined(separator: "; ")
    /// The policy for fetched content: the browser treats it as an opaque origin, loads nothing for it, and runs
    /// nothing in it.
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

/// The request context, with the results of the request guard.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The session of the browser; `nil` only for public paths.
    var session: BrowserAccess.BrowserSession?
    /// Returns whether the session is still valid, for a response of long duration.
    var hasValidSession: @Sendable () -> Bool = { true }
    /// The fields of the form; empty if none was sent.
    var form = WebForm()

    /// The client address.
    let peer: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
    }
}
