// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A terminal line that shows the bytes, the total, the rate and the remaining time, and appears after one second.
package struct ProgressBar {
    /// The escape sequence that returns the cursor to the beginning of the line and erases the line.
    package static let erasure = "\r\u{1B}[K"

    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastDrawn: ContinuousClock.Instant
    private let total: Int?
    private let width: @Sendable () -> Int?
    private let draw: @Sendable (String) -> Void
    private var hasDrawn = false
    package private(set) var received = 0

    /// Starts the clock.
    ///
    /// - Parameters:
    ///   - total: The total in bytes; `nil` if the server did not send it.
    ///   - width: Returns the columns of the terminal before each update, because a window can change; `nil` for no
    ///     limit.
    ///   - draw: Writes to the terminal.
    package init(
        total: Int?, width: @escaping @Sendable () -> Int? = { nil }, draw: @escaping @Sendable (String) -> Void
    ) {
        self.total = total
        self.width = width
        self.draw = draw
        start = clock.now
        lastDrawn = start
    }

    package mutating func add(_ count: Int) {
        received += count
        let now = clock.now
        guard now - start > .seconds(1), now - lastDrawn > .milliseconds(100) else { return }
        lastDrawn = now
        hasDrawn = true
        draw(Self.erasure + Self.line(received: received, total: total, elapsed: now - start, width: width()))
    }

    /// Erases the bar.
    package mutating func finish() {
        if hasDrawn { draw(Self.erasure) }
        hasDrawn = false
    }

    /// Returns the line, shorter than the terminal's width: a line of the full width would wrap.
    package static func line(received: Int, total: Int?, elapsed: Duration, width: Int? = nil) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(received) / seconds : 0
        let speed = "\(size(Int(rate)))/s"
        let availableWidth = width.map { max($0 - 1, 0) } ?? .max
        guard let total, total > 0 else { return String("\(size(received))  \(speed)".prefix(availableWidth)) }
        let share = min(Double(received) / Double(total), 1)
        let percent = "\(Int(share * 100))%"
        let amount = "\(size(received)) of \(size(total))"
        let time = timeLeft(for: max(total - received, 0), rate: rate)
        let lines = [
            "\(percent) [\(bar(share))] \(amount)  \(speed)  \(time)", "\(percent) \(amount)  \(speed)  \(time)",
            "\(percent) \(time)",
        ]
        return lines.first { $0.count <= availableWidth } ?? String(percent.prefix(availableWidth))
    }

    private static func bar(_ share: Double) -> String {
        let filled = Int(share * 24)
        return String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled)
    }

    private static func timeLeft(for bytes: Int, rate: Double) -> String {
        guard rate > 0 else { return "0:00 left" }
        let seconds = Double(bytes) / rate
        // The server can announce any total, so the remaining time need not fit into an integer.
        guard seconds < 360_000 else { return "over 100 h left" }
        let left = Int(seconds)
        return "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
    }

    /// Returns a size such as `1.5 MB`, in powers of a thousand.
    package static func size(_ bytes: Int) -> String {
        var value = Double(bytes)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1_000 || unit == "GB" {
                let tenths = Int(value * 10)
                return unit == "B" || value >= 100 ? "\(Int(value)) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1_000
        }
        return "\(bytes) B"
    }
}

extension Console {
    /// Returns a bar on standard error.
    package func progressBar(total: Int?) -> ProgressBar {
        ProgressBar(total: total, width: { errorWidth }, draw: writeError)
    }
}
