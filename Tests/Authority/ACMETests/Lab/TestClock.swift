// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Synchronization

/// A clock whose time a test sets.
final class TestClock: Sendable {
    private let time: Mutex<Date>

    init(_ time: Date = Date()) { self.time = Mutex(time) }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// A mutable value that several tasks share.
final class Box<Value: Sendable>: Sendable {
    private let contents: Mutex<Value>

    init(_ value: Value) { contents = Mutex(value) }

    var value: Value {
        get { contents.withLock { $0 } }
        set { contents.withLock { $0 = newValue } }
    }

    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        contents.withLock { value in body(&value) }
    }
}
