// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bytes, total, rate and time left, for what takes over a second.
struct ProgressBar {
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastDrawn: ContinuousClock.Instant
    private let total: Int?
    private let draw: @Sendable (String) -> Void
    private var hasDrawn = false
    private(set) var received = 0

    /// Starts the clock; the total is in bytes, `nil` where the server did not say.
    init(total: Int?, draw: @escaping @Sendable (String) -> Void) {
        self.total = total
        self.draw = draw
        start = clock.now
        lastDrawn = start
    }

    mutating func add(_ count: Int) {
        received += count
        let now = clock.now
        guard now - start > .seconds(1), now - lastDrawn > .milliseconds(100) else { return }
        lastDrawn = now
        hasDrawn = true
        draw("\r\u{1B}[K" + Self.line(received: received, total: total, elapsed: now - start))
    }

    /// Takes the bar away.
    mutating func finish() {
        if hasDrawn { draw("\r\u{1B}[K") }
        hasDrawn = false
    }

    static func line(received: Int, total: Int?, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(received) / seconds : 0
        let speed = "\(size(Int(rate)))/s"
        guard let total, total > 0 else { return "\(size(received))  \(speed)" }
        let share = min(Double(received) / Double(total), 1)
        let filled = Int(share * 24)
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 24 - filled)
        let time = timeLeft(for: max(total - received, 0), rate: rate)
        return "\(Int(share * 100))% [\(bar)] \(size(received)) of \(size(total))  \(speed)  \(time)"
    }

    private static func timeLeft(for bytes: Int, rate: Double) -> String {
        guard rate > 0 else { return "0:00 left" }
        let seconds = Double(bytes) / rate
        // The total is whatever the server promised: the time that it takes need not fit into an integer.
        guard seconds < 360_000 else { return "over 100 h left" }
        let left = Int(seconds)
        return "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
    }

    /// Such as `1.5 MB`, by powers of a thousand.
    static func size(_ bytes: Int) -> String {
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
