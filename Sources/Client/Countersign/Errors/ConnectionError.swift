// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import HTTPTransport

/// An error in opening a connection, or the loss of a connection.
@nonexhaustive
public enum ConnectionError: Error, Sendable {
    /// Name resolution found no address for the peer's host.
    case cannotResolve(SessionError.Peer)
    /// No address of the peer accepted a connection.
    case cannotConnect(SessionError.Peer, SessionError.ConnectFailure)
    /// No connection to a Unix domain socket could be opened. Holds the socket's path.
    case cannotConnectToSocket(String, SessionError.SocketFailure)
    /// The peer closed or reset the connection before the request was complete. Holds the phase of the connection.
    case lost(SessionError.Peer, SessionError.Phase)
    /// The server ended the HTTP/2 connection by GOAWAY (RFC 9113 section 6.8) before the request was complete. Holds
    /// the phase of the connection, and the server's reason.
    case goAway(SessionError.Peer, SessionError.Phase, SessionError.GoAway)
    /// The peer supports none of the HTTP versions that the session allows. Holds those versions.
    ///
    /// Over TLS the peer states this by ALPN (RFC 7301); over plain TCP it responds to the HTTP/2 preface with
    /// something else (RFC 9113 section 3.4).
    case httpVersionNotOffered(SessionError.Peer, HTTPSession.HTTPVersions)
}

extension ConnectionError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .cannotResolve(let peer):
            ErrorExplanation(
                "connection.host-not-found",
                peer.text("The host \(peer.host) was not found.", forProxy: "The host of \(peer) was not found."),
                reason: "Name resolution returned no address for it.",
                advice: "Check the spelling and the network connection.")
        case .cannotConnect(let peer, let failure): failure.explanation(of: peer)
        case .cannotConnectToSocket(let path, let failure):
            ErrorExplanation(
                "connection.socket", "The socket \(path) \(failure.clause).", systemCode: failure.systemCode,
                reason: failure.reason, advice: failure.advice)
        case .lost(let peer, let phase):
            ErrorExplanation(
                "connection.lost", "\(peer.subject) closed the connection \(phase.clause).",
                reason: "The server, or a device in between, ended the connection early.",
                advice: "Try again. If it happens again, \(phase.probableCause).")
        case .goAway(let peer, let phase, let reason):
            ErrorExplanation(
                "connection.go-away",
                "\(peer.subject) ended the connection \(phase.clause) with the HTTP/2 error \(reason.clause).",
                reason: reason.requiresHTTP1
                    ? .http1Required : "The server sent GOAWAY, which names the reason (RFC 9113 section 6.8).",
                advice: reason.advice)
        case .httpVersionNotOffered(let peer, let versions):
            ErrorExplanation(
                "connection.http-version-not-offered", "\(peer.subject) \(versions.missingVersions).",
                reason: "The settings allow only HTTP versions that the server does not support.",
                advice: peer.text(
                    versions.advice, forProxy: "Use another proxy; only HTTP/1.1 is used with proxies."))
        }
    }

    package static var examples: [ConnectionError] {
        [
            .cannotResolve(.example), .cannotConnect(.example, .refused), .cannotConnect(.example, .unreachable),
            .cannotConnect(.example, .noAddress(.ipv6)), .cannotConnect(.example, .timedOut(after: .seconds(30))),
            .cannotConnect(.example, .system(13)),
            .cannotConnectToSocket("/run/docker.sock", .notFound), .lost(.example, .response),
            .goAway(.example, .response, SessionError.GoAway(code: 11, debugData: "too many requests")),
            .httpVersionNotOffered(.example, .onlyHTTP2),
        ]
    }
}

extension ConnectFailureReason {
    fileprivate func explanation(of peer: ConnectionPeer) -> ErrorExplanation {
        let advice = peer.text(
            "Check the network, and whether a proxy is needed to reach the host.",
            forProxy: "Check the network and the proxy's address.")
        return switch self {
        case .refused:
            ErrorExplanation(
                "connection.refused", "\(peer.subject) refused the connection.",
                reason: "No program listens on that port, or a firewall rejects the connection.",
                advice: peer.text(
                    "Check the port and that the server is running.",
                    forProxy: "Check the proxy's port and that the proxy is running."))
        case .refusedOver(let family):
            ErrorExplanation(
                "connection.refused", "\(peer.subject) refused the connection over \(family.name).",
                reason: "The settings allow \(family.name) only, and the host has other addresses too.",
                advice: peer.text(
                    "Allow the other version of IP too, or check that the server listens on \(family.name).",
                    forProxy: "Allow the other version of IP too, or check that the proxy listens on \(family.name)."))
        case .unreachable:
            ErrorExplanation(
                "connection.unreachable", "\(peer.subject) cannot be reached.",
                reason: "The network has no route to the address.", advice: advice)
        case .noAddress(let family):
            ErrorExplanation(
                "connection.address-family", "\(peer.subject) has no \(family.name) address.",
                reason: "The settings allow \(family.name) only.",
                advice: "Allow the other version of IP too, or correct the addresses of the host.")
        case .timedOut(let timeout):
            ErrorExplanation(
                "connection.timed-out", "\(peer.subject) \(timeout.connectClause).",
                reason: "The host is down, or a firewall drops the packets.", advice: advice)
        case .system(let code):
            ErrorExplanation(
                "connection.failed", "Connecting to \(peer) failed: \(systemErrorText(code)).", systemCode: code,
                reason: "The operating system refused the connection.", advice: advice)
        }
    }
}

