// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation
import Logging
import Metrics
import Synchronization

/// A backend of swift-metrics that stores the values of counters in memory.
final class Counters: MetricsFactory {
    let values = Mutex<[String: Int64]>([:])

    final class Counter: CounterHandler {
        let name: String
        let counters: Counters

        init(_ name: String, of counters: Counters) { (self.name, self.counters) = (name, counters) }
        func increment(by amount: Int64) { counters.values.withLock { $0[name, default: 0] += amount } }
        func reset() { counters.values.withLock { $0[name] = 0 } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Counter(([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " "), of: self)
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// Gets pages at once, logs to the standard error, and prints the events of each request and the metrics.
///
/// Usage: Observability ROOT.pem URL...
@main struct Observability {
    static func main() async throws {
        guard CommandLine.arguments.count > 2 else {
            print("Usage: Observability ROOT.pem URL...")
            exit(2)
        }
        let pages = CommandLine.arguments.dropFirst(2).map { (url: $0, identifier: RequestIdentifier()) }
        let counters = Counters()
        let events = Mutex<[RequestIdentifier: [SessionEvent]]>([:])
        let logger = Logger(label: "pages")
        var configuration = HTTPSession.Configuration()
        configuration.trust.anchors = try .only(contentsOf: URL(filePath: CommandLine.arguments[1]))
        configuration.logger = logger
        configuration.logger?.logLevel = .debug
        configuration.metrics = counters
        configuration.observer = { event in events.withLock { $0[event.requestIdentifier, default: []].append(event) } }
        let session = HTTPSession(configuration)
        await withTaskGroup { group in
            for page in pages {
                group.addTask {
                    do {
                        var request = SessionRequest.get(page.url)
                        request.identifier = page.identifier
                        _ = try await session.send(request).expecting(.successful).bytes()
                    } catch {
                        // The session's own lines have the same key.
                        logger.error("\(error)", metadata: ["countersign.request.id": "\(page.identifier)"])
                    }
                }
            }
        }
        await session.close()
        for page in pages {
            print(page.url)
            for event in events.withLock({ $0[page.identifier] ?? [] }) { print("  \(event.attempt) \(event.kind)") }
        }
        for (name, value) in counters.values.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { print(name, value) }
    }
}
