// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The bounds of the head of a response.
package enum HeadLimit {
    /// The largest head, in bytes, all fields together.
    package static let size = 256 * 1024
}
