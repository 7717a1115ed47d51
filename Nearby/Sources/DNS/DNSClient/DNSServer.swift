// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The address and port of a name server.
public struct DNSServer: Hashable, Sendable {
    /// The address.
    public let address: IPAddress
    /// The port, 53 by default.
    public let port: UInt16

    /// Creates a server from its address and port.
    public init(_ address: IPAddress, port: UInt16 = 53) { (self.address, self.port) = (address, port) }

    /// Reads a server: `192.0.2.1`, `192.0.2.1:5300`, `2001:db8::1` or `[2001:db8::1]:5300`; `nil` for any other text.
    ///
    /// - Parameter text: The address, and the port from 1 to 65,535 if it is not 53.
    public init?(_ text: String) {
        if let address = IPAddress(text) {
            self.init(address)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard let address = IPAddress(String(host)), address.isIPv4 != isBracketed else { return nil }
        self.init(address, port: port)
    }

    /// Returns the servers listed in the text of a `resolv.conf` file, in order.
    ///
    /// Addresses with a zone index are ignored.
    ///
    /// - Parameter text: The contents of the file.
    /// - Returns: The servers, with port 53; empty if there are none.
    public static func servers(ofResolverConfiguration text: String) -> [DNSServer] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, words[0] == "nameserver" else { return nil }
            return IPAddress(String(words[1])).map { DNSServer($0) }
        }
    }
}

extension DNSServer: CustomStringConvertible {
    /// The address, and the port if that is not 53.
    public var description: String {
        port == 53 ? address.description : address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
