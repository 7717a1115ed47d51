// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Metrics
import NIOConcurrencyHelpers

/// A metrics factory that records values by name and dimensions.
final class MetricsRecord: MetricsFactory {
    private struct State {
        var sums: [String: Int] = [:]
        var made: [String] = []
    }

    private let state = NIOLockedValueBox(State())

    /// The sums of the counters and the number of measurements of the timers.
    var sums: [String: Int] { state.withLockedValue { $0.sums } }
    /// The name of each series, once for each time that it was created.
    var made: [String] { state.withLockedValue { $0.made } }

    private final class Series: CounterHandler, MeterHandler, TimerHandler, RecorderHandler {
        let record: MetricsRecord
        let name: String

        init(_ record: MetricsRecord, _ name: String) {
            (self.record, self.name) = (record, name)
        }

        func increment(by amount: Int64) { record.add(Int(amount), to: name) }
        func increment(by amount: Double) { record.add(Int(amount), to: name) }
        func decrement(by amount: Double) { record.add(-Int(amount), to: name) }
        func recordNanoseconds(_ duration: Int64) { record.add(1, to: name) }
        func record(_ value: Int64) {}
        func record(_ value: Double) {}
        func set(_ value: Int64) {}
        func set(_ value: Double) {}
        func reset() {}
    }

    private func add(_ amount: Int, to name: String) {
        state.withLockedValue { $0.sums[name, default: 0] += amount }
    }

    private func series(_ label: String, _ dimensions: [(String, String)]) -> Series {
        let name = ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
        state.withLockedValue { $0.made.append(name) }
        return Series(self, name)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { series(label, dimensions) }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { series(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { series(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions)
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
