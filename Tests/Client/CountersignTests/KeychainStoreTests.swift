// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import Keychains
import NIOConcurrencyHelpers
import TestServer
import Testing

/// Sessions that store permanent credentials in a keychain.
@Suite struct KeychainStoreTests {
    @Test(
        "A password is stored after its acceptance, used by the next session, and removed after a rejection"
    )
    func permanentPassword() async throws {
        let right = NIOLockedValueBox("Basic bWFyeTpvbmU=")  // mary:one
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            guard request.head.headerFields[.authorization] == right.withLockedValue({ $0 }) else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"staff\""])
            }
            return .init(.ok, body: "content")
        }
        let url = "http://127.0.0.1:\(server.port)/"
        try await withFolder { folder async throws in
            let keychain = try await Keychain.create(
                at: "\(folder)/keys/keychain.sqlite", passphrase: Secret("passphrase"),
                places: Keychain.Places(deviceSecret: "\(folder)/state/device", rememberedStates: "\(folder)/state"))
            let handlers: ChallengeHandlers = [
                .basic: .closure { challenge in
                    challenge.failureCount > 0
                        ? .performDefault
                        : .use(.password(user: "mary", password: Secret("one"), persistence: .permanent))
                }
            ]
            let status = { (handlers: ChallengeHandlers) async throws in
                var configuration = HTTPSession.Configuration(handlers: handlers)
                configuration.credentialStore = keychain
                let session = HTTPSession(configuration)
                let response = try await session.get(url)
                _ = try await response.body.collect(upTo: 1000)
                await session.close()
                return response.status.code
            }
            #expect(try await status(handlers) == 200)
            #expect(try await keychain.items().count == 1)
            #expect(try await status([:]) == 200)
            right.withLockedValue { $0 = "Basic bWFyeTp0d28=" }
            #expect(try await status([:]) == 401)
            #expect(try await keychain.items().map(\.isRejected) == [true])
            #expect(try await status([:]) == 401)
        }
        await server.stop()
        let sent = log.requests.map { $0.head.headerFields[.authorization] != nil }
        // The first two sessions are challenged, and the last one does not send the rejected credential.
        #expect(sent == [false, true, false, true, false, true, false])
    }
}
