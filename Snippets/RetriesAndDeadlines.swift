// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Set retries and deadlines".

import Countersign

func deadlines() -> Session {
    var configuration = Session.Configuration()
    configuration.connectTimeout = .seconds(5)
    configuration.responseTimeout = .seconds(20)
    configuration.idleTimeout = .seconds(30)
    configuration.totalTimeout = .seconds(120)
    let session = Session(configuration)
    return session
}

func oneDeadline(_ session: Session) async throws {
    _ = try await session.send(.get("https://shop.example/bolts").timeout(.seconds(10)))
}

func retries() -> Session {
    var configuration = Session.Configuration()
    configuration.retries = .upTo(3, totalTime: .seconds(60))
    configuration.retries.statuses.insert(.badGateway)
    let session = Session(configuration)
    return session
}

func cancelled(_ session: Session) async throws {
    let task = Task { try await session.get("https://shop.example/bolts").text() }
    task.cancel()
    do {
        print(try await task.value)
    } catch is CancellationError {
        print("cancelled")
    }
}
