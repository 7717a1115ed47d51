// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The bounds of the head of a response.
package enum HeadLimit {
    /// The largest head, in bytes, all fields together.
    package static let size = 256 * 1024
    /// The largest number of fields of a head or a trailer of HTTP/1.1.
    static let fieldCount = 1_000
}
