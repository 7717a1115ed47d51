// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import NIOCore
import POSIX

/// The address on which a lab listens, and the names of its servers there.
package struct LabReach: Hashable, Sendable {
    /// The address that the servers bind to.
    let address: String
    /// The names and addresses in the servers' certificates, in addition to the loopback names.
    package let names: [String]
    /// The host in the servers' URLs; `nil` for `localhost`.
    let host: String?

    /// The loopback interface, which only programs on this computer can reach.
    package static let loopback = LabReach(address: "127.0.0.1", names: [], host: nil)

    /// Creates a reach that includes other computers, except for the proxies, which always listen on loopback.
    ///
    /// The result is `nil` if the argument is a name.
    ///
    /// - Parameter address: An address of this computer, or `0.0.0.0` or `::` for all.
    package init?(_ address: HostName) {
        guard address.description != Self.loopback.address else {
            self = .loopback
            return
        }
        guard let bytes = address.addressBytes else { return nil }
        self.address = address.description
        if bytes.allSatisfy({ $0 == 0 }) {
            names = [Self.localName].compactMap { $0 } + Self.addresses(withIPv6: bytes.count == 16)
            host = nil
        } else if Self.isLoopback(bytes) {
            // All certificates contain ::1.
            names = bytes.count == 4 ? [address.description] : []
            host = address.description
        } else {
            names = [Self.localName].compactMap { $0 } + [address.description]
            host = address.description
        }
    }

    private init(address: String, names: [String], host: String?) {
        (self.address, self.names, self.host) = (address, names, host)
    }

    /// Whether other computers can reach the servers.
    package var isNetwork: Bool {
        (try? HostName(address)).flatMap(\.addressBytes).map { !Self.isLoopback($0) } ?? false
    }

    /// Whether the servers listen on every address, including loopback.
    package var isEverywhere: Bool {
        (try? HostName(address)).flatMap(\.addressBytes)?.allSatisfy { $0 == 0 } ?? false
    }

    /// The host in published URLs, which other computers can reach too.
    var publicHost: String { host ?? names.first { (try? HostName($0))?.isAddress == true } ?? "localhost" }

    private static func isLoopback(_ address: [UInt8]) -> Bool {
        address.count == 4 ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
    }

    /// The name of this computer in multicast DNS (RFC 6762 section 3); `nil` if it is not a valid host name.
    private static var localName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (try? HostName(text.prefix { $0 != "." } + ".local"))?.description
    }

    /// Returns the addresses of the interfaces, except for loopback addresses and those that require a zone identifier.
    private static func addresses(withIPv6: Bool) -> [String] {
        let texts = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        let hosts = texts.compactMap { try? HostName($0) }.filter { host in
            guard let bytes = host.addressBytes, !isLoopback(bytes) else { return false }
            return bytes.count == 4 || withIPv6 && bytes.prefix(2) != [0xFE, 0x80]
        }
        return hosts.sorted { ($0.addressBytes?.count ?? 0) < ($1.addressBytes?.count ?? 0) }.map(\.description)
    }
}
