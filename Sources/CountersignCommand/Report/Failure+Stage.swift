// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Failure {
    /// Where on its way a command failed, for programs; `docs/schemas/README.md` describes each.
    enum Stage: String, Encodable, CaseIterable, Sendable {
        case usage
        case url
        case file
        case policy
        case confirmation
        case connect
        case proxy
        case tls
        case trust
        case authentication
        case request
        case `protocol`
        case redirect
        case status
        case body
        case limits
        case interrupted
        case `internal`
    }

    /// The stage that belongs to the code.
    var stage: Stage {
        if let stage = Self.stages[code] { return stage }
        if code.hasPrefix("policy-") { return .policy }
        if code.hasPrefix("proxy-") { return .proxy }
        return switch status {
        case .usage: .usage
        case .notTrusted: .trust
        case .notAuthenticated: .authentication
        case .hungUp, .interrupted, .outputClosed, .terminated: .interrupted
        case .done, .failed: .protocol
        }
    }

    private static let stages: [String: Stage] = Dictionary(
        uniqueKeysWithValues: codes.flatMap { stage, codes in codes.map { ($0, stage) } })

    /// The codes whose stage does not follow from the exit status.
    private static let codes: [Stage: [String]] = [
        .url: ["invalid-url", "unsupported-scheme", "plain-http", "host-name"],
        .file: [
            "file", "file-failed", "external-command", "cookie-file", "netrc", "not-pem", "unrecognized",
            "no-certificate", "no-private-key",
            "key-not-certificate", "certificate-not-key", "key-does-not-match", "passphrase-needed", "wrong-passphrase",
            "unsupported", "malformed", "too-large", "pkcs12", "nonce-length", "anchor-broken", "anchor-not-found",
            "anchor-ambiguous", "known-server-broken", "known-server-not-found",
        ],
        .confirmation: ["confirmation-needed", "declined", "fingerprint-mismatch"],
        .connect: ["cannot-resolve", "cannot-connect", "cannot-connect-to-socket", "connection-lost"],
        .proxy: ["socks-refused", "malformed-socks", "invalid-proxy-variable", "invalid-proxy-exception"],
        .tls: ["tls-versions-excluded", "not-tls", "handshake-failed", "http-version-not-offered"],
        .authentication: ["malformed-challenge"],
        .request: ["body-not-repeatable", "body-used-up", "wrong-body-length", "wrong-part-length", "file-changed"],
        .redirect: ["redirect-loop", "invalid-redirect", "redirect-refused", "redirect-to-plain-http"],
        .status: ["http-status", "download-refused", "unexpected-status"],
        .body: [
            "truncated-body", "wrong-content-range", "unexpected-content-type", "undecodable-body",
            "malformed-content-coding",
            "no-text",
        ],
        .limits: [
            "timed-out", "file-timed-out", "head-too-large", "body-too-large", "expansion-limit-exceeded",
            "no-connection-free",
            "too-many-redirects",
        ],
        .internal: ["unexpected", "session-closed"],
    ]
}
