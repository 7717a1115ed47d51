// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// Numbers the values of options in the order in which they are read, which is the order on the command line.
///
/// ArgumentParser keeps the order within one option only, and `--data a --data-urlencode b --data c` is one body.
enum ArgumentPosition {
    private static let counter = NIOLockedValueBox(0)

    /// - Returns: A number that is greater than all before.
    static func next() -> Int {
        counter.withLockedValue { count in
            count += 1
            return count
        }
    }
}
