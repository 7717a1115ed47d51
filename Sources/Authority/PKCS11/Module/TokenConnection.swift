// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11
internal import Secrets

/// A session with a token, which is opened anew where the token has ended it.
struct TokenConnection {
    private let module: TokenModule
    private let uri: TokenURI
    private let access: TokenAccess
    private var slot: TokenSlot
    private var session: CK_SESSION_HANDLE?
    private var pin: Secret?
    /// Why the PIN is not offered again: each attempt brings the token nearer to locking itself.
    private var refusal: TokenError?
    /// The keys that were found in this session.
    private var handles: [TokenURI: CK_OBJECT_HANDLE] = [:]

    init(_ uri: TokenURI, module path: String, access: TokenAccess) throws(TokenError) {
        module = try TokenModule(path: path)
        (self.uri, self.access) = (uri.withoutObject, access)
        slot = try module.slot(of: uri)
    }

    var label: String { slot.label }

    /// Whether a PIN has to be given.
    var needsPIN: Bool { slot.needsLogin && !slot.hasKeypad }

    var functions: UnsafePointer<CK_FUNCTION_LIST> { module.functions }

    /// Logs in with a PIN, which is kept for a session that has to be opened anew.
    mutating func logIn(_ pin: Secret?) throws(TokenError) {
        close()
        (self.pin, refusal) = (pin, nil)
        _ = try openSession()
    }

    /// The session, which is opened where there is none.
    mutating func openSession() throws(TokenError) -> CK_SESSION_HANDLE {
        if let session { return session }
        if let refusal { throw refusal }
        var handle: CK_SESSION_HANDLE = 0
        let flags = CKF_SERIAL_SESSION | (access == .generating ? CKF_RW_SESSION : 0)
        try TokenFunction.openSession.check(pkcs11_open_session(functions, slot.id, flags, &handle))
        session = handle
        do throws(TokenError) {
            if slot.needsLogin { try logIn(handle, as: CKU_USER) }
        } catch {
            close()
            throw error
        }
        return handle
    }

    /// Logs in to a session, or consents to one use of a key.
    func logInResult(_ session: CK_SESSION_HANDLE, as user: CK_USER_TYPE) throws(TokenError) -> CK_RV {
        // Without a PIN, the token asks for it.
        if slot.hasKeypad { return pkcs11_login(functions, session, user, nil, 0) }
        guard let pin, !pin.isEmpty else { throw .pinNeeded }
        return pin.withUnsafeBytes { pkcs11_login(functions, session, user, $0.baseAddress, CK_ULONG($0.count)) }
    }

    mutating func logIn(_ session: CK_SESSION_HANDLE, as user: CK_USER_TYPE) throws(TokenError) {
        let result = try logInResult(session, as: user)
        // All sessions of a process share one login.
        if result == CKR_USER_ALREADY_LOGGED_IN { return }
        do throws(TokenError) {
            try TokenFunction.logIn.check(result)
        } catch {
            if error == .pinIncorrect || error == .pinLocked { (pin, refusal) = (nil, error) }
            throw error
        }
    }

    /// Looks for the token again, after its session was lost.
    mutating func reset() throws(TokenError) {
        close()
        try module.start()
        slot = try module.slot(of: uri)
    }

    /// Ends the session.
    mutating func close() {
        handles = [:]
        guard let session else { return }
        self.session = nil
        _ = pkcs11_close_session(functions, session)
    }

    /// The one private key that a URI names.
    mutating func privateKey(_ key: TokenURI) throws(TokenError) -> CK_OBJECT_HANDLE {
        if let handle = handles[key] { return handle }
        let found = try find(CKO_PRIVATE_KEY, label: key.object, id: key.id)
        guard let handle = found.first else { throw .keyNotFound(uri: key.description) }
        guard found.count == 1 else { throw .severalKeys(uri: key.description) }
        handles[key] = handle
        return handle
    }
}

/// What a session with a token is for.
package enum TokenAccess: Sendable {
    case signing
    /// Keys can also be made and removed.
    case generating
}
