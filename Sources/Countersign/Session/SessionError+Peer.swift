// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges

extension SessionError {
    /// The other end of the connection that failed: the origin, or the proxy that the request goes through.
    public struct Peer: Hashable, Sendable, CustomStringConvertible {
        /// Where the peer listens.
        public let endpoint: Endpoint
        /// Whether the peer is an origin or a proxy.
        public let role: ProtectionSpace.Role

        /// A peer by its parts.
        public init(_ endpoint: Endpoint, role: ProtectionSpace.Role) {
            self.endpoint = endpoint
            self.role = role
        }

        /// A name or an address.
        public var host: HostName { endpoint.host }
        /// 1 to 65,535.
        public var port: Int { endpoint.port }

        /// `host:port` of an origin, and `the proxy host:port` of a proxy.
        public var description: String { role == .proxy ? "the proxy \(endpoint)" : endpoint.description }
    }
}

extension SessionError.Peer {
    static func origin(_ endpoint: Endpoint) -> Self { Self(endpoint, role: .origin) }

    static func proxy(_ endpoint: Endpoint) -> Self { Self(endpoint, role: .proxy) }
}
