// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
public import EssentialFoundation
public import Secrets
internal import XMLDocuments
internal import XMLSignature

/// A user's name and password (Username Token Profile 1.1).
public struct UsernameToken: Sendable, Hashable {
    /// The form of the password in the message.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// The password in clear text, which must be sent only over TLS or encrypted.
        case text
        /// The SHA-1 hash of a nonce, the time and the password, so that an eavesdropper does not learn the password.
        case digest
    }

    /// The user's name.
    public var user: String
    /// The password.
    public var password: Secret
    /// The form of the password in the message; a digest by default.
    public var form: Form
    /// Whether a nonce and the time are sent with a clear-text password; `false` by default, because some services
    /// refuse them.
    public var includesNonceAndTime = false

    /// Creates a token with a user's name and password; the password is sent as a digest by default.
    public init(user: String, password: Secret, form: Form = .digest) {
        (self.user, self.password, self.form) = (user, password, form)
    }

    /// Returns the SHA-1 hash of a nonce, the text of a time, and the password (section 3.1).
    static func digest(nonce: [UInt8], created: String, password: Secret) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: nonce)
        hash.update(data: Array(created.utf8))
        password.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Array(hash.finalize())
    }

    /// Returns the `UsernameToken` element.
    func element(identifier: String, at time: Date, nonce: [UInt8]) -> String {
        let created = SecurityTime.text(time)
        var password: String
        switch form {
        case .text:
            let text = self.password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            password = "<wsse:Password Type=\"\(SecurityURI.passwordText)\">\(text.xmlEscaped)</wsse:Password>"
        case .digest:
            let digest = Self.digest(nonce: nonce, created: created, password: self.password)
            password = "<wsse:Password Type=\"\(SecurityURI.passwordDigest)\">\(Base64.encode(digest))</wsse:Password>"
        }
        if form == .digest || includesNonceAndTime {
            password += """
                <wsse:Nonce EncodingType="\(CertificateTokenURI.base64)">\(Base64.encode(nonce))</wsse:Nonce>\
                <wsu:Created>\(created)</wsu:Created>
                """
        }
        return """
            <wsse:UsernameToken wsu:Id="\(identifier)"><wsse:Username>\(user.xmlEscaped)</wsse:Username>\
            \(password)</wsse:UsernameToken>
            """
    }
}

/// Verifies the user's name and password in a message (Username Token Profile 1.1).
///
/// The token authenticates the sender of the message, but does not protect its content: a signature or TLS does.
public struct UsernameVerifier: Sendable {
    /// The users' passwords, by username.
    public var passwords: [String: Secret]
    /// The accepted forms of passwords; only the digest by default.
    public var forms: Set<UsernameToken.Form> = [.digest]
    /// The maximum age of a digest since its creation, in seconds; 300 by default.
    public var maximumAge: TimeInterval = 300
    /// The tolerated difference between the sender's clock and this one, in seconds; 60 by default.
    public var clockSkew: TimeInterval = 60
    /// The URI in the attribute `actor` or `role` of the security header; `nil`, the default, for the
    /// ultimate receiver.
    public var actor: String?
    /// The limits of a message's size, depth and features.
    public var limits = XMLLimits()

    /// Creates a verifier with the users' passwords, by username.
    public init(passwords: [String: Secret]) { self.passwords = passwords }

    /// Verifies the user of a message.
    ///
    /// - Parameters:
    ///   - envelope: The received message, SOAP 1.1 or 1.2.
    ///   - time: The time at which a digest must be valid; the current time by default.
    ///   - replays: The replay cache, which refuses a digest that is received again before it expires. Clear-text
    ///     passwords are not cached.
    /// - Returns: The user's name.
    /// - Throws: ``WSSecurityError/wrongPassword``, and any other ``WSSecurityError`` if the message is refused.
    public func verify(
        _ envelope: [UInt8], at time: Date = Date(), replays: inout ReplayCache
    ) throws(WSSecurityError) -> String {
        let envelope = try Envelope(envelope, limits: limits)
        guard let security = try envelope.security(for: actor) else { throw .noSecurityHeader }
        defer { withExtendedLifetime(envelope.tree) {} }
        let tokens = envelope.elements(of: .usernameToken, security)
        guard let token = tokens.first else { throw .missingPart(.usernameToken) }
        let malformed = WSSecurityError.malformedHeader(element: "UsernameToken", line: token.line)
        guard tokens.count == 1, let user = token.child(.wsse("Username"))?.text,
            let password = token.child(.wsse("Password")), let sent = password.text
        else { throw malformed }
        // The verification of an unknown user takes as long as that of a known one.
        let known = passwords[user] ?? Secret("")
        let isRight: Bool
        switch password[XMLName("Type")] ?? SecurityURI.passwordText {
        case SecurityURI.passwordText where forms.contains(.text):
            isRight = Secret(sent) == known
        case SecurityURI.passwordDigest where forms.contains(.digest):
            guard let nonce = token.child(.wsse("Nonce"))?.text.flatMap({ Base64.decode($0, as: .mime) }),
                nonce.count >= 8,
                let text = token.child(.wsu("Created"))?.text, let created = SecurityTime.date(text)
            else { throw malformed }
            let digest = UsernameToken.digest(nonce: nonce, created: text, password: known)
            isRight = Secret(utf8: Base64.decode(sent, as: .mime) ?? []) == Secret(utf8: digest)
            guard isRight, passwords[user] != nil else { throw .wrongPassword }
            guard created <= time + clockSkew else { throw .fromTheFuture(created: created) }
            guard created + maximumAge + clockSkew >= time else { throw .stale(created: created) }
            // The cache stores digests, not nonces: moving bytes between the end of the nonce and the start of the time
            // gives the same digest.
            try replays.insert([(digest, created + maximumAge + clockSkew)], at: time)
        default: throw .wrongPassword
        }
        guard isRight, passwords[user] != nil else { throw .wrongPassword }
        return user
    }
}

/// The URIs of password types (Username Token Profile 1.1 section 3.1) and of tokens (SOAP Message Security 1.1).
enum SecurityURI {
    private static let usernameProfile =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0"

    static let passwordText = usernameProfile + "#PasswordText"
    static let passwordDigest = usernameProfile + "#PasswordDigest"
    static let encryptedKey = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKey"
}
