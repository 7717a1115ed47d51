// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Prints the server-sent events of a stream, and continues after the last one when the stream ends.
///
/// Usage: FollowEvents URL [ROOT.pem]
@main struct FollowEvents {
    static func main() async {
        let arguments = CommandLine.arguments
        guard (2...3).contains(arguments.count) else {
            print("Usage: FollowEvents URL [ROOT.pem]")
            exit(2)
        }
        do {
            var configuration = HTTPSession.Configuration()
            if arguments.count == 3 {
                configuration.trust = TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[2])))
            }
            configuration.retries = .upTo(3)
            let session = HTTPSession(configuration)
            var (lastEventID, delay): (String?, Duration) = (nil, .seconds(3))
            while true {
                let response = try await session.send(.get(arguments[1]).eventStream(after: lastEventID))
                // The server has no more events.
                if response.status == .noContent { break }
                var events = try await response.expecting(.ok).expecting(type: "text/event-stream")
                    .body.events.makeAsyncIterator()
                do {
                    while let event = try await events.next() {
                        print("\(event.type): \(event.data)")
                        fflush(nil)  // A pipe receives each event at once.
                    }
                } catch SessionError.body(.truncated), SessionError.connection, SessionError.limit(.timedOut) {
                    print("The stream was interrupted.")
                }
                lastEventID = events.lastEventID ?? lastEventID
                delay = min(events.reconnectionTime ?? delay, .seconds(60))
                try await Task.sleep(for: delay)
            }
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}
