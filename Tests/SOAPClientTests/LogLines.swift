// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Logging
import NIOConcurrencyHelpers

/// Keeps every line that is logged, whatever its level.
struct LogLines: LogHandler {
    private let lines = NIOLockedValueBox<[String]>([])
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    var all: [String] { lines.withLockedValue { $0 } }

    var logger: Logger { Logger(label: "test") { _ in self } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLockedValue { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
