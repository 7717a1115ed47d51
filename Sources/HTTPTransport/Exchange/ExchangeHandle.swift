// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Takes the parts of a request's body.
protocol UploadTarget: Sendable {
    var eventLoop: any EventLoop { get }

    /// Writes parts in order; call it on the event loop.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - departure: Completed when they have left.
    func write(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>)
}

/// Reaches an exchange from other threads than its event loop.
struct ExchangeHandle: UploadTarget {
    let driver: NIOLoopBound<ExchangeDriver>

    var eventLoop: any EventLoop { driver.eventLoop }

    func write(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>) {
        driver.value.send(parts, departure: departure)
    }

    /// Sends the end of the request's body, and returns when it has left.
    func end() async throws {
        try await eventLoop.flatSubmit { [driver] in
            let departure = driver.eventLoop.makePromise(of: Void.self)
            driver.value.sendEnd(departure: departure)
            return departure.futureResult
        }.get()
    }

    /// The body cannot be sent as announced.
    func abort(_ error: any Error) {
        eventLoop.execute { [driver] in driver.value.abort(error) }
    }

    /// The response is not wanted any more.
    func cancel() {
        eventLoop.execute { [driver] in driver.value.cancel() }
    }
}
