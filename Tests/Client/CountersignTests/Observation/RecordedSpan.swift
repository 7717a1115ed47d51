// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import Tracing

/// A span that records its attributes and status.
final class RecordedSpan: Span {
    private struct State {
        var attributes = SpanAttributes()
        var status: SpanStatus?
        var isEnded = false
        var name: String
    }

    let context: ServiceContext
    let kind: SpanKind
    private let state: NIOLockedValueBox<State>

    init(_ name: String, kind: SpanKind, context: ServiceContext) {
        (self.kind, self.context) = (kind, context)
        state = NIOLockedValueBox(State(name: name))
    }

    var operationName: String {
        get { state.withLockedValue { $0.name } }
        set { state.withLockedValue { $0.name = newValue } }
    }
    var attributes: SpanAttributes {
        get { state.withLockedValue { $0.attributes } }
        set { state.withLockedValue { $0.attributes = newValue } }
    }
    var isRecording: Bool { !isEnded }
    var isEnded: Bool { state.withLockedValue { $0.isEnded } }
    var hasFailed: Bool { state.withLockedValue { $0.status?.code == .error } }

    /// The attributes as text.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        attributes.forEach { name, value in
            switch value {
            case .string(let text): texts[name] = text
            case .int64(let number): texts[name] = "\(number)"
            default: texts[name] = "\(value)"
            }
        }
        return texts
    }

    func setStatus(_ status: SpanStatus) { state.withLockedValue { $0.status = status } }
    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        state.withLockedValue { $0.isEnded = true }
    }
}
