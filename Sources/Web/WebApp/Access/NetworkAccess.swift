// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import EssentialFoundation
package import Identities
import Keychains
import NIOCore
import NIOSSL
package import Secrets
import SwiftASN1
import X509

/// The configuration for browsers on other computers: TLS with the server's own certificate, and a passphrase.
package struct NetworkAccess: Sendable {
    /// The address on which the server listens.
    package let address: String
    /// The names and addresses in the certificate, with which browsers reach the server.
    let hosts: [HostName]
    let passphrase: Secret
    let configuration: TLSConfiguration

    /// Checks the configuration.
    ///
    /// - Parameters:
    ///   - address: An IP address of this computer, or the wildcard address.
    ///   - identity: The server's certificate with its key.
    ///   - passphrase: The passphrase with which a browser signs in.
    ///   - now: The time at which the certificate has to be valid.
    /// - Throws: ``WebError``.
    package init(
        address: String, identity: Identity, passphrase: Secret, now: Date = Date()
    ) throws(WebError) {
        guard (try? SocketAddress(ipAddress: address, port: 0)) != nil else { throw .noAddress(address) }
        guard PasswordWeakness.find(in: passphrase) == nil else { throw .weakPassphrase }
        let certificate = identity.certificate
        guard certificate.notValidBefore <= now, now <= certificate.notValidAfter else { throw .certificateNotValid }
        hosts = Self.hosts(of: certificate)
        guard !hosts.isEmpty else { throw .certificateWithoutName }
        do {
            configuration = try Self.configuration(identity)
        } catch {
            throw .unusableCertificate
        }
        (self.address, self.passphrase) = (address, passphrase)
    }

    /// Returns the hosts of a certificate, without wildcard names, which do not name a single server.
    private static func hosts(of certificate: Certificate) -> [HostName] {
        guard let names = try? certificate.extensions.subjectAlternativeNames else { return [] }
        return names.compactMap { name in
            switch name {
            case .dnsName(let text): text.contains("*") ? nil : try? HostName(text)
            case .ipAddress(let bytes):
                try? HostName(SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes.bytes), port: 0).ipAddress ?? "")
            default: nil
            }
        }
    }

    private static func configuration(_ identity: Identity) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMBytes(try identity.pemEncodedChain)
        let key = try NIOSSLPrivateKey(bytes: try identity.pemEncodedPrivateKey, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        // The time that the server waits on a connection that its client has closed, because Hummingbird allows
        // half-closed connections. It must be shorter than the time in which the server must exit after a signal.
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}

/// The origin of the pages: one port, and the names of the server.
package struct WebOrigin: Sendable, CustomStringConvertible {
    /// The loopback address; `localhost` could lead to an IPv6 port of another program.
    static let loopback = "127.0.0.1"

    package let port: Int
    private let isSecure: Bool
    /// The hosts, of which the first one is printed.
    private let hosts: [HostName]

    /// Creates an origin for plain HTTP on loopback.
    init(loopbackPort port: Int) throws(HostNameError) {
        (self.port, isSecure, hosts) = (port, false, [try HostName(Self.loopback)])
    }

    /// Creates an origin for HTTPS with the names of a certificate, at least one.
    init(securePort port: Int, hosts: [HostName]) { (self.port, isSecure, self.hosts) = (port, true, hosts) }

    package var authority: String { hosts.first.map(authority) ?? "" }

    package var description: String { scheme + authority }

    /// The name of the session cookie, which contains the port because all ports of a host share cookies.
    ///
    /// A browser sends a cookie with the prefix `__Host-` only to the host that set it, and only over TLS (RFC 6265bis
    /// section 4.1.3.2).
    package var cookieName: String { (isSecure ? "__Host-" : "") + "countersign-\(port)" }

    /// Returns the value of the Set-Cookie field.
    func cookie(_ value: String) -> String {
        "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Returns whether the Host field of a request names this server.
    func isNamed(by authority: String?) -> Bool { hosts.contains { self.authority($0) == authority?.lowercased() } }

    /// Returns the Origin field of this server's own pages for a request to one of its names.
    func origin(at authority: String?) -> String { scheme + (authority?.lowercased() ?? "") }

    private var scheme: String { isSecure ? "https://" : "http://" }

    private func authority(_ host: HostName) -> String {
        let text = host.description.contains(":") ? "[\(host)]" : host.description
        return isSecure && port == 443 ? text : "\(text):\(port)"
    }
}
