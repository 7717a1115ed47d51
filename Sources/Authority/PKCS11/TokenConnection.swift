// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11
internal import Secrets

/// A session with a token, which is reopened if the token has ended it.
struct TokenConnection {
    private let module: TokenModule
    private let uri: TokenURI
    private let access: TokenAccess
    private var slot: TokenSlot
    private var session: CK_SESSION_HANDLE?
    private var pin: Secret?
    /// The error of a refused PIN.
    ///
    /// It prevents another attempt with the PIN, because failed attempts lock the token.
    private var refusal: TokenError?
    /// The private keys found in this session.
    private var handles: [TokenURI: CK_OBJECT_HANDLE] = [:]

    init(_ uri: TokenURI, module path: String, access: TokenAccess) throws(TokenError) {
        module = try TokenModule(path: path)
        (self.uri, self.access) = (uri.withoutObject, access)
        slot = try module.slot(of: uri)
    }

    var label: String { slot.label }

    /// Whether the caller must pass a PIN.
    var needsPIN: Bool { slot.needsLogin && !slot.hasKeypad }

    var functions: UnsafePointer<CK_FUNCTION_LIST> { module.functions }

    /// Logs in with a PIN, which is kept for reopening the session.
    mutating func logIn(_ pin: Secret?) throws(TokenError) {
        close()
        (self.pin, refusal) = (pin, nil)
        _ = try openSession()
    }

    /// Returns the session, and opens one if there is none.
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

    /// Logs in to a session, or authorizes one use of a key.
    func logInResult(_ session: CK_SESSION_HANDLE, as user: CK_USER_TYPE) throws(TokenError) -> CK_RV {
        // Without a PIN in the call, the token prompts for it.
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

    /// Finds the token again after its session was lost.
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

    /// Returns the only private key that matches a URI.
    mutating func privateKey(_ key: TokenURI) throws(TokenError) -> CK_OBJECT_HANDLE {
        if let handle = handles[key] { return handle }
        let found = try find(CKO_PRIVATE_KEY, label: key.object, id: key.id)
        guard let handle = found.first else { throw .keyNotFound(uri: key.description) }
        guard found.count == 1 else { throw .severalKeys(uri: key.description) }
        handles[key] = handle
        return handle
    }
}

/// The access of a session.
package enum TokenAccess: Sendable {
    case signing
    /// The session can also generate and remove keys.
    case generating
}

extension TokenConnection {
    /// The maximum size of an attribute in bytes, more than any certificate needs.
    private static var maximumAttributeSize: CK_ULONG { 65_536 }

    /// Finds objects.
    ///
    /// It returns at most two, which is enough to detect an ambiguous name.
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

    /// Reads an attribute, after requesting its length.
    mutating func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenError) -> [UInt8] {
        let session = try openSession()
        let list = functions
        var query = CK_ATTRIBUTE(type: type, pValue: nil, ulValueLen: 0)
        try TokenFunction.attribute.check(pkcs11_attributes(list, session, object, &query, 1))
        // The length of an unavailable attribute is the largest CK_ULONG.
        guard query.ulValueLen <= Self.maximumAttributeSize else { throw .malformedAnswer(.attribute) }
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

    /// Returns the certificate of a private key in DER; `nil` if the token has none.
    mutating func certificate(of key: TokenURI) throws(TokenError) -> [UInt8]? {
        let privateKey = try privateKey(key)
        let id = (try? attribute(CKA_ID, of: privateKey)) ?? []
        let found = try find(CKO_CERTIFICATE, label: id.isEmpty ? key.object : nil, id: id.isEmpty ? nil : id)
        guard let certificate = found.first else { return nil }
        return try attribute(CKA_VALUE, of: certificate)
    }

    /// Generates a key pair.
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
    /// The maximum size of a signature in bytes: that of a 16,384-bit RSA key.
    private static var maximumSignatureSize: Int { 2_048 }

    /// Signs the input of a mechanism: a digest, or a `DigestInfo`.
    mutating func sign(
        _ data: [UInt8], _ mechanism: CK_MECHANISM_TYPE, with key: TokenURI
    ) throws(TokenError) -> [UInt8] {
        let session = try openSession()
        let handle = try privateKey(key)
        let list = functions
        let wantsConsent = (try? attribute(CKA_ALWAYS_AUTHENTICATE, of: handle)) == [1]
        try TokenFunction.sign.check(pkcs11_sign_init(list, session, mechanism, handle))
        if wantsConsent { try authorizeUse(in: session) }
        var signature = [UInt8](repeating: 0, count: Self.maximumSignatureSize)
        var length = CK_ULONG(signature.count)
        let result = data.withUnsafeBytes {
            pkcs11_sign(list, session, $0.baseAddress, CK_ULONG($0.count), &signature, &length)
        }
        try TokenFunction.sign.check(result)
        guard length <= CK_ULONG(signature.count) else { throw .malformedAnswer(.sign) }
        return Array(signature.prefix(Int(length)))
    }

    /// Passes the PIN again for a key that requires it for each signature.
    private mutating func authorizeUse(in session: CK_SESSION_HANDLE) throws(TokenError) {
        do throws(TokenError) {
            try logIn(session, as: CKU_CONTEXT_SPECIFIC)
        } catch {
            // Closing the session also ends the pending signature operation.
            close()
            throw error
        }
    }
}

/// An attribute of a token object, with its value in the module's representation.
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
    /// The alignment of a value, which can be a `CK_ULONG`.
    private static var alignment: Int { MemoryLayout<CK_ULONG>.alignment }

    /// Passes the attributes to a module for the duration of a closure.
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
