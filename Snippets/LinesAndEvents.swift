// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Lines and events".

import Countersign

struct Measurement: Codable, Sendable {
    var sensor: String
    var temperature: Double
}

func lines(_ session: HTTPSession) async throws {
    let response = try await session.get("https://log.example/today").expecting(.successful)
    for try await line in response.body.lines where line.contains("error") {
        print(line)
    }
}

func values(_ session: HTTPSession) async throws {
    let response = try await session.get("https://sensors.example/measurements").expecting(.successful)
    for try await measurement in response.body.jsonLines(as: Measurement.self) {
        print(measurement.sensor, measurement.temperature)
    }
}

func events(_ session: HTTPSession) async throws {
    let response = try await session.send(.get("https://sensors.example/events").eventStream())
        .expecting(.ok).expecting(type: "text/event-stream")
    for try await event in response.body.events where event.type == "alarm" {
        print(event.data)
    }
}

/// Passes the events of a stream to a closure, and continues after the last one when the stream ends.
func follow(_ url: String, with session: HTTPSession, _ handle: (SessionResponseBody.Event) async throws -> Void)
    async throws
{
    var (lastEventID, delay): (String?, Duration) = (nil, .seconds(3))
    while true {
        let request = SessionRequest.get(url).eventStream(after: lastEventID)
        let response = try await session.send(request).expecting(.ok).expecting(type: "text/event-stream")
        var events = response.body.events.makeAsyncIterator()
        do {
            while let event = try await events.next() { try await handle(event) }
        } catch SessionError.body(.truncated), SessionError.connection, SessionError.limit(.timedOut) {
            print("The stream was interrupted.")
        }
        lastEventID = events.lastEventID ?? lastEventID
        delay = min(events.reconnectionTime ?? delay, .seconds(60))
        try await Task.sleep(for: delay)
    }
}

func quietStream(_ session: HTTPSession, url: String) async throws {
    _ = try await session.send(.get(url).eventStream().idleTimeout(.seconds(300)))
}
