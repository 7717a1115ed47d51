// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
public import ErrorExplanations
import HTTPTransport

/// The error of a failed request, by the stage at which it failed.
///
/// Each case holds a more specific error: `catch SessionError.connection(.lost(let peer, let phase))`.
@nonexhaustive
public enum SessionError: Error, Sendable {
    /// The request is invalid or forbidden. Nothing was sent.
    case request(RequestError)
    /// Name resolution or connecting failed, or the connection was lost.
    case connection(ConnectionError)
    /// A proxy failed, or the setting that names a proxy is invalid.
    case proxy(ProxyError)
    /// The TLS handshake failed, or a client certificate is missing or was refused.
    case tls(TLSError)
    /// The server's certificate chain was not accepted.
    case trust(TrustError)
    /// A challenge could not be answered, or a credential failed.
    case authentication(HTTPAuthenticationError)
    /// The response breaks the protocol, or is not what the caller expects.
    case response(ResponseError)
    /// A redirect cannot be followed.
    case redirect(RedirectError)
    /// The body of the request or of the response is malformed or incomplete, or cannot be sent again.
    case body(BodyError)
    /// Reading, sending or writing a file failed.
    case file(FileError)
    /// A limit of time, size or number was reached.
    case limit(LimitError)
    /// The session or a handler cancelled the request. A cancelled task throws `CancellationError` instead.
    case cancelled(Cancellation)
}

extension SessionError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation { stageError.explanation }

    /// The more specific error that the case holds.
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
            + TrustError.examples.map(Self.trust) + HTTPAuthenticationError.examples.map(Self.authentication)
            + ResponseError.examples.map(Self.response) + RedirectError.examples.map(Self.redirect)
            + BodyError.examples.map(Self.body) + FileError.examples.map(Self.file)
            + LimitError.examples.map(Self.limit) + Cancellation.examples.map(Self.cancelled)
    }
}

extension SessionError {
    /// The origin or the proxy at the other end of the connection that the error is about.
    ///
    /// `nil` if the error is not about a connection, or if it holds a URL instead.
    public var peer: Peer? {
        switch self {
        case .request(.plainHTTPForbidden(let peer)), .connection(.cannotResolve(let peer)),
            .connection(.cannotConnect(let peer, _)), .connection(.lost(let peer, _)),
            .connection(.goAway(let peer, _, _)),
            .connection(.httpVersionNotOffered(let peer, _)), .tls(.versionsExcluded(let peer, _)),
            .tls(.notTLS(let peer)), .tls(.handshakeFailed(let peer, _, _)), .tls(.alertReceived(let peer, _, _)),
            .tls(.identityUnusable(let peer, _, _)), .tls(.settingsUnusable(let peer, _)),
            .tls(.libraryUnavailable(let peer, _, _)),
            .tls(.clientCertificateRequired(let peer, _)), .tls(.clientCertificateRefused(let peer, _, _, _)),
            .tls(.renegotiationRequired(let peer)),
            .trust(.notTrusted(let peer, _, _)), .trust(.malformedCertificate(let peer)),
            .authentication(.malformedChallenge(let peer, _)),
            .response(.malformed(let peer, _)), .body(.wrongLength(let peer, _, _)), .body(.truncated(let peer, _, _)),
            .body(.malformedContentCoding(let peer, _)), .body(.unknownContentCoding(let peer, _)),
            .limit(.timedOut(let peer, _, _, _)), .limit(.headTooLarge(let peer, _)),
            .limit(.tooManyFields(let peer, _)),
            .limit(.expansionExceeded(let peer, _, _)),
            .limit(.noConnectionFree(let peer, _)), .limit(.noConnectionOpened(let peer, _)):
            peer
        case .tls(.postHandshakeAuthenticationRequired(let endpoint)), .response(.streamReset(let endpoint, _)):
            .origin(endpoint)
        case .proxy(.refused(let proxy, _, _, _)), .proxy(.authenticationRequired(let proxy, _)),
            .proxy(.credentialRejected(let proxy, _)),
            .proxy(.methodsNotAllowed(let proxy, _, _)), .proxy(.socksRefused(let proxy, _, _)),
            .proxy(.malformedSOCKS(let proxy, _)):
            .proxy(proxy)
        case .authentication(.unanswerableChallenge(let space, _)), .authentication(.serverNotProven(let space, _)),
            .authentication(.interrupted(let space)), .cancelled(.challenge(let space)):
            Peer(HostEndpoint(host: space.host, port: space.port), role: space.role == .proxy ? .proxy : .origin)
        default: nil
        }
    }
}

extension ConnectionPeer {
    /// The name of the peer, for the beginning of a sentence.
    var subject: String { role == .proxy ? "The proxy \(endpoint)" : endpoint.description }

    /// The holder of the policy: the host, or for a proxy its description.
    var policyHolder: String { role == .proxy ? description : host.description }

    /// Returns the text for the role of the peer.
    func text(_ text: String, forProxy proxyText: String) -> String { role == .proxy ? proxyText : text }
}

extension ProtectionSpace {
    /// The name of the challenger, for the beginning of a sentence.
    package var subject: String { (role == .proxy ? "The proxy " : "") + "\(host):\(port)" }
}

extension ConnectionPeer {
    /// An example for the error catalogue.
    static let example = ConnectionPeer.origin(.example)
    static let exampleProxy = ConnectionPeer.proxy(.exampleProxy)
}

extension HostEndpoint {
    /// An example for the error catalogue.
    static let example = HostEndpoint(host: .localhost, port: 8443)
    static let exampleProxy = HostEndpoint(host: .localhost, port: 3128)
}

/// An error that may hold values that must not be logged, such as a response or a chain.
///
/// Its dump contains only the description.
private protocol RedactedMirrorError: ExplainedError, CustomReflectable {}

extension RedactedMirrorError {
    /// A mirror that shows only the description.
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}

extension SessionError: RedactedMirrorError {}
extension RequestError: RedactedMirrorError {}
extension ConnectionError: RedactedMirrorError {}
extension ProxyError: RedactedMirrorError {}
extension TLSError: RedactedMirrorError {}
extension TrustError: RedactedMirrorError {}
extension HTTPAuthenticationError: RedactedMirrorError {}
extension ResponseError: RedactedMirrorError {}
extension RedirectError: RedactedMirrorError {}
extension BodyError: RedactedMirrorError {}
extension FileError: RedactedMirrorError {}
extension LimitError: RedactedMirrorError {}
extension Cancellation: RedactedMirrorError {}

extension ErrorExplanation {
    /// Returns the code of an error, for metrics, traces and logs.
    ///
    /// A foreign error is represented by its type, because its text may contain something that must not be logged.
    static func code(of error: any Error) -> String {
        switch error {
        case let error as any ExplainedError: error.code
        case is CancellationError: "cancellation.cancelled"
        default: "\(type(of: error))"
        }
    }

    /// Creates an explanation whose message quotes a URL or a field, and redacts the secrets in it.
    init(redacting message: String, _ code: String, reason: String, advice: String) {
        self.init(redacting: message, .failed, code, reason: reason, advice: advice)
    }

    /// Creates an explanation of one kind whose message quotes a URL or a field, and redacts the secrets in it.
    init(redacting message: String, _ kind: Kind, _ code: String, reason: String, advice: String) {
        self.init(kind, code, Redaction.text(message), reason: reason, advice: advice)
    }
}
