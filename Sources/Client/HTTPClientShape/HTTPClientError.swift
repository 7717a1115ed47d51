// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An error that only this module throws.
///
/// All other errors are those of the session, such as `SessionError`.
@nonexhaustive
public enum HTTPClientError: Error, Hashable, Sendable {
    /// The deadline passed before the response was complete, its body included.
    case deadlineExceeded
    /// The client was shut down before the request, or during it.
    case alreadyShutdown
    /// The request has invalid names of header fields (RFC 9110 section 5.1). Holds these names.
    case invalidHeaderFieldNames([String])
    /// The request has an invalid method (RFC 9110 section 9.1). Holds the method.
    case invalidMethod(String)
}
