// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets
internal import Synchronization
internal import X509

/// A PKCS#11 token: a smart card, a USB key, a hardware security module, or a program that acts as one.
///
/// One thread at a time uses its session. Where the token has ended the session, it is opened anew once.
package final class Token: Sendable {
    private let connection: Mutex<TokenConnection>
    /// The label that the token was given when it was set up.
    package let label: String
    /// Whether ``logIn(_:)`` needs a PIN; a token with a keypad asks for it by itself.
    package let needsPIN: Bool

    /// Loads a module and finds a token.
    ///
    /// - Parameters:
    ///   - uri: Which token; the object in it does not matter.
    ///   - module: The absolute path of the library.
    ///   - access: Whether keys are to be made.
    /// - Throws: ``TokenError``.
    package init(_ uri: TokenURI, module: String, access: TokenAccess = .signing) throws(TokenError) {
        let connection = try TokenConnection(uri, module: module, access: access)
        (label, needsPIN) = (connection.label, connection.needsPIN)
        self.connection = Mutex(connection)
    }

    deinit { connection.withLock { $0.close() } }

    /// Logs in.
    ///
    /// - Parameter pin: The user's PIN; it is kept, because a session that is opened anew needs it.
    /// - Throws: ``TokenError/pinIncorrect``, after which the PIN is not tried again, and every other ``TokenError``.
    package func logIn(_ pin: Secret?) throws {
        try connection.withLock { try $0.logIn(pin) }
    }

    /// Finds a private key.
    ///
    /// - Parameter uri: Names the key by its label, its identifier, or both.
    /// - Returns: The key, which signs in the token.
    /// - Throws: ``TokenError/keyNotFound(uri:)``, ``TokenError/severalKeys(uri:)``, and every other ``TokenError``.
    package func key(_ uri: TokenURI) throws -> TokenKey {
        let publicKey = try perform { try $0.publicKey(of: uri) }
        return try TokenKey(uri, publicKey: publicKey, in: self)
    }

    /// Makes a key pair in the token, whose private key can never leave it.
    ///
    /// - Parameters:
    ///   - type: The kind of key.
    ///   - uri: The token with the new key's label and identifier, neither of which may be taken.
    /// - Returns: The key, which signs in the token.
    /// - Throws: ``TokenError/keyExists(uri:)``, and every other ``TokenError``.
    package func makeKey(_ type: TokenKeyType, _ uri: TokenURI) throws -> TokenKey {
        try perform { try $0.makeKey(type, uri) }
        return try key(uri)
    }

    /// Removes a key pair from the token.
    ///
    /// - Parameter uri: Names the key by its label and its identifier.
    /// - Throws: ``TokenError``.
    package func removeKey(_ uri: TokenURI) throws {
        try perform { try $0.removeKey(uri) }
    }

    /// Signs a digest, or a `DigestInfo` with an RSA key.
    func sign(_ data: [UInt8], with key: TokenURI, isRSA: Bool) throws -> [UInt8] {
        try perform { try $0.sign(data, isRSA: isRSA, with: key) }
    }

    /// Uses the session, and does so once more where the token has ended it.
    private func perform<Result: Sendable>(
        _ body: @Sendable (inout TokenConnection) throws -> Result
    ) throws -> Result {
        try connection.withLock { connection in
            do {
                return try body(&connection)
            } catch let error as TokenError where error.endsSession {
                try connection.reset()
                return try body(&connection)
            }
        }
    }
}
