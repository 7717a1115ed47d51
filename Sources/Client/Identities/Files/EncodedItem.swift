// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import Secrets
internal import SwiftASN1
internal import X509

/// An undecoded item of a PEM or DER file, identified by its PEM label or DER structure.
enum EncodedItem {
    case certificate([UInt8])
    case privateKey([UInt8])
    case encryptedPrivateKey([UInt8])
    /// A private key with traditional encryption: the ciphertext of an item with the block's label.
    case traditionalKey(PEMBlock, encryptionInfo: String)
    case rsaPrivateKey([UInt8])
    case ecPrivateKey([UInt8])
    case pkcs7([UInt8])
    /// A certificate, followed by OpenSSL's trust settings, which concern only an anchor.
    case trustedCertificate([UInt8])
    case pkcs12([UInt8])
    /// A known item that provides neither a certificate nor a private key.
    case other(IdentityError.Content)
    /// An item that this library does not support, by name.
    case unsupported(String)
    /// The parameters of a key as a separate item, which is ignored.
    case ignoredParameters
    /// A PEM block or a further part of a DER file that has no readable content; the offset counts bytes of the file.
    case broken(UnreadContent.Cause, IdentityError)

    typealias Place = UnreadContent.Place

    /// Returns all items in a PEM or DER file, with their places.
    static func placedItems(in bytes: [UInt8]) throws(IdentityError) -> [(item: EncodedItem, place: Place)] {
        let items = try itemsWithLines(in: bytes)
        return items.enumerated().map { index, found in
            (found.item, Place(position: index + 1, count: items.count, line: found.line))
        }
    }

    /// Returns all items in a PEM or DER file.
    static func items(in bytes: [UInt8]) throws(IdentityError) -> [EncodedItem] {
        try itemsWithLines(in: bytes).map(\.item)
    }

    private static func itemsWithLines(in file: [UInt8]) throws(IdentityError) -> [(item: EncodedItem, line: Int?)] {
        let bytes = PEMBlock.plainText(file)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= BERWalk.maximumByteCount else { throw .tooLarge(.bytes, limit: BERWalk.maximumByteCount) }
        guard PEMBlock.isLikely(bytes) else {
            guard isLikelyDER(bytes) else {
                guard isJavaKeyStore(bytes) else { throw .notPEM }
                return [(.other(.javaKeyStore), nil)]
            }
            return try certificates(inDER: bytes).map { ($0, nil) }
        }
        let blocks = PEMBlock.excerpts(in: bytes)
        guard blocks.count <= PEMBlock.maximumCount else { throw .tooLarge(.elements, limit: PEMBlock.maximumCount) }
        return blocks.map { (EncodedItem($0), $0.line) }
    }

    /// Returns the items of a DER file: one, or several certificates after each other.
    private static func certificates(inDER bytes: [UInt8]) throws(IdentityError) -> [EncodedItem] {
        var (items, rest) = ([EncodedItem](), bytes[...])
        while let length = elementLength(rest), length < rest.count, items.count < PEMBlock.maximumCount,
            case .certificate? = try? EncodedItem(der: Array(rest.prefix(length)))
        {
            items.append(.certificate(Array(rest.prefix(length))))
            rest = rest.dropFirst(length).drop { [0x0A, 0x0D].contains($0) }
        }
        guard !items.isEmpty else { return [try EncodedItem(der: bytes)] }
        guard !rest.isEmpty else { return items }
        if items.count == 1, rest.first != 0x30 { return [try EncodedItem(der: bytes)] }
        if let last = try? EncodedItem(der: Array(rest)) { return items + [last] }
        return items + [.broken(.certificate(Array(rest)), .malformed(.certificate, offset: rest.startIndex))]
    }

    /// Returns the length of a DER element with its header; `nil` for an indefinite or too large length.
    private static func elementLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.dropFirst().first else { return nil }
        guard first >= 0x80 else { return 2 + Int(first) }
        let size = Int(first & 0x7f)
        let octets = bytes.dropFirst(2).prefix(size)
        guard (1...4).contains(size), octets.count == size else { return nil }
        return 2 + size + octets.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a PEM block strictly, so that only its own error is lost with it.
    private init(_ block: PEMBlock.Excerpt) {
        let start = block.text.startIndex
        let isKey = block.label.hasSuffix("PRIVATE KEY")
        guard block.isEnded else {
            self = .broken(isKey ? .privateKey : .unended, .malformed(.pem, offset: start))
            return
        }
        do throws(PEMError) {
            guard let block = try PEMBlock.blocks(in: Self.onOwnLines(block)).first else {
                throw .malformed(offset: 0)
            }
            self.init(block: block)
        } catch {
            let offset = if case .malformed(let offset) = error { start + offset } else { start }
            self = .broken(isKey ? .privateKey : .notBase64, .malformed(.pem, offset: offset))
        }
    }

