// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Set retries and deadlines".

import Countersign

func deadlines() -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.connectTimeout = .seconds(5)
    configuration.responseTimeout = .seconds(20)
    configuration.idleTimeout = .seconds(30)
    configuration.totalTimeout = .seconds(120)
    let session = HTTPSession(configuration)
    return session
}

func oneRequest(_ session: HTTPSession) async throws {
    let request = SessionRequest.get("https://shop.example/bolts")
        .timeout(total: .seconds(30), attempt: .seconds(5))
        .connectTimeout(.seconds(2))
        .idleTimeout(.seconds(10))
        .retries(.upTo(3))
    _ = try await session.send(request)
    do {
        _ = try await session.send(request)
    } catch SessionError.limit(.timedOut(let peer, _, after: let duration, setting: .response)) {
        print("\(peer) did not respond within \(duration).")
    }
}

func retries() -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.retries = .upTo(3, totalTime: .seconds(60))
    configuration.retries.statuses.insert(.badGateway)
    let session = HTTPSession(configuration)
    return session
}

func cancelled(_ session: HTTPSession) async throws {
    let task = Task { try await session.get("https://shop.example/bolts").text() }
    task.cancel()
    do {
        print(try await task.value)
    } catch is CancellationError {
        print("cancelled")
    }
}
