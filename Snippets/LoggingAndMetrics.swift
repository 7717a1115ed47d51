// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Logging and metrics".

import Countersign
import Logging
import Metrics
import Tracing

func observed() -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.logger = Logger(label: "shop")
    configuration.logger?.logLevel = .debug
    configuration.metrics = MetricsSystem.factory
    configuration.tracer = InstrumentationSystem.tracer
    let session = HTTPSession(configuration)
    return session
}

func observer() -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.observer = { event in
        guard case .retrying = event.kind else { return }
        print(event)
    }
    return HTTPSession(configuration)
}

/// The times of the exchanges of each request.
actor Exchanges {
    private var durations: [RequestIdentifier: [Duration]] = [:]

    func note(_ event: SessionEvent) {
        guard case .exchanged(let report) = event.kind else { return }
        durations[event.requestIdentifier, default: []].append(report.end - report.start)
    }
}
