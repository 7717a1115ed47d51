// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// The body of a response.
package enum IncomingBody: Sendable {
    /// All of it arrived with the head.
    case whole(ByteBuffer)
    /// It goes on arriving; its reader takes it from the queue.
    case arriving(BodyQueue)
}
