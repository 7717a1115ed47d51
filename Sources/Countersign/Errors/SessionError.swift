// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why a request came to nothing, by the stage at which it failed.
///
/// Every case holds an error that says more: `catch SessionError.connection(.lost(let peer, let phase))`.
@nonexhaustive
public enum SessionError: Error, Sendable {
    /// The request itself, before anything was sent.
    case request(RequestError)
    /// Name resolution, connecting, and the connection.
    case connection(ConnectionError)
    /// A proxy, and what names one.
    case proxy(ProxyError)
    /// The TLS handshake, and client certificates.
    case tls(TLSError)
    /// The server's certificate chain.
    case trust(TrustError)
    /// Challenges and credentials.
    case authentication(AuthenticationError)
    /// The response, as the protocol or its reader asks for it.
    case response(ResponseError)
    /// Where the server redirects to.
    case redirect(RedirectError)
    /// The body of the request or of the response.
    case body(BodyError)
    /// A file that is read, sent or written.
    case file(FileError)
    /// A limit of time, size or number.
    case limit(LimitError)
    /// The session or a handler ended the request. A task that was cancelled throws `CancellationError`.
    case cancelled(Cancellation)
}

extension SessionError: CataloguedError {
    /// What happened, what that means and what to try.
    public var explanation: ErrorExplanation { stageError.explanation }

    /// The error of the stage.
    private var stageError: any ExplainedError {
        switch self {
        case .request(let error): error
        case .connection(let error): error
        case .proxy(let error): error
        case .tls(let error): error
        case .trust(let error): error
        case .authentication(let error): error
        case .response(let error): error
        case .redirect(let error): error
        case .body(let error): error
        case .file(let error): error
        case .limit(let error): error
        case .cancelled(let error): error
        }
    }

    package static var examples: [SessionError] {
        RequestError.examples.map(Self.request) + ConnectionError.examples.map(Self.connection)
            + ProxyError.examples.map(Self.proxy) + TLSError.examples.map(Self.tls)
            + TrustError.examples.map(Self.trust) + AuthenticationError.examples.map(Self.authentication)
            + ResponseError.examples.map(Self.response) + RedirectError.examples.map(Self.redirect)
            + BodyError.examples.map(Self.body) + FileError.examples.map(Self.file)
            + LimitError.examples.map(Self.limit) + Cancellation.examples.map(Self.cancelled)
    }
}

/// An error whose values may hold what must not be logged, such as a response or a chain: a dump shows its description alone.
private protocol UndumpedError: ExplainedError, CustomReflectable {}

extension UndumpedError {
    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}

extension SessionError: UndumpedError {}
extension RequestError: UndumpedError {}
extension ConnectionError: UndumpedError {}
extension ProxyError: UndumpedError {}
extension TLSError: UndumpedError {}
extension TrustError: UndumpedError {}
extension AuthenticationError: UndumpedError {}
extension ResponseError: UndumpedError {}
extension RedirectError: UndumpedError {}
extension BodyError: UndumpedError {}
extension FileError: UndumpedError {}
extension LimitError: UndumpedError {}
extension Cancellation: UndumpedError {}

extension ErrorExplanation {
    /// The code of any error: for metrics, traces and logs.
    ///
    /// An error that is not ours is named by its type, because its text may hold what must not be logged.
    static func code(of error: any Error) -> String {
        switch error {
        case let error as any ExplainedError: error.code
        case is CancellationError: "cancellation.cancelled"
        default: "\(type(of: error))"
        }
    }

    /// An explanation whose message quotes a URL or a field; secrets in it are replaced.
    init(redacting message: String, _ code: String, reason: String, advice: String) {
        self.init(code, Redaction.text(message), reason: reason, advice: advice)
    }
}
