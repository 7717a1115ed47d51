// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
internal import Crypto

/// The index tokens of items: each is a keyed hash of a field and its value, so that the file reveals neither.
enum Index {
    enum Field: UInt8 {
        case itemClass = 1
        case protectionSpace = 2
        case host = 3
        case account = 4
        case label = 5
        case service = 6
        case issuer = 7
        case subject = 8
        case fingerprint = 9
    }

    /// The number of bits in a token: few, so that the file is small, but enough that collisions are rare.
    static let tokenBits = 32

    /// Returns the first bits of HMAC-SHA256 as a signed number, which SQLite stores in four bytes.
    ///
    /// If two values have the same token, the sealed attributes distinguish them.
    static func token(_ field: Field, _ value: some Collection<UInt8>, _ key: SymmetricKey) -> Int64 {
        var writer = FieldWriter()
        writer.byte(field.rawValue)
        writer.field(value)
        let bits = HMAC<SHA256>.authenticationCode(for: writer.bytes, using: key)
            .prefix(tokenBits / 8).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Int64(Int32(bitPattern: bits))
    }

    /// Returns the form in which texts are compared, without regard to case.
    static func canonical(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }

    /// Returns the fields by which an item is found.
    static func fields(of kind: KeychainItem.Kind, label: String) -> [(Field, [UInt8])] {
        var fields: [(Field, [UInt8])] = [(.itemClass, [kind.itemClass.rawValue])]
        let add = { (field: Field, text: String) in
            if !text.isEmpty { fields.append((field, canonical(text))) }
        }
        add(.label, label)
        switch kind {
        case .genericPassword(let service, let account):
            add(.service, service)
            add(.account, account)
        case .internetPassword(let space, let user):
            fields.append((.protectionSpace, ItemCoding.space(space)))
            add(.host, space.host.description)
            add(.account, user ?? "")
        case .certificate(let facts, _, let hosts), .identity(let facts, let hosts):
            add(.subject, facts.subject)
            add(.issuer, facts.issuer)
            add(.fingerprint, facts.fingerprint)
            hosts.forEach { add(.host, $0) }
        case .note: break
        }
        return fields
    }
}

extension KeychainQuery {
    var fields: [(Index.Field, [UInt8])] {
        var fields: [(Index.Field, [UInt8])] = []
        if let protectionSpace { fields.append((.protectionSpace, ItemCoding.space(protectionSpace))) }
        let texts: [(Index.Field, String?)] = [
            (.fingerprint, fingerprint?.filter { $0 != ":" }), (.host, host), (.account, account), (.label, label),
            (.service, service), (.subject, subject), (.issuer, issuer),
        ]
        for (field, text) in texts { text.map { fields.append((field, Index.canonical($0))) } }
        if let itemClass { fields.append((.itemClass, [itemClass.rawValue])) }
        return fields
    }

    /// Returns whether an item matches all properties of the query; index tokens may collide.
    func matches(_ item: KeychainItem) -> Bool {
        let found = Index.fields(of: item.kind, label: item.label)
        return fields.allSatisfy { field, value in found.contains { $0 == field && $1 == value } }
    }
}
