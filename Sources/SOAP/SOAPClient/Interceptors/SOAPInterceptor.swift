// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Sees and changes the messages of a client.
///
/// Requests pass a client's interceptors in their order, responses in the opposite one. Each method has a default that does nothing.
public protocol SOAPInterceptor: Sendable {
    /// Changes a request before it is signed.
    ///
    /// - Throws: Any error. The call throws it, and nothing is sent.
    func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws

    /// Sees a request as it is sent, after it was signed.
    func sending(_ request: SOAPMessage, for call: SOAPCall) async

    /// Sees or changes a response as it was received, before it is verified and read.
    ///
    /// - Throws: Any error. The call throws it.
    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws
}

extension SOAPInterceptor {
    /// Changes nothing, and never throws.
    public func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws {}

    /// Does nothing.
    public func sending(_ request: SOAPMessage, for call: SOAPCall) async {}

    /// Changes nothing, and never throws.
    public func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {}
}
