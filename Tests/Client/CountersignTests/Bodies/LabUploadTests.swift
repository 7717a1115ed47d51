// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import HTTPTypes
import NIOCore
import Secrets
import Testing

@testable import Countersign

@Suite("The lab accepts large bodies") struct LabUploadTests {
    private static let mebibyte = ByteBuffer(repeating: 0x2E, count: 1 << 20)

    private static func body(mebibytes: Int) -> SessionRequestBody {
        .stream(length: mebibytes << 20) {
            AsyncStream { stream in
                for _ in 0..<mebibytes { stream.yield(mebibyte) }
                stream.finish()
            }
        }
    }

    private static func put(
        _ url: String, mebibytes: Int, _ session: HTTPSession
    ) async throws -> (status: Int, text: String) {
        var request = SessionRequest(url: url, method: .put)
        request.body = body(mebibytes: mebibytes)
        let response = try await session.send(request)
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return (response.status.code, text)
    }

    @Test("A resource without a gate accepts 64 MiB", arguments: [LabServer.Kind.plainHTTP, .goodHTTPS])
    func large(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let session = lab.session()
            let answer = try await Self.put(lab.url(kind, "/echo"), mebibytes: 64, session)
            #expect(answer.status == 200)
            #expect(answer.text.hasSuffix("\n\(64 << 20) bytes\n"))
            await session.close()
        }
    }

    @Test(
        "Every resource accepts 8 MiB",
        arguments: [
            ("/", 200), ("/image.png", 200), ("/bytes/10", 200), ("/chunked/10", 200), ("/status/204", 204),
            ("/status/404", 404), ("/nothing", 404), ("/ca.pem", 200),
        ]) func resources(path: String, status: Int) async throws
    {
        try await withLab { lab async throws in
            let session = lab.session()
            #expect(try await Self.put(lab.url(.plainHTTP, path), mebibytes: 8, session).status == status)
            await session.close()
        }
    }

    @Test(
        "Every gate accepts 8 MiB",
        arguments: [
            LabServer.Kind.basic, .digestMD5, .digestSHA256, .digestSHA512Half, .digestNextNonce, .scramSHA256, .bearer,
            .ntlm,
        ]) func gates(kind: LabServer.Kind) async throws
    {
        try await withLab { lab async throws in
            let session = lab.session()
            let answer = try await Self.put(lab.url(kind, "/echo"), mebibytes: 8, session)
            #expect(answer.status == 200)
            #expect(answer.text.hasSuffix("\n\(8 << 20) bytes\n"))
            await session.close()
        }
    }

    @Test("Digest with auth-int hashes a body of 8 MiB incrementally") func bodyDigest() async throws {
        try await withLab { lab async throws in
            let session = lab.session()
            var request = SessionRequest(url: lab.url(.digestAuthInt, "/echo"), method: .put)
            request.body = .bytes([UInt8](repeating: 0x2E, count: 8 << 20))
            let response = try await session.send(request)
            #expect(response.status == .ok)
            #expect(String(buffer: try await response.body.collect(upTo: 1 << 20)).hasSuffix("\n\(8 << 20) bytes\n"))
            await session.close()
        }
    }

    @Test(
        "Every proxy forwards 8 MiB",
        arguments: [
            LabServer.Kind.proxyOpen, .proxyBasic, .proxyDigest, .proxyNTLM, .proxySOCKS, .proxySOCKSPassword,
        ]) func proxies(kind: LabServer.Kind) async throws
    {
        try await withLab { lab async throws in
            for origin in [LabServer.Kind.plainHTTP, .goodHTTPS] {
                let session = lab.session(through: lab[kind].url)
                let answer = try await Self.put(lab.url(origin, "/echo"), mebibytes: 8, session)
                #expect(answer.status == 200, "\(origin)")
                #expect(answer.text.hasSuffix("\n\(8 << 20) bytes\n"))
                await session.close()
            }
        }
    }
}

extension Lab {
    fileprivate func url(_ kind: LabServer.Kind, _ path: String) -> String {
        "\(self[kind].url.hasPrefix("https") ? "https" : "http")://localhost:\(self[kind].port)\(path)"
    }

    /// Returns a session with the lab's authority, password and token.
    fileprivate func session(through proxy: String? = nil) -> HTTPSession {
        let password: any ChallengeHandler = .closure { challenge in
            challenge.failureCount == 0
                ? .use(.password(user: Lab.credentials.user, password: Secret(Lab.credentials.password)))
                : .performDefault
        }
        let token: any ChallengeHandler = .closure { _ in .use(.token(Secret(Lab.token))) }
        var configuration = HTTPSession.Configuration(
            trust: .init(anchors: .only([authority])),
            handlers: [
                .basic: password, .digest: password, .scramSHA256: password, .ntlm: password, .socksPassword: password,
                .bearer: token,
            ],
            proxy: proxy.flatMap { try? Proxy($0) })
        configuration.allowsNTLMOverPlainHTTP = true
        return HTTPSession(configuration)
    }
}
