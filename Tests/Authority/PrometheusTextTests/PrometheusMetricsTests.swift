// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Metrics
import PrometheusText
import Testing

@Suite struct PrometheusMetricsTests {
    let metrics = PrometheusMetrics()

    @Test("Each kind of metric is written in Prometheus's format") func kinds() {
        Counter(label: "http.requests", dimensions: [("method", "GET")], factory: metrics).increment(by: 2)
        Counter(label: "http.requests", dimensions: [("method", "GET")], factory: metrics).increment()
        Counter(label: "http.requests", dimensions: [("method", "POST")], factory: metrics).increment()
        Meter(label: "active", factory: metrics).set(7)
        Timer(label: "duration", factory: metrics).recordNanoseconds(3_000_000)
        Timer(label: "duration", factory: metrics).recordNanoseconds(20_000_000_000)
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["# TYPE active gauge", "active 7.0"])
        #expect(lines[2] == "# TYPE duration_seconds histogram")
        #expect(lines.contains("duration_seconds_bucket{le=\"0.0025\"} 0"))
        #expect(lines.contains("duration_seconds_bucket{le=\"0.005\"} 1"))
        #expect(lines.contains("duration_seconds_bucket{le=\"10.0\"} 1"))
        #expect(lines.contains("duration_seconds_bucket{le=\"+Inf\"} 2"))
        #expect(lines.contains("duration_seconds_count 2"))
        #expect(
            lines.suffix(3) == [
                "# TYPE http_requests_total counter", "http_requests_total{method=\"GET\"} 3",
                "http_requests_total{method=\"POST\"} 1",
            ])
    }

    @Test("Invalid characters in names and labels are replaced") func names() {
        Counter(label: "1 a-b\n", dimensions: [("the path", "/\"x\"\\\n")], factory: metrics).increment()
        #expect(metrics.text == "# TYPE _1_a_b__total counter\n_1_a_b__total{the_path=\"/\\\"x\\\"\\\\\\n\"} 1\n")
    }

    @Test("A name has one kind of metric, whatever the labels") func oneKind() {
        Counter(label: "jobs", dimensions: [("queue", "a")], factory: metrics).increment()
        let text = metrics.text
        Recorder(label: "jobs_total", factory: metrics).record(5)
        Recorder(label: "jobs_total", dimensions: [("queue", "a")], factory: metrics).record(5)
        #expect(metrics.text == text)
        Counter(label: "jobs", dimensions: [("queue", "b")], factory: metrics).increment()
        #expect(metrics.text == text + "jobs_total{queue=\"b\"} 1\n")
    }
}
