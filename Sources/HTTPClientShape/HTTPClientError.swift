// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The errors that only this module throws.
///
/// All others are thrown as a `SessionError`, which says more.
@nonexhaustive
public enum HTTPClientError: Error, Hashable, Sendable {
    /// The deadline passed before the response, its body included, was there.
    case deadlineExceeded
    /// The client was shut down.
    case alreadyShutdown
    /// These names are not valid names of header fields (RFC 9110 section 5.1).
    case invalidHeaderFieldNames([String])
    /// This name of a method is none (RFC 9110 section 9.1).
    case invalidMethod(String)
}
