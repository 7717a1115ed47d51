// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import Tracing

/// A tracer that records its spans and injects the number of each span as `traceparent`.
final class SpanRecord: Tracer {
    enum Number: ServiceContextKey {
        typealias Value = Int
    }

    private let kept = NIOLockedValueBox<[KeptSpan]>([])

    var spans: [KeptSpan] { kept.withLockedValue { $0 } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> KeptSpan {
        var context = context()
        return kept.withLockedValue { kept in
            context[Number.self] = kept.count
            let span = KeptSpan(operationName, kind: kind, context: context)
            kept.append(span)
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
