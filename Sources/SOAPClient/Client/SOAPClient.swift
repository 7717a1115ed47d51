// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// Calls the operations of a service.
///
/// Credentials, trust, client certificates, proxies and content codings are the session's.
public struct SOAPClient: Sendable {
    /// The client that sends the requests.
    public var session: any Client
    /// The service's URL.
    public var endpoint: String
    /// The version of SOAP, where an operation names none.
    public var version: SOAPVersion
    /// How requests are written and responses are read.
    public var options = SOAPOptions()
    /// The headers of every request, before those of a call.
    public var headers: [SOAPHeader] = []
    /// WS-Addressing; `nil` for none.
    public var addressing: SOAPAddressing?
    /// The signer, which adds security to each request; `nil` for none.
    public var signer: SOAPSigner?
    /// The verifier, which checks the security of each response; `nil` for none.
    public var verifier: SOAPVerifier?
    /// The interceptors, which see and change messages.
    public var interceptors: [any SOAPInterceptor] = []

    /// Makes a client of a service.
    ///
    /// - Parameters:
    ///   - session: The client that sends the requests.
    ///   - endpoint: The service's URL.
    ///   - version: The version of SOAP, where an operation names none.
    public init(session: any Client, endpoint: String, version: SOAPVersion = .soap11) {
        (self.session, self.endpoint, self.version) = (session, endpoint, version)
    }

    /// Calls an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation to call.
    ///   - input: The request's value.
    ///   - headers: Header blocks of this request.
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
    ///   - headers: Header blocks of this request.
    ///   - attachments: What travels beside the envelope, besides the values that ``SOAPOptions/binaries`` puts there.
    /// - Returns: The response's value, its headers and its attachments.
    /// - Throws: The operation's own errors and ``SOAPFault`` where the service answers with a fault; ``SOAPClientError``;
    ///   `SessionError`; what the signer, the verifier and interceptors throw; `CancellationError` where the task is cancelled.
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
