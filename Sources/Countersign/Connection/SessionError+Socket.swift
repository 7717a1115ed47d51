// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension SessionError {
    /// Why no connection to a socket of the file system was made.
    public enum SocketFailure: Hashable, Sendable {
        /// There is nothing at that path, or no way to it.
        case notFound
        /// The path is longer than the system allows for a socket, which is about 100 bytes.
        case pathTooLong
        /// The path is empty, or has a zero byte.
        case malformedPath
        /// Nobody listens there.
        case refused
        case timedOut
        /// Another error of the system, by its `errno`.
        case system(Int32)
    }
}
