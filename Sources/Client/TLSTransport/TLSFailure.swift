// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The error that ends a connection.
package enum TLSFailure: Error, Hashable {
    /// The server ended the connection with an alert.
    case received(TLSAlert)
    /// The library ended the connection, for a reason that has the library's name, and with an alert unless none could
    /// be sent.
    case violation(reason: String, sent: TLSAlert?)
    /// The client's owner declined to continue, and the server received an alert.
    case refused(TLSAlert)
    /// The first bytes from the server are not a TLS record.
    case notTLS
    /// The connection was closed during the handshake.
    case closed
    /// The connection was closed without close_notify (RFC 8446 section 6.1), so that data may be missing.
    case truncated
    /// The server requested a renegotiation that the settings do not allow.
    case renegotiationRefused
    /// The library cannot use the identity, for a reason that has the library's name.
    case unusableIdentity(reason: String)
    /// The library cannot use the settings, for a reason that has the library's name.
    case unusableSettings(reason: String)
    /// The identity's key is elsewhere, which only BoringSSL supports.
    case heldKey
    /// The library is not part of this build, is not installed, or its version is too old; `nil` unless it is too old.
    case unavailable(TLSLibrary, version: String?)
}

/// The refusal of a server or of its request, with the alert that states the reason.
package struct TLSRefusal: Error {
    package let alert: TLSAlert
    /// The error to report.
    package let reason: any Error

    package init(_ alert: TLSAlert, because reason: any Error) {
        (self.alert, self.reason) = (alert, reason)
    }
}
