// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Sees and changes messages on their way.
///
/// Requests pass a client's interceptors in their order, responses in the opposite one. Each method has a default that does nothing.
public protocol SOAPInterceptor: Sendable {
    /// Changes a request before it is signed.
    ///
    /// - Throws: What the call is to throw; nothing is sent then.
    func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws

    /// Sees a request exactly as it is sent, after it was signed.
    func sending(_ request: SOAPMessage, for call: SOAPCall) async

    /// Sees or changes a response as it came, before it is verified and read.
    ///
    /// - Throws: What the call is to throw.
    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws
}

extension SOAPInterceptor {
    /// Changes nothing.
    public func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws {}

    /// Does nothing.
    public func sending(_ request: SOAPMessage, for call: SOAPCall) async {}

    /// Changes nothing.
    public func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {}
}
