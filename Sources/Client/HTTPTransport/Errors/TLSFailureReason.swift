// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The reason that BoringSSL gave, found by its name in the error's text: NIOSSL publishes no code (2.37).
struct TLSFailureReason {
    enum Kind {
        case notTLS
        case renegotiation
        case certificateRequired
        /// The peer ended the handshake with an alert that can concern our certificate.
        case alert
        case connectionLost
        /// Peer and session have no version of HTTP in common (RFC 7301 section 3.2).
        case noApplicationProtocol
        case other
    }

    /// Such as `WRONG_VERSION_NUMBER`, or `ALERT_123` for an alert that BoringSSL has no name for; never empty.
    let name: String
    let kind: Kind

    init(_ error: any Error) {
        let text = String(describing: error)
        let marker = "OPENSSL_internal:"
        if let start = text.firstRange(of: marker)?.upperBound {
            let known = text[start...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
            name = known.isEmpty ? Self.unnamed(text[start...]) : String(known)
        } else {
            // NIOSSL throws an empty stack of errors where BoringSSL gave no reason.
            name = text.isEmpty || text.contains("sslError([])") ? "UNKNOWN" : text
        }
        kind = Self.kind(of: name)
    }

    /// BoringSSL writes `reason(N)` for a reason without a name; alerts are those from 1000 on (`SSL_AD_REASON_OFFSET`).
    private static func unnamed(_ text: Substring) -> String {
        let digits = text.drop { $0 != "(" }.dropFirst().prefix(while: \.isNumber)
        guard let number = Int(digits) else { return "UNKNOWN" }
        return number >= 1_000 ? "ALERT_\(number - 1_000)" : "REASON_\(number)"
    }

    private static func kind(of name: String) -> Kind {
        switch name {
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "INVALID_RECORD", "UNEXPECTED_RECORD":
            .notTLS
        case "NO_RENEGOTIATION", "RENEGOTIATION_MISMATCH", "RENEGOTIATION_EMR_MISMATCH":
            .renegotiation
        case "TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV1_CERTIFICATE_REQUIRED":
            .certificateRequired
        case "TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "INVALID_ALPN_PROTOCOL":
            .noApplicationProtocol
        case _ where name.contains("ALERT"):
            .alert
        case _ where name.contains("zeroReturn") || name.contains("syscallError") || name.contains("EOF during"):
            .connectionLost
        default:
            .other
        }
    }
}
