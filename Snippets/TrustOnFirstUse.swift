// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Trust servers on first use".

import Countersign
import Foundation

func firstUse(folder: URL) throws -> HTTPSession {
    var configuration = HTTPSession.Configuration(trust: TrustPolicy(validation: .firstUse))
    configuration.serverMemory = try FileServerMemory(folder: folder)
    let session = HTTPSession(configuration)
    return session
}

func withConsent(_ configuration: inout HTTPSession.Configuration, folder: URL) throws {
    configuration.serverMemory = try FileServerMemory(folder: folder).confirming { server, endpoint, verdict in
        print(verdict.explanation)
        print("Trust \(endpoint) with the key \(server.key)? (yes or no)")
        return readLine() == "yes"
    }
}

func changed(_ session: HTTPSession, _ memory: FileServerMemory, _ url: String) async throws {
    do {
        _ = try await session.get(url)
    } catch SessionError.trust(.notTrusted(let peer, _, let verdict)) {
        guard case .changed(let remembered, let presented)? = verdict.failure else { return }
        print("\(peer.endpoint) had the key \(remembered.key), and now has \(presented).")
        guard readLine() == "forget" else { return }
        try await memory.forget(peer.endpoint)
    }
}
