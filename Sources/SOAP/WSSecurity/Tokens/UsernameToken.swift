// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import Secrets

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A user's name and password (Username Token Profile 1.1).
public struct UsernameToken: Sendable, Hashable {
    /// The form in which the password is sent.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// The password itself, which must be sent only over TLS or encrypted.
        case text
        /// SHA-1 of a nonce, the time and the password, so that a reader of the message does not learn the password.
        case digest
    }

    /// The user's name.
    public var user: String
    /// The password.
    public var password: Secret
    /// The form in which the password is sent; a digest unless another one is given.
    public var form: Form
    /// Whether a nonce and the time are sent with a password as text; `false` by default, since some services refuse them.
    public var datesText = false

    /// Creates a token from its parts; the password is sent as a digest by default.
    public init(user: String, password: Secret, form: Form = .digest) {
        (self.user, self.password, self.form) = (user, password, form)
    }

    /// SHA-1 of a nonce, a time as it is written, and the password (section 3.1).
    static func digest(nonce: [UInt8], created: String, password: Secret) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: nonce)
        hash.update(data: Array(created.utf8))
        password.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Array(hash.finalize())
    }

    /// The element.
    func element(identifier: String, at time: Date, nonce: [UInt8]) -> String {
        let created = SecurityTime.text(time)
        var password: String
        switch form {
        case .text:
            let text = self.password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            password = "<wsse:Password Type=\"\(SecurityURI.passwordText)\">\(text.xmlEscaped)</wsse:Password>"
        case .digest:
            let digest = Self.digest(nonce: nonce, created: created, password: self.password)
            password = "<wsse:Password Type=\"\(SecurityURI.passwordDigest)\">\(digest.base64)</wsse:Password>"
        }
        if form == .digest || datesText {
            password += """
                <wsse:Nonce EncodingType="\(CertificateTokenURI.base64)">\(nonce.base64)</wsse:Nonce>\
                <wsu:Created>\(created)</wsu:Created>
                """
        }
        return """
            <wsse:UsernameToken wsu:Id="\(identifier)"><wsse:Username>\(user.xmlEscaped)</wsse:Username>\
            \(password)</wsse:UsernameToken>
            """
    }
}
