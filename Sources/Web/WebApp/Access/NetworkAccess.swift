// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import EssentialFoundation
package import Identities
import Keychain
import NIOCore
import NIOSSL
package import Secrets
import SwiftASN1
import X509

/// How browsers of other computers come in: by TLS with the server's own certificate, and with a passphrase.
package struct NetworkAccess: Sendable {
    /// The address that the server listens at.
    package let address: String
    /// The names and addresses of the certificate, by which browsers name the server.
    let hosts: [HostName]
    let passphrase: Secret
    let configuration: TLSConfiguration

    /// Checks what is needed.
    ///
    /// - Parameters:
    ///   - address: An IP address of this computer, or that of all its interfaces.
    ///   - identity: The server's certificate with its key.
    ///   - passphrase: What lets a browser in.
    ///   - now: The instant at which the certificate has to be valid.
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

    /// Names with a wildcard are left out, because they name no single server.
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
        // A connection whose client has closed it is waited for so long, because Hummingbird lets connections be half closed. It has to
        // be shorter than what a signal leaves.
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}

/// Where the pages are: one port, by the names that the server has.
package struct WebOrigin: Sendable, CustomStringConvertible {
    /// Not `localhost`: that name may lead to a port of IPv6 that belongs to another program.
    static let loopback = "127.0.0.1"

    package let port: Int
    private let isSecure: Bool
    /// The first one is printed.
    private let hosts: [HostName]

    /// Plain HTTP on loopback.
    init(loopbackPort port: Int) throws(HostNameError) {
        (self.port, isSecure, hosts) = (port, false, [try HostName(Self.loopback)])
    }

    /// HTTPS by the names of a certificate, of which there is one at least.
    init(securePort port: Int, hosts: [HostName]) { (self.port, isSecure, self.hosts) = (port, true, hosts) }

    package var authority: String { hosts.first.map(authority) ?? "" }

    package var description: String { scheme + authority }

    /// Cookies are shared by all ports of a host, so that the name holds the port.
    ///
    /// A browser sends a cookie with the prefix only to the host that set it, by TLS (RFC 6265bis section 4.1.3.2).
    package var cookieName: String { (isSecure ? "__Host-" : "") + "countersign-\(port)" }

    /// The field that sets the cookie.
    func cookie(_ value: String) -> String {
        "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Whether the Host field of a request names this server.
    func isNamed(by authority: String?) -> Bool { hosts.contains { self.authority($0) == authority?.lowercased() } }

    /// The Origin field of this server's own pages, to which a request is sent by one of its names.
    func origin(at authority: String?) -> String { scheme + (authority?.lowercased() ?? "") }

    private var scheme: String { isSecure ? "https://" : "http://" }

    private func authority(_ host: HostName) -> String {
        let text = host.description.contains(":") ? "[\(host)]" : host.description
        return isSecure && port == 443 ? text : "\(text):\(port)"
    }
}
