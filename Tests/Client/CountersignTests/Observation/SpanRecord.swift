// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import Tracing

/// A tracer that records its spans and injects the number of each span as `traceparent`.
final class SpanRecord: Tracer {
    enum Number: ServiceContextKey {
        typealias Value = Int
    }

    private let recorded = NIOLockedValueBox<[RecordedSpan]>([])

    var spans: [RecordedSpan] { recorded.withLockedValue { $0 } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        return recorded.withLockedValue { recorded in
            context[Number.self] = recorded.count
            let span = RecordedSpan(operationName, kind: kind, context: context)
            recorded.append(span)
            return span
        }
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let number = context[Number.self] else { return }
        injector.inject("span-\(number)", forKey: "traceparent", into: &carrier)
    }
}
