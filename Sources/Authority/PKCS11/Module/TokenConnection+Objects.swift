// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11

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
