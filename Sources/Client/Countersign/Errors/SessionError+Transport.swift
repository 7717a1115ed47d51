// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import ErrorExplanations
public import HTTPTransport
public import TLSTransport

extension SessionError {
    /// The origin or the proxy at the other end of the failed connection.
    public typealias Peer = ConnectionPeer
    /// The phase in which a connection failed.
    public typealias Phase = ConnectionPhase
    /// The setting of a time limit.
    public typealias TimeoutSetting = HTTPTransport.TimeoutSetting
    /// The reason for which no connection was opened.
    public typealias ConnectFailure = ConnectFailureReason
    /// The reason for which no connection to a Unix domain socket was opened.
    public typealias SocketFailure = HTTPTransport.SocketFailure
    /// An alert of TLS, by which a server states why it ended a connection.
    public typealias TLSAlert = TLSTransport.TLSAlert
    /// A setting with which a failed TLS handshake may succeed.
    public typealias TLSAlternative = HTTPTransport.TLSAlternative
    /// The reason for which a server reset an HTTP/2 stream.
    public typealias StreamReset = HTTPTransport.StreamReset
    /// The reason for which a server ended an HTTP/2 connection.
    public typealias GoAway = HTTPTransport.GoAway
    /// The defect of a response.
    public typealias MalformedResponse = HTTPTransport.MalformedResponse
    /// The reason for which a SOCKS proxy did not connect to a destination.
    public typealias SOCKSRefusal = HTTPTransport.SOCKSRefusal
    /// The defect of a SOCKS proxy's message.
    public typealias MalformedSOCKS = HTTPTransport.MalformedSOCKS
}

extension SessionError {
    /// Converts a transport error.
    init(_ error: TransportError) {
        self =
            switch error {
            case .cannotResolve(let peer):
                // The system resolver also reports an unknown host if it cannot open its files or sockets.
                .connection(
                    FileDescriptors.shortage(of: 6).map { .cannotConnect(peer, .system($0.systemCode)) }
                        ?? .cannotResolve(peer))
            case .cannotConnect(let peer, let reason): .connection(.cannotConnect(peer, reason))
            case .cannotConnectToSocket(let path, let reason): .connection(.cannotConnectToSocket(path, reason))
            case .invalidPort(let endpoint): .request(.invalidURL("\(endpoint)", .port))
            case .connectionLost(let peer, let phase): .connection(.lost(peer, phase))
            case .goAway(let peer, let phase, let reason): .connection(.goAway(peer, phase, reason))
            case .timedOut(let peer, let phase, let timeout):
                .limit(.timedOut(peer, phase, after: timeout.duration, setting: timeout.setting))
            case .notTLS(let peer): .tls(.notTLS(peer))
            case .startTLSFailed(let peer, let kind, let problem): .tls(.startTLSFailed(peer, kind, problem))
            case .handshakeFailed(let peer, let reason, let alternative):
                .tls(.handshakeFailed(peer, reason, alternative: alternative))
            case .identityUnusable(let peer, let reason, let alternative):
                .tls(.identityUnusable(peer, reason, alternative: alternative))
            case .settingsUnusable(let peer, let reason): .tls(.settingsUnusable(peer, reason))
            case .alertReceived(let peer, let alert, let alternative):
                .tls(.alertReceived(peer, alert, alternative: alternative))
            case .libraryUnavailable(let peer, let library, let version):
                .tls(.libraryUnavailable(peer, library, version: version))
            case .clientCertificateRequired(let peer, let request):
                .tls(.clientCertificateRequired(peer, ClientCertificateRequest(request)))
            case .clientCertificateRefused(let peer, let request, let alert):
                .tls(.clientCertificateRefused(peer, ClientCertificateRequest(request), presented: nil, alert: alert))
            case .renegotiationRequired(let peer): .tls(.renegotiationRequired(peer))
            case .httpVersionNotOffered(let peer, let versions): .connection(.httpVersionNotOffered(peer, versions))
            case .socksRefused(let proxy, let destination, let reason):
                .proxy(.socksRefused(proxy, destination: destination, reason))
            case .malformedSOCKS(let proxy, let reason): .proxy(.malformedSOCKS(proxy, reason))
            case .unsuitableSOCKSLogin(let proxy, let problem):
                .authentication(.unanswerableChallenge(.socksPassword(at: proxy), HTTPAuthenticatorError(problem)))
            case .malformedResponse(let peer, let reason): .response(.malformed(peer, reason))
            case .headTooLarge(let peer, let limit): .limit(.headTooLarge(peer, limit: limit))
            case .tooManyFields(let peer, let limit): .limit(.tooManyFields(peer, limit: limit))
            case .truncatedBody(let peer, let received, let expected):
                .body(.truncated(peer, received: received, expected: expected))
            case .wrongBodyLength(let peer, let announced, let produced):
                .body(.wrongLength(peer, announced: announced, produced: produced))
            case .streamReset(let endpoint, let reason): .response(.streamReset(endpoint, reason))
            case .malformedTarget(let path): .request(.invalidURL(Redaction.url(path), .malformed))
            case .noConnectionFree(let peer, let waited): .limit(.noConnectionFree(peer, waited: waited))
            case .noConnectionOpened(let peer, let waited): .limit(.noConnectionOpened(peer, waited: waited))
            case .poolClosed: .cancelled(.sessionClosed)
            }
    }

    /// Performs an operation of the transport, and converts the errors that it throws.
    static func translating<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch {
            throw translated(error)
        }
    }

    /// Returns the session error for a transport error, and every other error unchanged.
    static func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as TransportError: SessionError(error)
        case let error as RequestNotProcessed:
            (error.reason as? TransportError).map { RequestNotProcessed(reason: SessionError($0)) } ?? error
        default: error
        }
    }
}

extension HTTPAuthenticatorError {
    fileprivate init(_ problem: SOCKSLoginProblem) {
        self =
            switch problem {
            case .userLength(let limit): .wrongLength(.user, limit: limit)
            case .passwordLength(let limit): .wrongLength(.password, limit: limit)
            }
    }
}

extension ProtectionSpace {
    /// Returns the protection space of the login to a SOCKS proxy.
    static func socksPassword(at proxy: HostEndpoint) -> Self {
        Self(
            host: proxy.host, port: proxy.port, scheme: ProxyKind.socks5.rawValue, realm: nil, method: .socksPassword,
            role: .proxy)
    }
}

extension ProtectionSpace.Role {
    init(_ role: ConnectionPeer.Role) {
        self =
            switch role {
            case .origin: .origin
            case .proxy: .proxy
            }
    }
}