    /// Returns the text of a block with its boundaries on lines of their own.
    private static func onOwnLines(_ block: PEMBlock.Excerpt) -> [UInt8] {
        let (begin, end) = (block.text[..<block.body.startIndex], block.text[block.body.endIndex...])
        let isSeparate = block.body.first.map { [0x09, 0x0A, 0x0D, 0x20].contains($0) } ?? false
        return Array(begin + (isSeparate ? [] : [0x0A]) + block.body + [0x0A] + end)
    }

    /// Returns all items in a file of any format; reports an unknown format as unrecognized, rather than as not PEM.
    static func items(inAnyFile bytes: [UInt8]) throws(IdentityError) -> [(item: EncodedItem, place: Place)] {
        do throws(IdentityError) {
            return try placedItems(in: bytes)
        } catch .notPEM {
            throw .unrecognized
        }
    }

    private init(block: PEMBlock) {
        let item = EncodedItem(label: block.label, der: block.der)
        guard let encryptionInfo = block.encryptionInfo else {
            self = item
            return
        }
        self =
            item.isPrivateKey
            ? .traditionalKey(block, encryptionInfo: encryptionInfo) : .unsupported("\(block.label) with DEK-Info")
    }

    private init(label: String, der: [UInt8]) {
        self =
            switch label {
            case "CERTIFICATE", "X509 CERTIFICATE": .certificate(der)
            case "PRIVATE KEY": .privateKey(der)
            case "ENCRYPTED PRIVATE KEY": .encryptedPrivateKey(der)
            case "RSA PRIVATE KEY": .rsaPrivateKey(der)
            case "EC PRIVATE KEY": .ecPrivateKey(der)
            case "PKCS12": .pkcs12(der)
            case "PKCS7", "CMS": .pkcs7(der)
            case "PUBLIC KEY", "RSA PUBLIC KEY": .other(.publicKey)
            case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": .other(.certificateRequest)
            case "X509 CRL": .other(.revocationList)
            case "TRUSTED CERTIFICATE": Self.trusted(der)
            case "OPENSSH PRIVATE KEY": .other(.openSSHKey)
            case "EC PARAMETERS", "DH PARAMETERS": .ignoredParameters
            default: .unsupported(label)
            }
    }

    /// Returns the certificate of a block of OpenSSL, without its trust settings if they restrict nothing.
    private static func trusted(_ der: [UInt8]) -> EncodedItem {
        guard let length = elementLength(der[...]), length <= der.count else { return .trustedCertificate(der) }
        let hasSettings = length < der.count && (elementLength(der[length...]) != 2 || der.count > length + 2)
        return hasSettings ? .trustedCertificate(der) : .certificate(Array(der.prefix(length)))
    }

