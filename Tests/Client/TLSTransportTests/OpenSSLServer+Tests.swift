// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Identities
import NIOCore
import Secrets
import SwiftASN1
import TLSRecipes
import TLSServer
import TLSTransport
import X509

extension OpenSSLServer {
    /// Starts a server with the usual identity.
    convenience init(_ arguments: [String]) async throws {
        let identity = TLSServerContext.identity
        let keys = GeneratedKey(
            key: try identity.privateKey.serializeAsPEM().pemString,
            certificate: try identity.certificate.serializeAsPEM().pemString)
        try await self.init(arguments, keys: keys)
    }

    func connect(
        _ settings: TLSClientSettings, sending text: String = "", identity: TLSIdentity? = nil,
        refusal: TLSAlert? = nil
    ) async throws -> SocketClient {
        try await SocketClient(
            to: SocketAddress(ipAddress: "127.0.0.1", port: port), sending: ByteBuffer(string: text),
            identity: identity, refusal: refusal, settings: settings)
    }
}

extension GeneratedKey {
    func identity() throws -> TLSIdentity {
        let certificate = try OpenSSLServer.run(["x509", "-outform", "DER"], input: Data(certificate.utf8))
        let key = try OpenSSLServer.run(["pkey", "-outform", "DER"], input: Data(key.utf8))
        return TLSIdentity(chain: [Array(certificate)], key: Secret(utf8: Array(key)))
    }
}
