// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11

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
