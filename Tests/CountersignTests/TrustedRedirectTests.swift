// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// What follows a redirect to another origin, and what only where that was said (curl's tests 998 and 1088).
@Suite struct TrustedRedirectTests {
    enum Bearing: Sendable {
        case url, credential, unasked, field
    }

    @Test(arguments: [
        (bearing: Bearing.url, isTrusted: true, sent: [nil as String?]),  // 998
        (bearing: .url, isTrusted: false, sent: [nil]),
        (bearing: .credential, isTrusted: true, sent: ["own:ownown"]),  // 1088
        (bearing: .credential, isTrusted: false, sent: [nil]),
        (bearing: .unasked, isTrusted: true, sent: ["own:ownown"]),
        (bearing: .unasked, isTrusted: false, sent: [nil]),
        (bearing: .field, isTrusted: true, sent: ["own:ownown"]),
        (bearing: .field, isTrusted: false, sent: [nil]),
    ])
    func onlyWhatIsExplicitFollowsAndOnlyWhereThatIsTrusted(bearing: Bearing, isTrusted: Bool, sent: [String?])
        async throws
    {
        let second = try await BasicServer.start()
        let cookies = NIOLockedValueBox<[String?]>([])
        let destination = second.url("/second/")
        let first = try await ScriptedServer.start { request in
            cookies.withLockedValue { $0.append(request.head.headerFields[.cookie]) }
            guard request.head.headerFields[.authorization] != nil else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
            }
            return .init(.found, [.location: destination])
        }
        let login = bearing == .url ? "own:ownown@" : ""
        var request = Request(url: "http://\(login)localhost:\(first.port)/", headerFields: [.cookie: "s=1"])
        if bearing == .field { request.headerFields[.authorization] = "Basic b3duOm93bm93bg==" }
        if bearing == .credential || bearing == .unasked { request.credential = BasicServer.credential("own") }
        if bearing == .unasked { request.unasked = .basic }
        request.sendsCredentialsAcrossRedirects = isTrusted
        let sentRequest = request
        await withServers([second], Session.Configuration()) { session async throws in
            _ = try await session.send(sentRequest)
            #expect(second.logins == sent)
            #expect(cookies.withLockedValue { $0.allSatisfy { $0 == "s=1" } })
        }
        await first.stop()
    }

    @Test func whatLeftItsOriginDoesNotComeBack() async throws {
        let back = NIOLockedValueBox("")
        let second = try await ScriptedServer.start { _ in .init(.found, [.location: back.withLockedValue { $0 }]) }
        let logins = NIOLockedValueBox<[Bool]>([])
        let first = try await ScriptedServer.start { request in
            let hasLogin = request.head.headerFields[.authorization] != nil
            logins.withLockedValue { $0.append(hasLogin) }
            if request.head.path == "/back" { return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) }
            return hasLogin
                ? .init(.found, [.location: "http://localhost:\(second.port)/"])
                : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        back.withLockedValue { $0 = "http://localhost:\(first.port)/back" }
        await withServers([], Session.Configuration()) { session async throws in
            var request = Request(url: "http://localhost:\(first.port)/")
            request.credential = BasicServer.credential("own")
            #expect(try await session.send(request).status == .unauthorized)
            #expect(logins.withLockedValue { $0 } == [false, true, false])
        }
        await first.stop()
        await second.stop()
    }
}
