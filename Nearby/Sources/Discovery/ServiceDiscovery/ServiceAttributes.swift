// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The attributes of a service: the key/value pairs of its TXT record (RFC 6763 section 6).
public struct ServiceAttributes: Hashable, Sendable {
    /// The value of a key.
    public enum Value: Hashable, Sendable {
        /// The key has no value; its presence is the information.
        case none
        /// Bytes, possibly empty.
        case bytes([UInt8])
    }

    /// The keys and values, in order.
    public private(set) var pairs: [(key: String, value: Value)]

    /// Creates an empty set of attributes.
    public init() { pairs = [] }

    /// Reads the pairs from the strings of a TXT record; the first value of a repeated key counts, and a string without
    /// a key is ignored (RFC 6763 section 6.4).
    init(strings: [[UInt8]]) {
        pairs = []
        for string in strings {
            let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let key = Self.key(first), self[key] == nil else { continue }
            pairs.append((key, parts.count == 1 ? .none : .bytes(Array(parts[1]))))
        }
    }

    /// The strings of the TXT record.
    var strings: [[UInt8]] {
        guard !pairs.isEmpty else { return [[]] }
        return pairs.map { pair in
            guard case .bytes(let bytes) = pair.value else { return Array(pair.key.utf8) }
            return Array(pair.key.utf8) + [UInt8(ascii: "=")] + bytes
        }
    }

    /// Returns the value of a key, compared case-insensitively; `nil` if the key is absent.
    public subscript(key: String) -> Value? {
        pairs.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// Returns the value of a key as text; `nil` if the key is absent, has no value, or its value is not UTF-8.
    public func text(_ key: String) -> String? {
        guard case .bytes(let bytes)? = self[key] else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Sets the value of a key.
    ///
    /// - Throws: ``ServiceDiscoveryError/malformedAttribute(_:)`` if the key contains characters other than printable
    ///   ASCII without `=`, or key and value are longer than 255 bytes.
    public mutating func set(_ key: String, to value: Value) throws(ServiceDiscoveryError) {
        let length = if case .bytes(let bytes) = value { bytes.count + 1 } else { 0 }
        guard Self.key(Array(key.utf8)[...]) != nil, key.utf8.count + length <= 255 else {
            throw .malformedAttribute(key)
        }
        pairs.removeAll { $0.key.lowercased() == key.lowercased() }
        pairs.append((key, value))
        // A TXT record has at most 65,535 bytes; RFC 6763 section 6.2 recommends at most 1300.
        guard strings.reduce(0, { $0 + $1.count + 1 }) <= 8_000 else {
            pairs.removeLast()
            throw .malformedAttribute(key)
        }
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether two sets of attributes have the same TXT strings.
    public static func == (one: ServiceAttributes, other: ServiceAttributes) -> Bool { one.strings == other.strings }

    /// Hashes the strings of the TXT record.
    public func hash(into hasher: inout Hasher) { hasher.combine(strings) }
}
