// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Countersign
import Secrets

extension HTTPClient {
    /// The credential that is sent to a proxy before a challenge.
    public struct Authorization: Hashable, Sendable {
        let credential: Credential
        let method: AuthenticationMethod

        /// Makes a credential of a user and a password (Basic, RFC 7617).
        public static func basic(username: String, password: String) -> Self {
            Self(credential: .password(user: username, password: Secret(password)), method: .basic)
        }

        /// Makes a credential of a bearer token (RFC 6750).
        public static func bearer(tokens: String) -> Self {
            Self(credential: .token(Secret(tokens)), method: .bearer)
        }
    }
}

extension HTTPClient.Configuration {
    /// An HTTP proxy, reached without TLS.
    public struct Proxy: Hashable, Sendable {
        /// The host of the proxy: a name or an address.
        public var host: String
        /// The port, from 1 to 65,535.
        public var port: Int
        /// The credential that is sent to the proxy before a challenge; `nil` for none.
        public var authorization: HTTPClient.Authorization?

        /// Makes a proxy of HTTP.
        ///
        /// - Parameters:
        ///   - host: The host of the proxy: a name or an address. A malformed one makes every request fail with `HostNameError`.
        ///   - port: The port, from 1 to 65,535.
        ///   - authorization: The credential that is sent to the proxy before a challenge; `nil` for none.
        /// - Returns: The proxy.
        public static func server(
            host: String, port: Int, authorization: HTTPClient.Authorization? = nil
        ) -> Self {
            Self(host: host, port: port, authorization: authorization)
        }
    }
}

extension Countersign.Proxy {
    /// - Throws: `HostNameError`.
    init(_ proxy: HTTPClient.Configuration.Proxy) throws {
        self.init(endpoint: Endpoint(host: try HostName(proxy.host), port: proxy.port))
        credential = proxy.authorization?.credential
        unasked = proxy.authorization?.method
    }
}