    /// Returns whether bytes start like a long SEQUENCE, or are exactly as long
    /// as a short one; text can also start with the digit 0.
    private static func isLikelyDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
        return bytes[1] >= 0x80 || Int(bytes[1]) == bytes.count - 2
    }

    /// Returns whether bytes start like a Java keystore (JKS or JCEKS), the default of keytool before Java 9.
    private static func isJavaKeyStore(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xfe, 0xed, 0xfe, 0xed]) || bytes.starts(with: [0xce, 0xce, 0xce, 0xce])
    }

    /// Identifies a DER item by the types of the first elements of its SEQUENCE.
    private init(der bytes: [UInt8]) throws(IdentityError) {
        var fields = try Fields(ber: bytes, of: .encoding)
        let kinds = [fields.nextIfAny(), fields.nextIfAny(), fields.nextIfAny()].map { $0?.identifier }
        self =
            switch (kinds[0], kinds[1], kinds[2]) {
            case (.sequence, .sequence, .bitString): Self.signed(bytes)
            case (.sequence, .bitString, nil): .other(.publicKey)
            case (.sequence, .octetString, nil): .encryptedPrivateKey(bytes)
            case (.integer, .sequence, .octetString): .privateKey(bytes)
            case (.integer, .sequence, _): .pkcs12(bytes)
            case (.integer, .integer, .integer): .rsaPrivateKey(bytes)
            case (.integer, .octetString, _): .ecPrivateKey(bytes)
            case (.objectIdentifier, _, _): .pkcs7(bytes)
            default: throw .unrecognized
            }
    }

    /// Distinguishes a certificate, a certificate request and a revocation
    /// list, which have the same outer form, by the signed part.
    private static func signed(_ bytes: [UInt8]) -> EncodedItem {
        guard var fields = try? Fields(ber: bytes, of: .encoding), let content = fields.nextIfAny(),
            var inside = try? Fields(content, of: .encoding)
        else { return .certificate(bytes) }
        let kinds = (0..<4).map { _ in inside.nextIfAny()?.identifier }
        // A request contains its version, subject and key; a list contains the times of this update and the next.
        if kinds[0] == .integer, kinds[1] == .sequence, kinds[2] == .sequence, kinds[3] != .sequence {
            guard kinds[3] == .utcTime || kinds[3] == .generalizedTime else { return .other(.certificateRequest) }
            return .other(.revocationList)
        }
        if kinds[2] == .utcTime || kinds[2] == .generalizedTime { return .other(.revocationList) }
        return .certificate(bytes)
    }

    var isPrivateKey: Bool {
        switch self {
        case .privateKey, .encryptedPrivateKey, .traditionalKey, .rsaPrivateKey, .ecPrivateKey, .broken(.privateKey, _):
            true
        default: false
        }
    }

    var isCertificate: Bool {
        switch self {
        case .certificate, .pkcs7: true
        default: false
        }
    }

    var isPKCS7: Bool {
        if case .pkcs7 = self { true } else { false }
    }

    /// The name of an item that provides nothing for an identity.
    var otherName: String? {
        switch self {
        case .other(let content): content.rawValue
        case .trustedCertificate: IdentityError.Content.trustedCertificate.rawValue
        case .unsupported(let name): name
        case .pkcs12: "PKCS#12"
        default: nil
        }
    }

    /// The reason why an item without a certificate is not read among certificates; `nil` for one that has some, or
    /// that is ignored.
    func unread(at place: Place) -> UnreadContent? {
        if case .broken(let cause, let error) = self { return UnreadContent(place, error, cause) }
        if isPrivateKey { return UnreadContent(place, .keyWhereCertificateExpected, .otherContent("a private key")) }
        guard let otherName, let error = [self].unexpectedContent(of: .certificate) else { return nil }
        let name = if case .other = self { otherName.withArticle } else { otherName }
        return UnreadContent(place, error, .otherContent(name))
    }

    /// Returns the encryption of an encrypted key.
    func protection() throws(IdentityError) -> PasswordProtection? {
        switch self {
        case .encryptedPrivateKey(let der):
            try EncryptedPrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey)).encryption.protection
        case .traditionalKey(_, let encryptionInfo): try TraditionalEncryption(encryptionInfo).protection
        default: nil
        }
    }

    /// Returns the undecoded certificates in the item in DER, if any, each with its place: in a PKCS#7 item, that among
    /// its certificates.
    func encodedCertificates(at place: Place) throws(IdentityError) -> [(der: [UInt8], place: Place)] {
        switch self {
        case .certificate(let der):
            return [(der, place)]
        case .pkcs7(let der):
            let all = try CertificateBundle.encodedCertificates(in: der)
            return all.enumerated().map { index, der in
                (der, Place(position: index + 1, count: all.count, line: place.line))
            }
        default:
            return []
        }
    }

    /// Returns the key in an encrypted item; `nil` for other items.
    func decrypted(passphrase: Secret?, budget: inout WorkBudget) throws(IdentityError) -> EncodedItem? {
        switch self {
        case .encryptedPrivateKey(let der):
            let encrypted = try EncryptedPrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey))
            guard let passphrase else { throw .passphraseNeeded }
            let forms = PasswordForms(passphrase)
            guard let node = try encrypted.decrypt(forms, budget: &budget) else { throw .wrongPassphrase }
            return .privateKey(Array(node.encodedBytes))
        case .traditionalKey(let block, let encryptionInfo):
            let encryption = try TraditionalEncryption(encryptionInfo)
            guard let passphrase else { throw .passphraseNeeded }
            guard let der = try encryption.decrypt(block.der, passphrase: passphrase) else { throw .wrongPassphrase }
            let item = EncodedItem(label: block.label, der: der)
            // The label of the block is that of an unencrypted key.
            if case .encryptedPrivateKey = item { throw .malformed(.privateKey) }
            return item
        default: return nil
        }
    }

    /// Returns the private key; `nil` if the item is not a private key.
    func privateKey(
        passphrase: Secret?, budget: inout WorkBudget
    ) throws(IdentityError) -> Certificate.PrivateKey? {
        switch self {
        case .privateKey(let der):
            return try PrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey)).privateKey()
        case .encryptedPrivateKey, .traditionalKey:
            return try decrypted(passphrase: passphrase, budget: &budget)?.privateKey(
                passphrase: passphrase, budget: &budget)
        case .rsaPrivateKey(let der):
            return try RSAPrivateKey.read(der)
        case .ecPrivateKey(let der):
            return try ECPrivateKey.read(der)
        case .broken(.privateKey, let error):
            throw error
        default:
            return nil
        }
    }
}
