// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension SessionError {
    /// Why a variable of the environment cannot be read.
    public enum InvalidProxyVariable: Hashable, Sendable {
        /// It is no URL, or lacks something that a proxy's has.
        case url(InvalidURL)
        /// A proxy of no kind that is known.
        case unsupportedScheme(String)
        /// This one of the places that are reached directly is no name, no address and no block of addresses.
        case exception(String)
    }
}
