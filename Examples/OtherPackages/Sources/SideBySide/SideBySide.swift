// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import ACMEServers
import AsyncHTTPClient
import CertificateAuthorities
import CertificateTrust
import CertificateTrustNIOSSL
import ChallengeLab
import ChallengeLabTesting
import Challenges
import Configuration
import Countersign
import CountersignURLProtocol
import Crypto
import ErrorExplanations
import FlyingFox
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Identities
import JWTKit
import KeychainAgents
import Keychains
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Negotiate
import PasswordComposer
import PolicyFiles
import SOAPClients
import ServerConnections
import ServiceLifecycle
import Tracing
import WSSecurity
import X509
import XMLDocuments
import XMLEncryption
import XMLSignature
import XMLValues

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server that forwards requests with a session, and three clients of it, in one file with the imports of all packages.
@main struct SideBySide {
    static func main() async throws {
        let session = HTTPSession(
            try await HTTPSession.Configuration(reading: ConfigReader(provider: EnvironmentVariablesProvider())))
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router(forwardingWith: session), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
        let group = ServiceGroup(services: [session, application], logger: Logger(label: "side-by-side"))
        async let running: Void = group.run()
        for await port in ports {
            try await get("http://127.0.0.1:\(port)/forwarded/127.0.0.1:\(port)/hello", with: session)
            break
        }
        await group.triggerGracefulShutdown()
        try await running
    }

    /// Returns the routes of a server: a page, and a proxy.
    private static func router(forwardingWith session: HTTPSession) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("hello") { _, _ in "Hello" }
        router.get("forwarded/:host/:page") { request, context -> Response in
            let url = try "http://\(context.parameters.require("host"))/\(context.parameters.require("page"))"
            let forwarded = SessionRequest.get(url).header(.userAgent, request.headers[.userAgent])
            let response: SessionResponse = try await session.send(forwarded)
            Counter(label: "forwarded").increment()
            return try await Response(
                status: response.status, body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.bytes())))
        }
        return router
    }

    /// Gets a page with a session, AsyncHTTPClient and URLSession.
    private static func get(_ url: String, with session: HTTPSession) async throws {
        print("HTTPSession:", try await session.get(url).text())
        let response: HTTPClientResponse = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: url), timeout: .seconds(9))
        print("HTTPClient:", String(buffer: try await response.body.collect(upTo: 1024)))
        guard let url = URL(string: url) else { return }
        print("URLSession:", String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self))
    }
}
