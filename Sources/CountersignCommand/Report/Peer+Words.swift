// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign

extension SessionError.Peer {
    /// The peer at the beginning of a sentence.
    var subject: String { role == .proxy ? "The proxy \(endpoint)" : endpoint.description }

    /// A policy belongs to a host; a proxy is named as one.
    var policyHolder: String { role == .proxy ? description : host.description }

    /// What to try, which is something else where a proxy failed.
    func advice(_ advice: String, forProxy proxyAdvice: String) -> String { role == .proxy ? proxyAdvice : advice }
}

extension ProtectionSpace {
    /// Who asks, at the beginning of a sentence.
    var subject: String { (role == .proxy ? "The proxy " : "") + "\(host):\(port)" }
}

extension Session.HTTPVersions {
    /// What a peer does not do that speaks none of these versions.
    var lack: String {
        switch self {
        case .all: "offers neither HTTP/2 nor HTTP/1.1"
        case .onlyHTTP1: "does not offer HTTP/1.1"
        case .onlyHTTP2: "does not offer HTTP/2"
        }
    }

    /// What to try where a peer speaks none of these versions.
    var advice: String {
        switch self {
        case .all: "Check that the port is that of a web server."
        case .onlyHTTP1: "Leave out --http1.1, so that HTTP/2 is allowed too."
        case .onlyHTTP2: "Leave out --http2, so that HTTP/1.1 is allowed too."
        }
    }
}

extension Failure {
    /// A handshake that failed for a reason that BoringSSL names, or has no name for.
    init(handshakeWith peer: SessionError.Peer, _ reason: String) {
        let alert = reason.hasPrefix("ALERT_") ? Int(reason.dropFirst("ALERT_".count)) : nil
        let message =
            if let alert {
                "\(peer.subject) ended the TLS handshake with alert \(alert), which has no name."
            } else if reason.isEmpty || reason == "UNKNOWN" {
                "The TLS handshake with \(peer) failed, and neither side gave a reason."
            } else {
                "The TLS handshake with \(peer) failed: \(reason)."
            }
        let advice =
            alert == nil && !reason.isEmpty && reason != "UNKNOWN"
            ? "The server may have no version of TLS or no cipher in common with this client, which offers TLS 1.2 and 1.3 by default."
            : "Try --tls-max 1.2, or ask the server's owner what its log says of this connection."
        self.init(.failed, "handshake-failed", message, advice)
    }
}
