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

extension TokenConnection {
    /// The modulus of an RSA key of 16,384 bits has half as many bytes.
    private static var longestAttribute: CK_ULONG { 4_096 }

    /// Finds objects; two are enough to see that one was not named clearly.
    mutating func find(_ kind: CK_ULONG, label: String?, id: [UInt8]?) throws(TokenError) -> [CK_OBJECT_HANDLE] {
        let session = try openSession()
        var template: [TokenAttribute] = [.number(CKA_CLASS, kind), .flag(CKA_TOKEN, true)]
        if let label { template.append(.bytes(CKA_LABEL, Array(label.utf8))) }
        if let id { template.append(.bytes(CKA_ID, id)) }
        let list = functions
        try TokenFunction.find.check(template.withAttributes { pkcs11_find_init(list, session, $0, $1) })
        var objects: [CK_OBJECT_HANDLE] = [0, 0]
        var count: CK_ULONG = 0
        let result = pkcs11_find(list, session, &objects, CK_ULONG(objects.count), &count)
        let end = pkcs11_find_final(list, session)
        try TokenFunction.find.check(result)
        try TokenFunction.find.check(end)
        guard count <= CK_ULONG(objects.count) else { throw .malformedAnswer(.find) }
        return Array(objects.prefix(Int(count)))
    }

    /// Reads an attribute, whose length the module tells first.
    mutating func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenError) -> [UInt8] {
        let session = try openSession()
        let list = functions
        var query = CK_ATTRIBUTE(type: type, pValue: nil, ulValueLen: 0)
        try TokenFunction.attribute.check(pkcs11_attributes(list, session, object, &query, 1))
        // An attribute that is not told has the largest number as its length.
        guard query.ulValueLen <= Self.longestAttribute else { throw .malformedAnswer(.attribute) }
        var bytes = [UInt8](repeating: 0, count: Int(query.ulValueLen))
        let result = bytes.withUnsafeMutableBytes { place in
            query = CK_ATTRIBUTE(type: type, pValue: place.baseAddress, ulValueLen: CK_ULONG(place.count))
            return pkcs11_attributes(list, session, object, &query, 1)
        }
        query.pValue = nil
        try TokenFunction.attribute.check(result)
        guard query.ulValueLen <= CK_ULONG(bytes.count) else { throw .malformedAnswer(.attribute) }
        return Array(bytes.prefix(Int(query.ulValueLen)))
    }

    mutating func number(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenError) -> CK_ULONG {
        let bytes = try attribute(type, of: object)
        guard bytes.count == MemoryLayout<CK_ULONG>.size else { throw .malformedAnswer(.attribute) }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: CK_ULONG.self) }
    }

    /// Makes a key pair.
    mutating func generatePair(
        _ mechanism: CK_MECHANISM_TYPE, publicKey: [TokenAttribute], privateKey: [TokenAttribute]
    ) throws(TokenError) {
        let session = try openSession()
        let list = functions
        var (made, madePrivate): (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) = (0, 0)
        let result = publicKey.withAttributes { attributes, count in
            privateKey.withAttributes { privateAttributes, privateCount in
                pkcs11_generate_pair(
                    list, session, mechanism, attributes, count, privateAttributes, privateCount, &made, &madePrivate)
            }
        }
        try TokenFunction.generate.check(result)
    }

    mutating func destroy(_ object: CK_OBJECT_HANDLE) throws(TokenError) {
        let session = try openSession()
        try TokenFunction.destroy.check(pkcs11_destroy(functions, session, object))
    }
}

extension TokenConnection {
    /// That of an RSA key of 16,384 bits.
    private static var longestSignature: Int { 2_048 }

    /// Signs what the mechanism takes: a digest, or a `DigestInfo`.
    mutating func sign(
        _ data: [UInt8], _ mechanism: CK_MECHANISM_TYPE, with key: TokenURI
    ) throws(TokenError) -> [UInt8] {
        let session = try openSession()
        let handle = try privateKey(key)
        let list = functions
        let wantsConsent = (try? attribute(CKA_ALWAYS_AUTHENTICATE, of: handle)) == [1]
        try TokenFunction.sign.check(pkcs11_sign_init(list, session, mechanism, handle))
        if wantsConsent { try consent(in: session) }
        var signature = [UInt8](repeating: 0, count: Self.longestSignature)
        var length = CK_ULONG(signature.count)
        let result = data.withUnsafeBytes {
            pkcs11_sign(list, session, $0.baseAddress, CK_ULONG($0.count), &signature, &length)
        }
        try TokenFunction.sign.check(result)
        guard length <= CK_ULONG(signature.count) else { throw .malformedAnswer(.sign) }
        return Array(signature.prefix(Int(length)))
    }

    /// Gives the PIN once more, for a key that wants it for each signature.
    private mutating func consent(in session: CK_SESSION_HANDLE) throws(TokenError) {
        do throws(TokenError) {
            try logIn(session, as: CKU_CONTEXT_SPECIFIC)
        } catch {
            // The signature that was begun ends with the session.
            close()
            throw error
        }
    }
}

/// An attribute of an object in a token, with its value as the module reads it.
struct TokenAttribute {
    let type: CK_ATTRIBUTE_TYPE
    let value: [UInt8]

    static func bytes(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) -> Self { Self(type: type, value: value) }

    static func flag(_ type: CK_ATTRIBUTE_TYPE, _ value: Bool) -> Self { Self(type: type, value: [value ? 1 : 0]) }

    static func number(_ type: CK_ATTRIBUTE_TYPE, _ value: CK_ULONG) -> Self {
        Self(type: type, value: withUnsafeBytes(of: value) { Array($0) })
    }
}

extension [TokenAttribute] {
    /// A `CK_ULONG` in a value has to be aligned.
    private static var alignment: Int { MemoryLayout<CK_ULONG>.alignment }

    /// Lends the attributes to a module.
    func withAttributes<Result>(_ body: (UnsafeMutablePointer<CK_ATTRIBUTE>, CK_ULONG) -> Result) -> Result {
        let sizes = map { ($0.value.count + Self.alignment - 1) / Self.alignment * Self.alignment }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: sizes.reduce(0, +), alignment: Self.alignment)
        defer { memory.deallocate() }
        var attributes: [CK_ATTRIBUTE] = []
        var offset = 0
        for (attribute, size) in zip(self, sizes) {
            let place = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + attribute.value.count])
            place.copyBytes(from: attribute.value)
            attributes.append(
                CK_ATTRIBUTE(
                    type: attribute.type, pValue: place.baseAddress, ulValueLen: CK_ULONG(attribute.value.count)))
            offset += size
        }
        return body(&attributes, CK_ULONG(attributes.count))
    }
}
