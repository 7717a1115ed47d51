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
        case other
    }

    /// Such as `WRONG_VERSION_NUMBER`.
    let name: String
    let kind: Kind

    init(_ error: any Error) {
        let text = String(describing: error)
        let marker = "OPENSSL_internal:"
        if let start = text.firstRange(of: marker)?.upperBound {
            name = String(text[start...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" })
        } else {
            name = text
        }
        kind = Self.kind(of: name)
    }

    private static func kind(of name: String) -> Kind {
        switch name {
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "INVALID_RECORD", "UNEXPECTED_RECORD":
            .notTLS
        case "NO_RENEGOTIATION", "RENEGOTIATION_MISMATCH", "RENEGOTIATION_EMR_MISMATCH":
            .renegotiation
        case "TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV1_CERTIFICATE_REQUIRED":
            .certificateRequired
        case _ where name.contains("ALERT"):
            .alert
        case _ where name.contains("zeroReturn") || name.contains("syscallError") || name.contains("EOF during"):
            .connectionLost
        default:
            .other
        }
    }
}
