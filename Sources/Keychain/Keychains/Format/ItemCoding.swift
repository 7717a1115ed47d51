// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
internal import Crypto
internal import EssentialFoundation
internal import Identities
internal import Secrets
internal import X509

/// The encoding of the attributes and secrets of items before they are sealed.
package enum ItemCoding {
    private static let schema: UInt8 = 1
    /// The common texts that are encoded as their positions, from 1; new ones are appended.
    private static let commonSchemes = ["https", "http", "socks5h", "socks5"]
    private static let commonMethods = [
        "basic", "digest", "bearer", "ntlm", "negotiate", "scram-sha-256", "socks-password",
    ]

    // MARK: Attributes

    static func attributes(of item: NewItem, created: Date, modified: Date) -> [UInt8] {
        var writer = FieldWriter()
        writer.byte(schema)
        writer.text(item.label)
        writer.text(item.comment)
        writer.shortNumber(Int64(created.timeIntervalSince1970))
        writer.shortNumber(Int64(modified.timeIntervalSince1970) - Int64(created.timeIntervalSince1970))
        writer.byte(item.isRejected ? 1 : 0)
        switch item.kind {
        case .genericPassword(let service, let account):
            writer.text(service)
            writer.text(account)
        case .internetPassword(let space, let user):
            writer.text(user)
            writer.field(self.space(space))
        case .certificate(let facts, let trust, let hosts):
            write(facts, &writer)
            writer.byte(trust.code)
            writer.texts(hosts)
        case .identity(let facts, let hosts):
            write(facts, &writer)
            writer.texts(hosts)
        case .note: break
        }
        return writer.bytes
    }

    /// Decodes the attributes of an item.
    ///
    /// - Throws: ``KeychainError/damaged(_:)``.
    package static func item(
        _ attributes: [UInt8], id: KeychainItem.ID, itemClass: KeychainItem.Class,
        accessibility: KeychainItem.Accessibility, version: Int64
    ) throws(KeychainError) -> KeychainItem {
        do {
            var reader = FieldReader(attributes)
            guard try reader.byte() == schema else { throw FieldReader.Malformed() }
            let label = try reader.text()
            let comment = try reader.text()
            let created = try reader.shortNumber()
            let modified = created &+ (try reader.shortNumber())
            let isRejected = try reader.byte() == 1
            let kind = try kind(itemClass, &reader)
            try reader.end()
            return KeychainItem(
                id: id, label: label, comment: comment, created: Date(timeIntervalSince1970: Double(created)),
                modified: Date(timeIntervalSince1970: Double(modified)),
                accessibility: accessibility, kind: kind, isRejected: isRejected, version: version)
        } catch {
            throw .damaged(.record)
        }
    }

    private static func kind(_ itemClass: KeychainItem.Class, _ reader: inout FieldReader) throws -> KeychainItem.Kind {
        switch itemClass {
        case .genericPassword: return .genericPassword(service: try reader.text(), account: try reader.text())
        case .internetPassword:
            let user = try reader.optionalText()
            return .internetPassword(try space(try reader.field()), user: user)
        case .certificate:
            let facts = try facts(&reader)
            guard let trust = TrustSettings.Setting(code: try reader.byte()) else {
                throw FieldReader.Malformed()
            }
            return .certificate(facts, trust, hosts: try reader.texts())
        case .identity: return .identity(try facts(&reader), hosts: try reader.texts())
        case .note: return .note
        }
    }

    private static func write(_ facts: KeychainItem.CertificateFacts, _ writer: inout FieldWriter) {
        writer.text(facts.subject)
        writer.text(facts.issuer)
        writer.text(facts.fingerprint)
        writer.shortNumber(Int64(facts.notAfter.timeIntervalSince1970))
    }

    private static func facts(_ reader: inout FieldReader) throws -> KeychainItem.CertificateFacts {
        KeychainItem.CertificateFacts(
            subject: try reader.text(), issuer: try reader.text(), fingerprint: try reader.text(),
            notAfter: Date(timeIntervalSince1970: Double(try reader.shortNumber())))
    }

    /// Encodes all parts of a protection space, for the attributes and for the index.
    static func space(_ space: ProtectionSpace) -> [UInt8] {
        var writer = FieldWriter()
        writer.text(space.host.description)
        writer.shortNumber(Int64(space.port))
        writer.text(space.scheme, commonly: commonSchemes)
        writer.text(space.realm)
        writer.text(space.method.description, commonly: commonMethods)
        writer.byte(space.role == .proxy ? 1 : 0)
        return writer.bytes
    }

    private static func space(_ bytes: [UInt8]) throws -> ProtectionSpace {
        var reader = FieldReader(bytes)
        let host = try HostName(try reader.text())
        let port = Int(try reader.shortNumber())
        let scheme = try reader.text(commonly: commonSchemes)
        let realm = try reader.optionalText()
        let method = AuthenticationMethod(try reader.text(commonly: commonMethods))
        let role: ProtectionSpace.Role = try reader.byte() == 1 ? .proxy : .origin
        try reader.end()
        return ProtectionSpace(host: host, port: port, scheme: scheme, realm: realm, method: method, role: role)
    }

    // MARK: Secrets

    static func secret(of item: NewItem) -> [UInt8] {
        var writer = FieldWriter()
        writer.byte(schema)
        writer.field(item.secret)
        writer.count(item.attachments.count)
        var chunk: Int64 = 0
        for attachment in item.attachments {
            let facts = ItemSecret.AttachmentFacts(
                name: attachment.name, mediaType: attachment.mediaType, size: attachment.size,
                digest: Array(SHA256.hash(data: attachment.bytes)), firstChunk: chunk)
            writer.text(facts.name)
            writer.text(facts.mediaType)
            writer.shortNumber(Int64(facts.size))
            writer.field(facts.digest)
            writer.shortNumber(chunk)
            chunk += facts.chunkCount
        }
        return writer.bytes
    }

    /// Decodes the secret of an item.
    ///
    /// - Throws: ``KeychainError/damaged(_:)``.
    package static func secret(_ bytes: [UInt8], of itemClass: KeychainItem.Class) throws(KeychainError) -> ItemSecret {
        do {
            var reader = FieldReader(bytes)
            guard try reader.byte() == schema else { throw FieldReader.Malformed() }
            var value = try reader.field()
            defer { value.erase() }
            let attachments = try attachments(&reader)
            try reader.end()
            switch itemClass {
            case .genericPassword, .internetPassword: return .password(Secret(utf8: value))
            case .certificate:
                let certificate = try CertificateFile.certificates(in: value)
                return .certificate(certificate[0])
            case .identity: return .identity(try Identity(pem: value))
            case .note: return .note(Secret(utf8: value), attachments: attachments)
            }
        } catch {
            throw .damaged(.record)
        }
    }

    private static func attachments(_ reader: inout FieldReader) throws -> [ItemSecret.AttachmentFacts] {
        var attachments: [ItemSecret.AttachmentFacts] = []
        for _ in 0..<(try reader.count()) {
            let name = try reader.text()
            let mediaType = try reader.text()
            let size = try reader.shortNumber()
            let digest = try reader.field()
            let firstChunk = try reader.shortNumber()
            guard (0...ItemSecret.AttachmentFacts.maximumByteCount).contains(size),
                (0...Int64.max / 2).contains(firstChunk)
            else {
                throw FieldReader.Malformed()
            }
            let facts = ItemSecret.AttachmentFacts(
                name: name, mediaType: mediaType, size: Int(size), digest: digest, firstChunk: firstChunk)
            attachments.append(facts)
        }
        return attachments
    }
}

extension TrustSettings.Setting {
    fileprivate var code: UInt8 {
        switch self {
        case .anchor: 1
        case .pin: 2
        case .distrusted: 3
        }
    }

    fileprivate init?(code: UInt8) {
        guard let setting = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = setting
    }
}

extension ItemSecret.AttachmentFacts {
    /// The size of each chunk except the last, in bytes.
    static let chunkByteCount = 64 << 10
    /// The maximum size of an attachment in bytes.
    static let maximumByteCount: Int64 = 1 << 40

    var chunkCount: Int64 { Int64((size + Self.chunkByteCount - 1) / Self.chunkByteCount) }
}
