// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// The hosts that are reached without a proxy.
struct ProxyExceptions: Hashable, Sendable {
    private let entries: [Entry]

    init() {
        entries = []
    }

    /// Parses host names, addresses and address blocks, separated by commas or spaces; blocks such as `10.*` and
    /// `<local>` have the form of Windows.
    ///
    /// - Throws: ``SessionError`` of ``ProxyError/invalidException(_:)``.
    init(_ text: String) throws(SessionError) {
        var entries: [Entry] = []
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            guard let entry = Entry(String(word)) else { throw .proxy(.invalidException(String(word))) }
            entries.append(entry)
        }
        self.entries = entries
    }

    var isEmpty: Bool { entries.isEmpty }

    func cover(_ endpoint: HostEndpoint) -> Bool {
        entries.contains { $0.covers(endpoint) }
    }
}

extension ProxyExceptions {
    /// An entry for a domain, an address block or all hosts.
    private struct Entry: Hashable {
        private enum Place: Hashable {
            case everything
            /// The names without a dot, which Windows writes as `<local>`.
            case singleLabels
            case domain(HostName)
            case block(AddressBlock)
        }

        private let place: Place
        /// The port to which the entry is restricted; `nil` for all ports.
        private let port: Int?

        func covers(_ endpoint: HostEndpoint) -> Bool {
            guard port == nil || port == endpoint.port else { return false }
            switch place {
            case .everything: return true
            case .singleLabels: return !endpoint.host.isAddress && !endpoint.host.description.contains(".")
            case .domain(let domain): return endpoint.host.isAtOrBelow(domain)
            case .block(let block): return endpoint.host.addressBytes.map(block.contains) ?? false
            }
        }

        init?(_ text: String) {
            guard let (host, prefix, port) = Self.parts(of: text) else { return nil }
            self.port = port
            guard host != "*" else {
                guard prefix == nil else { return nil }
                place = .everything
                return
            }
            guard host != "<local>" else {
                guard prefix == nil else { return nil }
                place = .singleLabels
                return
            }
            if let block = Self.wildcardBlock(host) {
                guard prefix == nil else { return nil }
                place = .block(block)
                return
            }
            let bare = host.hasPrefix("*.") ? host.dropFirst(2) : host.hasPrefix(".") ? host.dropFirst() : host[...]
            guard let name = try? HostName(international: String(bare)) else { return nil }
            if let bytes = name.addressBytes {
                guard bare.count == host.count, let block = AddressBlock(bytes, prefix: prefix ?? bytes.count * 8)
                else { return nil }
                place = .block(block)
            } else {
                guard prefix == nil else { return nil }
                place = .domain(name)
            }
        }

        /// Parses the beginning of an IPv4 address, such as `10.*` or `192.168.*.*`; `nil` for another text.
        private static func wildcardBlock(_ text: String) -> AddressBlock? {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let bytes = parts.prefix { $0 != "*" }.map { number($0, in: 0...255).map { UInt8($0) } }
            guard bytes.count < parts.count, parts.count <= 4, !bytes.isEmpty, !bytes.contains(nil),
                parts.dropFirst(bytes.count).allSatisfy({ $0 == "*" })
            else { return nil }
            return AddressBlock(
                bytes.compactMap(\.self) + [UInt8](repeating: 0, count: 4 - bytes.count), prefix: bytes.count * 8)
        }

        /// Parses `host` or `host/prefix`, each optionally with `:port`; an IPv6 address needs brackets only before a
        /// port.
        private static func parts(of text: String) -> (host: String, prefix: Int?, port: Int?)? {
            var rest = text
            var port: Int?
            if let colon = portColon(in: rest) {
                guard let number = number(rest[rest.index(after: colon)...], in: 1...65_535) else { return nil }
                port = number
                rest = String(rest[..<colon])
            }
            let halves = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let host = halves.first, !host.isEmpty else { return nil }
            guard halves.count == 2 else { return (String(host), nil, port) }
            guard let prefix = number(halves[1], in: 0...128) else { return nil }
            return (String(host), prefix, port)
        }

        /// Returns the colon before a port; the colons of an address without brackets do not count.
        private static func portColon(in text: String) -> String.Index? {
            guard let last = text.lastIndex(of: ":") else { return nil }
            if text.hasPrefix("[") { return text[last...].contains("]") ? nil : last }
            return text.firstIndex(of: ":") == last ? last : nil
        }

        private static func number(_ text: Substring, in range: ClosedRange<Int>) -> Int? {
            guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(text), range.contains(number)
            else { return nil }
            return number
        }
    }
}

/// A block of addresses with a common prefix (RFC 4632 section 3.1, RFC 4291 section 2.3).
struct AddressBlock: Hashable, Sendable {
    private let bytes: [UInt8]
    /// The length of the prefix, in bits.
    private let prefix: Int

    /// Creates a block.
    ///
    /// - Parameters:
    ///   - bytes: One of the addresses, 4 or 16 bytes.
    ///   - prefix: The prefix length, from 0 to 32 or to 128; a larger one results in `nil`.
    init?(_ bytes: [UInt8], prefix: Int) {
        guard (0...bytes.count * 8).contains(prefix) else { return nil }
        let plain = Self.unmapped(bytes)
        let mapping = (bytes.count - plain.count) * 8
        // A block that is larger than the block of all mapped addresses is an IPv6 block.
        guard prefix >= mapping else {
            (self.bytes, self.prefix) = (bytes, prefix)
            return
        }
        (self.bytes, self.prefix) = (plain, prefix - mapping)
    }

    func contains(_ address: [UInt8]) -> Bool {
        let address = Self.unmapped(address)
        guard address.count == bytes.count else { return false }
        let (wholeBytes, bits) = (prefix / 8, prefix % 8)
        guard address.prefix(wholeBytes) == bytes.prefix(wholeBytes) else { return false }
        return bits == 0 || (address[wholeBytes] ^ bytes[wholeBytes]) >> (8 - bits) == 0
    }

    /// Returns the IPv4 address of an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), which leads to the same
    /// host.
    private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        let mapping: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: mapping) ? Array(bytes.dropFirst(12)) : bytes
    }
}
