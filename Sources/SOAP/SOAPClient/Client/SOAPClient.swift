// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// Calls the operations of a service (SOAP 1.1, SOAP 1.2).
///
/// The session decides about credentials, trust, client certificates, proxies and content codings.
public struct SOAPClient: Sendable {
    /// The HTTP client that sends the requests.
    public var session: any Client
    /// The service's URL; a call throws ``SOAPClientError/noEndpoint(operation:)`` where it is empty.
    public var endpoint: String
    /// The version of SOAP for operations that name none; 1.1 by default.
    public var version: SOAPVersion
    /// How requests are written and responses are read.
    public var options = SOAPOptions()
    /// The header blocks of every request, before those of a call; none by default.
    public var headers: [SOAPHeader] = []
    /// The headers of WS-Addressing in each request, and their check in each response; `nil`, the default, for none.
    public var addressing: SOAPAddressing?
    /// The signer, which adds security to each request; `nil`, the default, for none.
    public var signer: SOAPSigner?
    /// The verifier, which checks the security of each response; `nil`, the default, for none.
    public var verifier: SOAPVerifier?
    /// The interceptors, which see and change messages; none by default.
    public var interceptors: [any SOAPInterceptor] = []

    /// Creates a client of a service.
    ///
    /// - Parameters:
    ///   - session: The HTTP client that sends the requests.
    ///   - endpoint: The service's URL.
    ///   - version: The version of SOAP for operations that name none; 1.1 by default.
    public init(session: any Client, endpoint: String, version: SOAPVersion = .soap11) {
        (self.session, self.endpoint, self.version) = (session, endpoint, version)
    }

    /// Calls an operation, and returns the value of its response.
    ///
    /// - Parameters:
    ///   - operation: The operation to call.
    ///   - input: The request's value.
    ///   - headers: The header blocks of this request, after those of the client; none by default.
    /// - Returns: The response's value.
    /// - Throws: As ``send(_:_:headers:attachments:)``.
    public func call<Input, Output>(
        _ operation: SOAPOperation<Input, Output>, _ input: Input, headers: [SOAPHeader] = []
    ) async throws -> Output {
        try await send(operation, input, headers: headers).output
    }

    /// Calls an operation, and returns the value, the headers and the attachments.
    ///
    /// - Parameters:
    ///   - operation: The operation to call.
    ///   - input: The request's value.
    ///   - headers: The header blocks of this request, after those of the client; none by default.
    ///   - attachments: The attachments sent beside the envelope, besides the values that ``SOAPOptions/binaries`` puts there; none by
    ///     default.
    /// - Returns: The response's value, its headers and its attachments.
    /// - Throws: One of the operation's ``SOAPFaultDetail`` errors or ``SOAPFault`` where the service answers with a fault;
    ///   ``SOAPClientError``; `SessionError`; what the signer, the verifier and interceptors throw; `CancellationError` where the task is
    ///   cancelled.
    public func send<Input, Output>(
        _ operation: SOAPOperation<Input, Output>, _ input: Input, headers: [SOAPHeader] = [],
        attachments: [XMLAttachment] = []
    ) async throws -> SOAPResponse<Output> {
        guard !endpoint.isEmpty else { throw SOAPClientError.noEndpoint(operation: operation.name) }
        let call = SOAPCall(
            operation: operation.name, action: operation.action, endpoint: endpoint,
            version: operation.version ?? version,
            messageID: addressing.map { _ in SOAPAddressing.newMessageID() })
        let request = try await request(of: operation, input, headers: headers, attachments: attachments, call)
        let response = try await session.send(request)
        let received = try await receive(response, for: call, isOneWay: operation.isOneWay)
        guard let received else { return try emptyResponse(to: operation, response) }
        return try await read(received, to: operation, call)
    }
}
