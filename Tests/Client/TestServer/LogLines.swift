// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Logging
import NIOConcurrencyHelpers

/// A log handler that records every line, whatever its level.
package struct LogLines: LogHandler {
    private let lines = NIOLockedValueBox<[String]>([])
    package var logLevel = Logger.Level.trace
    package var metadata: Logger.Metadata = [:]

    package init() {}

    package var all: [String] { lines.withLockedValue { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in self } }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        lines.withLockedValue { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
