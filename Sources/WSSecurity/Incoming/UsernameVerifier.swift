// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
internal import XMLDocuments
internal import XMLSignature

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Verifies the user's name and password of a message (Username Token Profile 1.1).
///
/// It says who sent the message, and nothing of what the message says: that takes a signature, or TLS.
public struct UsernameVerifier: Sendable {
    /// The users' passwords.
    public var passwords: [String: Secret]
    /// The forms of passwords that count; only the digest by default.
    public var forms: Set<UsernameToken.Form> = [.digest]
    /// How long ago a digest may have been made, in seconds; 300 by default.
    public var mostAge: TimeInterval = 300
    /// How far clocks may differ, in seconds; 60 by default.
    public var clockSkew: TimeInterval = 60
    /// The role that the security header addresses; `nil` for the last receiver.
    public var actor: String?
    /// The limits of documents.
    public var limits = XMLLimits()

    /// A verifier by the users' passwords.
    public init(passwords: [String: Secret]) { self.passwords = passwords }

    /// Verifies the user of a message.
    ///
    /// - Parameters:
    ///   - envelope: The message that was received, SOAP 1.1 or 1.2.
    ///   - time: When the digest must count.
    ///   - replays: Remembers the nonce of a digest until it expires.
    /// - Returns: The user.
    /// - Throws: ``WSSecurityError``.
    public func verify(
        _ envelope: [UInt8], at time: Date = Date(), replays: inout ReplayCache
    ) throws(WSSecurityError) -> String {
        let envelope = try Envelope(envelope, limits: limits)
        guard let security = try envelope.security(for: actor) else { throw .noSecurityHeader }
        defer { withExtendedLifetime(envelope.tree) {} }
        let tokens = security.children.filter { $0.name == .wsse("UsernameToken") }
        guard let token = tokens.first else { throw .missingPart(.usernameToken) }
        let malformed = WSSecurityError.malformedHeader(element: "UsernameToken", line: token.line)
        guard tokens.count == 1, let user = token.child(.wsse("Username"))?.text,
            let password = token.child(.wsse("Password")), let sent = password.text
        else { throw malformed }
        // The time that an unknown user takes is that of a known one.
        let known = passwords[user] ?? Secret("")
        let isRight: Bool
        switch password[XMLName("Type")] ?? SecurityURI.passwordText {
        case SecurityURI.passwordText where forms.contains(.text):
            isRight = Secret(sent) == known
        case SecurityURI.passwordDigest where forms.contains(.digest):
            guard let nonce = token.child(.wsse("Nonce"))?.text.flatMap({ [UInt8](xmlBase64: $0) }), nonce.count >= 8,
                let text = token.child(.wsu("Created"))?.text, let created = SecurityTime.date(text)
            else { throw malformed }
            let digest = UsernameToken.digest(nonce: nonce, created: text, password: known)
            isRight = Secret(utf8: [UInt8](xmlBase64: sent) ?? []) == Secret(utf8: digest)
            guard isRight, passwords[user] != nil else { throw .wrongPassword }
            guard created <= time + clockSkew else { throw .fromTheFuture(created: created) }
            guard created + mostAge + clockSkew >= time else { throw .stale(created: created) }
            // The same digest comes from other nonces too, where an end of one is the beginning of the time.
            try replays.insert([(digest, created + mostAge + clockSkew)], at: time)
        default: throw .wrongPassword
        }
        guard isRight, passwords[user] != nil else { throw .wrongPassword }
        return user
    }
}