extension AddressFamily {
    fileprivate var name: String {
        switch self {
        case .any: "IP"
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }
}

extension SocketFailure {
    /// The `errno`; 0 if the failure is not a system error.
    fileprivate var systemCode: Int32 { if case .system(let code) = self { code } else { 0 } }

    fileprivate var clause: String {
        switch self {
        case .notFound: "does not exist"
        case .pathTooLong: "has a path that is too long"
        case .refused: "refused the connection"
        case .timedOut(let timeout): timeout.connectClause
        case .system(let code): "cannot be connected to: \(systemErrorText(code))"
        }
    }

    fileprivate var reason: String {
        switch self {
        case .notFound: "The server that creates the socket is not running, or uses another path."
        case .pathTooLong: "Systems allow about 100 bytes for the path of a socket."
        case .refused: "No program listens on the socket."
        case .timedOut: "The server is too busy to accept the connection."
        case .system: "The operating system refused the connection."
        }
    }

    fileprivate var advice: String {
        switch self {
        case .notFound: "Check the path."
        case .pathTooLong: "Use a shorter path, such as that of a symbolic link."
        case .refused, .timedOut: "Check that the server is running."
        case .system: "Check the path and its permissions."
        }
    }
}

extension Duration? {
    /// The end of a sentence about a peer that accepted no connection in this time; `nil` if the system gave up.
    fileprivate var connectClause: String {
        map { "did not answer within the connect timeout of \($0.text)" }
            ?? "did not answer before the operating system gave up"
    }
}

extension ConnectionPhase {
    /// The probable cause if the failure repeats, as the end of a sentence.
    fileprivate var probableCause: String {
        switch self {
        case .handshake: "the port may not speak TLS: use http: instead of https:"
        case .response: "look in the server's log; if the URL begins with http:, the port may expect https:"
        case .proxyTunnel, .request, .body, .attempt, .total: "look in the server's log"
        }
    }

    /// The phase of the failure, as the end of a sentence.
    var clause: String {
        switch self {
        case .handshake: "during the TLS handshake"
        case .proxyTunnel: "while the tunnel was opened"
        case .request: "before the request was sent"
        case .response: "before its response"
        case .body: "within the body"
        case .attempt, .total: "before the request was complete"
        }
    }
}

extension GoAway {
    /// The name of the error code and the server's debug data, as the end of a sentence.
    fileprivate var clause: String {
        debugData.isEmpty ? name : "\(name) (\"\(debugData.printable)\")"
    }

    fileprivate var advice: String {
        switch code {
        // ENHANCE_YOUR_CALM
        case 11: "Send fewer requests at once, or wait before the next one."
        // INADEQUATE_SECURITY
        case 12: "The server refuses the TLS of this connection for HTTP/2. Ask its operator, or try HTTP/1.1."
        case _ where requiresHTTP1: .allowHTTP1
        default: "Try again. If it happens again, try HTTP/1.1."
        }
    }
}

extension String {
    /// The reason of an HTTP/2 error that requires HTTP/1.1, if the request could not be sent again.
    static let http1Required =
        "The server requires HTTP/1.1 for the request (RFC 9113 section 7), which could not be sent again over it."
    /// The advice for an HTTP/2 error that requires HTTP/1.1.
    static let allowHTTP1 = "Allow HTTP/1.1, and send the request again."
}

extension HTTPVersions {
    fileprivate var missingVersions: String {
        switch self {
        case .all: "offers neither HTTP/2 nor HTTP/1.1"
        case .onlyHTTP1: "does not offer HTTP/1.1"
        case .onlyHTTP2: "does not offer HTTP/2"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .all: "Check that the port is that of a web server."
        case .onlyHTTP1: "Allow HTTP/2 too."
        case .onlyHTTP2: "Allow HTTP/1.1 too."
        }
    }
}
