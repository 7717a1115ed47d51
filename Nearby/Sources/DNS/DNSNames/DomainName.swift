// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An absolute domain name: labels of bytes (RFC 1035 section 3.1), compared case-insensitively for ASCII letters (RFC
/// 4343).
public struct DomainName: Sendable {
    /// The labels without the root label, the deepest label first; each has 1 to 63 bytes.
    public let labels: [[UInt8]]

    /// The root, which has no labels.
    public static let root = DomainName(unchecked: [])

    private init(unchecked labels: [[UInt8]]) { self.labels = labels }

    /// Creates a name from labels.
    ///
    /// - Parameter labels: The labels without the root label, the deepest label first.
    /// - Throws: ``DomainNameError/emptyLabel``, ``DomainNameError/longLabel``, ``DomainNameError/longName``.
    public init(labels: [[UInt8]]) throws(DomainNameError) {
        for label in labels {
            guard !label.isEmpty else { throw .emptyLabel }
            guard label.count <= 63 else { throw .longLabel }
        }
        // Each label has a length byte, and so does the root (RFC 1035 section 2.3.4).
        guard labels.reduce(1, { $0 + $1.count + 1 }) <= 255 else { throw .longName }
        self.labels = labels
    }

    /// Parses a name in the notation of master files (RFC 1035 section 5.1), with `\.` for a dot within a label and
    /// `\DDD` for any byte.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - origin: The origin of a relative name, which has no trailing dot; the root by default.
    /// - Throws: ``DomainNameError``.
    public init(_ text: String, relativeTo origin: DomainName = .root) throws(DomainNameError) {
        if text == "." {
            self = .root
            return
        }
        var (labels, label, isAbsolute) = ([[UInt8]](), [UInt8](), false)
        var bytes = Array(text.utf8)[...]
        guard !bytes.isEmpty else { throw .emptyLabel }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "."):
                labels.append(label)
                label = []
                isAbsolute = bytes.isEmpty
            case UInt8(ascii: "\\"): label.append(try Self.escaped(&bytes))
            default: label.append(byte)
            }
        }
        if !isAbsolute { labels.append(label) }
        try self.init(labels: isAbsolute ? labels : labels + origin.labels)
    }

    /// Parses the escape sequence after a backslash.
    private static func escaped(_ bytes: inout ArraySlice<UInt8>) throws(DomainNameError) -> UInt8 {
        guard let first = bytes.popFirst() else { throw .malformedEscape }
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return first }
        let digits = [first] + bytes.prefix(2)
        guard digits.count == 3, let value = UInt8(String(decoding: digits, as: UTF8.self)) else {
            throw .malformedEscape
        }
        bytes.removeFirst(2)
        return value
    }

    /// Returns the name with a label prepended.
    ///
    /// - Parameter label: The label, 1 to 63 bytes in UTF-8; dots and backslashes in it have no special meaning.
    /// - Returns: The name one label below this one.
    /// - Throws: ``DomainNameError/emptyLabel``, ``DomainNameError/longLabel``, ``DomainNameError/longName``.
    public func adding(_ label: String) throws(DomainNameError) -> DomainName {
        try DomainName(labels: [Array(label.utf8)] + labels)
    }

    /// Returns whether the name is equal to another name or below it.
    public func isWithin(_ other: DomainName) -> Bool {
        labels.suffix(other.labels.count).elementsEqual(other.labels, by: Self.areEqual)
    }

    /// Returns the name in the notation of master files, relative to an origin: `@` for the origin itself, and a
    /// trailing dot for names outside the origin.
    public func description(relativeTo origin: DomainName) -> String {
        var text: [UInt8] = []
        write(relativeTo: origin, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text that ``description(relativeTo:)`` returns.
    package func write(relativeTo origin: DomainName, to text: inout [UInt8]) {
        guard !labels.isEmpty else { return text.append(UInt8(ascii: ".")) }
        let isRelative = !origin.labels.isEmpty && isWithin(origin)
        let own = isRelative ? labels.dropLast(origin.labels.count) : labels[...]
        guard !own.isEmpty else { return text.append(UInt8(ascii: "@")) }
        for label in own {
            Self.write(label, to: &text)
            text.append(UInt8(ascii: "."))
        }
        if isRelative { text.removeLast() }
    }

    private static func write(_ label: [UInt8], to text: inout [UInt8]) {
        for byte in label {
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: ";"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "@"), UInt8(ascii: "$"):
                text += [UInt8(ascii: "\\"), byte]
            case 0x21...0x7E: text.append(byte)
            default:
                text.append(UInt8(ascii: "\\"))
                for digit in [byte / 100, byte / 10 % 10, byte % 10] { text.append(UInt8(ascii: "0") + digit) }
            }
        }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && (one == other || zip(one, other).allSatisfy { folded($0) == folded($1) })
    }
}

extension DomainName: Hashable {
    /// Returns whether two names have the same labels, ignoring the case of ASCII letters.
    public static func == (one: DomainName, other: DomainName) -> Bool {
        one.labels.elementsEqual(other.labels, by: areEqual)
    }

    /// Hashes the labels in lower case.
    public func hash(into hasher: inout Hasher) {
        for label in labels {
            hasher.combine(label.count)
            for byte in label { hasher.combine(Self.folded(byte)) }
        }
    }
}

extension DomainName: CustomStringConvertible {
    /// The name in the notation of master files, with a trailing dot.
    public var description: String { description(relativeTo: .root) }
}
