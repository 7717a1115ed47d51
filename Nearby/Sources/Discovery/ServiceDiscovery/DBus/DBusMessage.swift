// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A D-Bus message (D-Bus specification, "Message Protocol").
struct DBusMessage: Hashable, Sendable {
    enum Kind: UInt8 {
        case methodCall = 1
        case methodReturn
        case error
        case signal
    }

    var kind: Kind
    var serial: UInt32 = 0
    var path: String?
    var interface: String?
    var member: String?
    var errorName: String?
    var replySerial: UInt32?
    var destination: String?
    var sender: String?
    var body: [DBusValue] = []

    init(_ kind: Kind) { self.kind = kind }

    /// The maximum length of a message; Avahi's replies are much shorter.
    static let maximumLength = 1 << 20

    /// The codes of header fields.
    private enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature
    }

    var encoded: [UInt8] {
        var bodyWriter = DBusWriter()
        for value in body { bodyWriter.append(value) }
        var fields: [(Field, DBusValue)] = []
        if let path { fields.append((.path, .objectPath(path))) }
        if let interface { fields.append((.interface, .string(interface))) }
        if let member { fields.append((.member, .string(member))) }
        if let destination { fields.append((.destination, .string(destination))) }
        if !body.isEmpty { fields.append((.signature, .signature(body.map(\.signature).joined()))) }
        var writer = DBusWriter()
        // Little-endian, no flags, version 1.
        for byte in [UInt8(ascii: "l"), kind.rawValue, 0, 1] { writer.append(.byte(byte)) }
        writer.append(.uint32(UInt32(bodyWriter.bytes.count)))
        writer.append(.uint32(serial))
        writer.append(
            .array(of: "(yv)", fields.map { .structure([.byte($0.0.rawValue), .variant($0.1)]) }))
        writer.align(to: 8)
        return writer.bytes + bodyWriter.bytes
    }

    /// Returns the length of the message that starts with the given bytes, or `nil` for fewer than sixteen bytes.
    static func length(of bytes: some Collection<UInt8>) throws(MalformedDBusMessage) -> Int? {
        let start = Array(bytes.prefix(16))
        guard start.count == 16 else { return nil }
        func integer(_ index: Int) -> Int {
            let part = start[index..<index + 4]
            return (start[0] == UInt8(ascii: "l") ? Array(part.reversed()) : Array(part)).reduce(0) {
                $0 << 8 | Int($1)
            }
        }
        let (body, fields) = (integer(4), integer(12))
        guard body <= maximumLength, fields <= maximumLength else { throw MalformedDBusMessage() }
        return 16 + (fields + 7) / 8 * 8 + body
    }

    /// Decodes a message from exactly its bytes.
    init(decoding bytes: [UInt8]) throws(MalformedDBusMessage) {
        guard let length = try Self.length(of: bytes), length == bytes.count,
            [UInt8(ascii: "l"), UInt8(ascii: "B")].contains(bytes[0]), let kind = Kind(rawValue: bytes[1])
        else { throw MalformedDBusMessage() }
        self.init(kind)
        let isLittleEndian = bytes[0] == UInt8(ascii: "l")
        var reader = DBusReader(bytes[...], at: 4, isLittleEndian: isLittleEndian)
        let header = try reader.values("uua(yv)")
        guard header.count == 3, case .uint32(let bodyLength) = header[0], case .uint32(let serial) = header[1],
            case .array(_, let fields) = header[2]
        else { throw MalformedDBusMessage() }
        self.serial = serial
        var signature = ""
        for case .structure(let field) in fields where field.count == 2 {
            guard case .byte(let code) = field[0], case .variant(let value) = field[1] else { continue }
            switch Field(rawValue: code) {
            case .path: path = value.text
            case .interface: interface = value.text
            case .member: member = value.text
            case .errorName: errorName = value.text
            case .replySerial: if case .uint32(let serial) = value { replySerial = serial }
            case .destination: destination = value.text
            case .sender: sender = value.text
            case .signature: signature = value.text ?? ""
            case nil: continue
            }
        }
        var bodyReader = DBusReader(
            bytes.suffix(Int(bodyLength)), at: 0, isLittleEndian: isLittleEndian)
        body = try bodyReader.values(signature)
    }
}
