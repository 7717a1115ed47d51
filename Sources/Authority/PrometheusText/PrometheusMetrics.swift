// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CoreMetrics
internal import NIOConcurrencyHelpers

/// A swift-metrics backend that exports its metrics in the Prometheus text format 0.0.4.
package final class PrometheusMetrics: MetricsFactory {
    /// The series of each metric, by metric name and labels.
    private let metrics = NIOLockedValueBox<[String: [String: any Series]]>([:])

    package init() {}

    /// All series in the Prometheus text format, grouped by metric and sorted by name.
    package var text: String {
        let metrics = metrics.withLockedValue { $0 }.sorted { $0.key < $1.key }
        return metrics.map { name, series in
            let series = series.sorted { $0.key < $1.key }
            let lines = series.map { $1.lines(named: name, labels: $0) }
            return "# TYPE \(name) \(series[0].value.kind)\n" + lines.joined()
        }.joined()
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        make(SeriesName(label, dimensions, suffix: "_total"), Counter.init)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let name = SeriesName(label, dimensions)
        return aggregate ? make(name) { Histogram(bounds: Histogram.numbers) } : make(name, Gauge.init)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        make(SeriesName(label, dimensions), Gauge.init)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        make(SeriesName(label, dimensions, suffix: "_seconds")) { Histogram(bounds: Histogram.seconds) }
    }

    // A series outlives its handler, because Prometheus expects that counters are never reset.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the series with a name.
    ///
    /// If the metric has series of another kind, the new series is not exported.
    private func make<Kind: Series>(_ name: SeriesName, _ make: () -> Kind) -> Kind {
        metrics.withLockedValue { metrics in
            if let known = metrics[name.metric]?[name.labels] as? Kind { return known }
            let new = make()
            if metrics[name.metric]?.first.map({ $0.value is Kind }) ?? true {
                metrics[name.metric, default: [:]][name.labels] = new
            }
            return new
        }
    }
}

/// The name of a metric, and the labels of one of its series.
private struct SeriesName {
    let metric: String
    /// The labels as written between the braces; empty if there are none.
    let labels: String

    init(_ label: String, _ dimensions: [(String, String)], suffix: String = "") {
        let name = Self.name(label)
        metric = name.hasSuffix(suffix) ? name : name + suffix
        labels = dimensions.map { "\(Self.name($0))=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    }

    /// Converts a text to a metric name of letters, digits and underscores that does not begin with a digit.
    private static func name(_ text: String) -> String {
        let plain = text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return (plain.first?.isNumber ?? true ? "_" : "") + String(plain)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

private protocol Series: AnyObject, Sendable {
    var kind: String { get }
    func lines(named name: String, labels: String) -> String
}

extension Series {
    fileprivate func line(_ name: String, _ labels: String, _ value: some CustomStringConvertible) -> String {
        "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
}

private final class Counter: Series, CounterHandler {
    private let value = NIOLockedValueBox<Int64>(0)
    let kind = "counter"

    func increment(by amount: Int64) { value.withLockedValue { $0 &+= amount } }
    func reset() { value.withLockedValue { $0 = 0 } }

    func lines(named name: String, labels: String) -> String { line(name, labels, value.withLockedValue { $0 }) }
}

private final class Gauge: Series, MeterHandler, RecorderHandler {
    private let value = NIOLockedValueBox<Double>(0)
    let kind = "gauge"

    func set(_ new: Int64) { set(Double(new)) }
    func set(_ new: Double) { value.withLockedValue { $0 = new } }
    func increment(by amount: Double) { value.withLockedValue { $0 += amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func record(_ new: Int64) { set(new) }
    func record(_ new: Double) { set(new) }

    func lines(named name: String, labels: String) -> String { line(name, labels, value.withLockedValue { $0 }) }
}

private final class Histogram: Series, TimerHandler, RecorderHandler {
    private struct State {
        var counts: [Int]
        var sum = 0.0
    }

    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let numbers = [1.0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

    private let bounds: [Double]
    private let state: NIOLockedValueBox<State>
    let kind = "histogram"

    init(bounds: [Double]) {
        self.bounds = bounds
        state = NIOLockedValueBox(State(counts: [Int](repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLockedValue {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    /// Returns the lines of the histogram; the count of each bucket includes all smaller buckets.
    func lines(named name: String, labels: String) -> String {
        let state = state.withLockedValue { $0 }
        var total = 0
        var text = ""
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], state.counts) {
            total += count
            text += line(name + "_bucket", labels + (labels.isEmpty ? "" : ",") + "le=\"\(bound)\"", total)
        }
        return text + line(name + "_sum", labels, state.sum) + line(name + "_count", labels, total)
    }
}
