// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets
internal import Synchronization
internal import X509

/// A PKCS#11 token: a smart card, a USB key, a hardware security module, or a program that emulates one.
///
/// Only one thread at a time uses its session. A session that the token has ended is reopened once.
package final class Token: Sendable {
    private let connection: Mutex<TokenConnection>
    /// The label that the token was initialized with.
    package let label: String
    /// Whether ``logIn(_:)`` needs a PIN; a token with a keypad prompts for it itself.
    package let needsPIN: Bool

    /// Loads a module and finds a token.
    ///
    /// - Parameters:
    ///   - uri: The URI of the token; its object attributes are ignored.
    ///   - module: The absolute path of the module.
    ///   - access: The access to the token: for signing only, or for making keys too.
    /// - Throws: ``TokenError``.
    package init(_ uri: TokenURI, module: String, access: TokenAccess = .signing) throws(TokenError) {
        let connection = try TokenConnection(uri, module: module, access: access)
        (label, needsPIN) = (connection.label, connection.needsPIN)
        self.connection = Mutex(connection)
    }

    deinit { connection.withLock { $0.close() } }

    /// Logs in.
    ///
    /// - Parameter pin: The user's PIN. It is kept, because reopening the session requires it.
    /// - Throws: ``TokenError/pinIncorrect``, after which the PIN is discarded, and any other ``TokenError``.
    package func logIn(_ pin: Secret?) throws {
        try connection.withLock { try $0.logIn(pin) }
    }

    /// Finds a private key.
    ///
    /// - Parameter uri: A URI with the key's label, its identifier, or both.
    /// - Returns: The key, which signs in the token.
    /// - Throws: ``TokenError/keyNotFound(uri:)``, ``TokenError/severalKeys(uri:)``, and any other ``TokenError``.
    package func key(_ uri: TokenURI) throws -> TokenKey {
        let publicKey = try perform { try $0.publicKey(of: uri) }
        return try TokenKey(uri, publicKey: publicKey, in: self)
    }

    /// Finds the certificate of a private key.
    ///
    /// - Parameter uri: A URI with the key's label, its identifier, or both.
    /// - Returns: The certificate in DER, which was not checked; `nil` if the token has none.
    /// - Throws: ``TokenError``.
    package func certificate(_ uri: TokenURI) throws -> [UInt8]? {
        try perform { try $0.certificate(of: uri) }
    }

    /// Generates a key pair in the token, whose private key can never leave it.
    ///
    /// - Parameters:
    ///   - type: The type of the key.
    ///   - uri: The URI of the token with the new key's label and identifier, both of which must be unused.
    /// - Returns: The key, which signs in the token.
    /// - Throws: ``TokenError/keyExists(uri:)``, and any other ``TokenError``.
    package func makeKey(_ type: TokenKeyType, _ uri: TokenURI) throws -> TokenKey {
        try perform { try $0.makeKey(type, uri) }
        return try key(uri)
    }

    /// Removes a key pair from the token.
    ///
    /// - Parameter uri: A URI with the key's label and identifier.
    /// - Throws: ``TokenError``.
    package func removeKey(_ uri: TokenURI) throws {
        try perform { try $0.removeKey(uri) }
    }

    /// Signs a digest, or a `DigestInfo` if the key is an RSA key.
    func sign(_ data: [UInt8], with key: TokenURI, isRSA: Bool) throws -> [UInt8] {
        try perform { try $0.sign(data, isRSA: isRSA, with: key) }
    }

    /// Runs an operation on the session, and retries it once if the token has ended the session.
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
