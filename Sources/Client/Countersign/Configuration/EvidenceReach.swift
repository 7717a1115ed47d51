// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOCore

/// The addresses from which evidence for one server may be fetched.
///
/// A certificate names the places, and no check has been passed when an issuer is fetched: its maker could have this program
/// send requests to any machine in its own network. Places in the local network are for servers of that network.
enum EvidenceReach: Hashable, Sendable {
    /// Global addresses, and those of the class that the server itself has.
    case beside(AddressClass)
    /// Every address, as `TrustPolicy.LocalEvidence.allowed` says.
    case everywhere

    /// - Parameters:
    ///   - policy: That of the server.
    ///   - address: The address that the server is connected to; `nil` where a proxy stands between.
    ///   - host: The server's name, which tells where it is if the address does not.
    init(under policy: TrustPolicy, address: SocketAddress?, host: HostName) {
        guard policy.localEvidence == .besideServer else {
            self = .everywhere
            return
        }
        self = .beside(address.map { Self.place(of: $0) } ?? host.addressClass ?? .global)
    }

    func includes(_ address: SocketAddress) -> Bool { includes(Self.place(of: address)) }

    /// Whether a host may be asked, as far as its name tells; a name that has to be resolved is judged by its address.
    func includes(_ host: HostName) -> Bool { host.addressClass.map { includes($0) } ?? true }

    private func includes(_ place: AddressClass) -> Bool {
        switch self {
        case .everywhere: true
        case .beside(let own): place == .global || place == own && place != .unusable
        }
    }

    /// The class of an address; a socket of the file system is on this machine.
    static func place(of address: SocketAddress) -> AddressClass {
        if case .unixDomainSocket = address { return .loopback }
        let bytes = address.ipAddress.flatMap { try? HostName($0).addressBytes }
        return bytes.map { AddressClass($0) } ?? .unusable
    }
}

extension HostName {
    /// The class of a literal address, and of `localhost` (RFC 6761 section 6.3); `nil` for every other name.
    fileprivate var addressClass: AddressClass? {
        if let bytes = addressBytes { return AddressClass(bytes) }
        return description == "localhost" || description.hasSuffix(".localhost") ? .loopback : nil
    }
}
