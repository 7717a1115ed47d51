// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
import XMLDocuments
@_exported public import XMLValues  // Generated code imports only SOAPClients.

/// Calls the operations of a service (SOAP 1.1, SOAP 1.2).
///
/// The session handles credentials, trust, client certificates, proxies and content codings.
public struct SOAPClient: Sendable {
    /// The HTTP client that sends the requests.
    public var session: any RequestSender
    /// The service's URL; a call throws ``SOAPClientError/noEndpoint(operation:)`` if it is empty.
    public var endpoint: String
    /// The SOAP version for operations that specify none; 1.1 by default.
    public var version: SOAPVersion
    /// The options for writing requests and reading responses.
    public var options = SOAPOptions()
    /// The header blocks of every request, before those of a call; none by default.
    public var headers: [SOAPHeader] = []
    /// The settings for WS-Addressing headers in requests and their checks in responses; `nil`, the default, for none.
    public var addressing: SOAPAddressing?
    /// The signer, which adds security to each request; `nil`, the default, for none.
    public var signer: SOAPSigner?
    /// The verifier, which checks the security of each response; `nil`, the default, for none.
    public var verifier: SOAPVerifier?
    /// The interceptors, which can read and change messages; none by default.
    public var interceptors: [any SOAPInterceptor] = []

    /// Creates a client of a service.
    ///
    /// - Parameters:
    ///   - session: The HTTP client that sends the requests.
    ///   - endpoint: The service's URL.
    ///   - version: The SOAP version for operations that specify none; 1.1 by default.
    public init(session: any RequestSender, endpoint: String, version: SOAPVersion = .soap11) {
        (self.session, self.endpoint, self.version) = (session, endpoint, version)
    }

    /// Calls an operation, and returns the value of its response.
    ///
    /// - Parameters:
    ///   - operation: The operation to call.
    ///   - input: The request's value.
    ///   - headers: The header blocks of this request, after those of the client; none by default.
    /// - Returns: The response's value.
    /// - Throws: The errors of ``send(_:_:headers:attachments:)``.
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
    ///   - attachments: The attachments to send, in addition to the values that ``SOAPOptions/binaries`` moves out of
    ///     the envelope; none by default.
    /// - Returns: The response's value, its headers and its attachments.
    /// - Throws: One of the operation's ``SOAPFaultDetail`` errors or ``SOAPFault`` if the service responds with a
    ///   fault; ``SOAPClientError``; `SessionError`; errors of the signer, the verifier and interceptors;
    ///   `CancellationError` if the task is cancelled.
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

extension SOAPClient {
    /// Reads a response's envelope and attachments according to the HTTP binding (SOAP 1.1 section 6.2, SOAP 1.2 Part 2
    /// section 7.5).
    ///
    /// - Returns: The message after the interceptors; `nil` if the response has no message and needs none.
    func receive(_ response: SessionResponse, for call: SOAPCall, isOneWay: Bool) async throws -> SOAPMessage? {
        let isSuccess = response.status.kind == .successful
        let type = response.headerFields[.contentType].flatMap(MediaType.init(field:))
        guard type.map(Self.isMessage) ?? true else {
            let summary = try await response.summary()
            guard isSuccess else { throw SOAPClientError.unexpectedStatus(summary) }
            // A gateway's response to a one-way message is ignored.
            if isOneWay || summary.beginning.isEmpty { return nil }
            throw SOAPClientError.unexpectedMediaType(summary)
        }
        var message = SOAPMessage(envelope: [], headerFields: response.headerFields, status: response.status)
        let charset: String?
        if let type, type.essence == "multipart/related" {
            let parts = try await MultipartMessage(
                reading: response.body, type: type, limits: options.multipartLimits,
                maximumEnvelopeSize: options.documentLimits.maximumByteCount)
            charset = parts.envelopeType["charset"]
            (message.envelope, message.attachments) = (parts.envelope, parts.attachments)
        } else {
            charset = type?["charset"]
            message.envelope = try await envelope(in: response)
        }
        guard !message.envelope.isEmpty else {
            guard isSuccess else { throw SOAPClientError.unexpectedStatus(response.summary(beginning: [])) }
            return nil
        }
        message.envelope = try EnvelopeText.bytes(message.envelope, charset: charset)
        for interceptor in interceptors.reversed() { try await interceptor.received(&message, for: call) }
        if !isSuccess, !isEnvelope(message, for: call) {
            throw SOAPClientError.unexpectedStatus(response.summary(beginning: message.envelope))
        }
        return message
    }

    private static func isMessage(_ type: MediaType) -> Bool {
        let known = ["multipart/related", "text/xml", "application/soap+xml", "application/xml", "application/xop+xml"]
        return known.contains(type.essence)
    }

    /// Returns whether the body of an error response is an envelope, such as a fault.
    private func isEnvelope(_ message: SOAPMessage, for call: SOAPCall) -> Bool {
        do throws(SOAPClientError) {
            _ = try ReceivedEnvelope(message.envelope, expecting: call.version, limits: options.documentLimits)
            return true
        } catch {
            // For a defective envelope, the defect is more informative than the status.
            switch error {
            case .document, .notAnEnvelope: return false
            default: return true
            }
        }
    }

    private func envelope(in response: SessionResponse) async throws -> [UInt8] {
        let maximum = options.documentLimits.maximumByteCount
        do {
            return try await response.bytes(upTo: maximum)
        } catch SessionError.limit(.bodyTooLarge) {
            throw SOAPClientError.responseTooLarge(maximumByteCount: maximum)
        }
    }

    /// Returns the result of a call without a response message.
    func emptyResponse<Input, Output>(
        to operation: SOAPOperation<Input, Output>, _ response: SessionResponse
    ) throws -> SOAPResponse<Output> {
        guard operation.isOneWay || Output.self == SOAPEmptyBody.self,
            let output = try? Output(xml: Array("<Body/>".utf8))
        else { throw SOAPClientError.noEnvelope(response.summary(beginning: [])) }
        return SOAPResponse(output: output, status: response.status, headerFields: response.headerFields)
    }
}

extension SOAPClient {
    /// Verifies a message, and reads it as the response to an operation.
    func read<Input, Output>(
        _ message: SOAPMessage, to operation: SOAPOperation<Input, Output>, _ call: SOAPCall
    ) async throws -> SOAPResponse<Output> {
        var understood = options.understoodHeaders.union(addressing?.understoodHeaders ?? [])
        var bytes = message.envelope
        if let verifier {
            do {
                if !message.attachments.isEmpty {
                    bytes = try await InlinedAttachments.envelope(
                        bytes, message.attachments, limits: options.documentLimits)
                }
                let verified = try await verifier.verify(bytes)
                bytes = verified.envelope
                understood.formUnion(verified.understoodHeaders)
            } catch  where !(error is CancellationError) {
                // Services seldom sign their faults, but the reason of the fault must not be lost.
                let envelope = try? ReceivedEnvelope(bytes, expecting: call.version, limits: options.documentLimits)
                guard let fault = try? envelope?.fault?.fault() else { throw error }
                throw SOAPClientError.unverifiedFault(fault, error)
            }
        }
        let envelope = try ReceivedEnvelope(bytes, expecting: call.version, limits: options.documentLimits)
        if let fault = envelope.fault { throw try fault.error(of: operation.faults, options: options.reading) }
        if !options.ignoresUnknownHeaders {
            let unknown = envelope.headersNotUnderstood(excluding: understood)
            guard unknown.isEmpty else { throw SOAPClientError.notUnderstood(unknown) }
        }
        guard let status = message.status, status.kind == .successful else {
            throw SOAPClientError.unexpectedStatus(
                ResponseSummary(
                    status: message.status ?? .ok, url: Redaction.url(call.endpoint),
                    contentType: message.headerFields[.contentType],
                    beginning: message.envelope))
        }
        if let messageID = call.messageID { try addressing?.check(envelope.headers, isReplyTo: messageID) }
        // Verified attachments are inlined in the envelope. The others are not verified, so values must not refer
        // to them.
        let attachments = verifier == nil ? message.attachments : []
        let output = try self.output(of: operation, envelope, attachments)
        return SOAPResponse(
            output: output, headers: try headerValues(of: envelope), attachments: message.attachments, status: status,
            headerFields: message.headerFields)
    }

    private func headerValues(of envelope: ReceivedEnvelope) throws(SOAPClientError) -> [XMLElementValue] {
        do throws(XMLValueError) { return try envelope.headerValues() } catch {
            throw .unreadable(operation: "Header", error)
        }
    }

    private func output<Input, Output>(
        of operation: SOAPOperation<Input, Output>, _ envelope: ReceivedEnvelope, _ attachments: [XMLAttachment]
    ) throws(SOAPClientError) -> Output {
        let element = try outputElement(of: operation, envelope)
        do throws(XMLValueError) {
            let isEncoded = operation.outputEncoding != .literal
            let table = Dictionary(attachments.map { ($0.contentID, $0) }) { first, _ in first }
            var reader = try XMLReader(
                element, of: envelope.tree, options: options.reading,
                references: isEncoded ? try XMLReferences(in: envelope.tree) : nil, attachments: { table[$0] })
            let output = try Output(from: &reader)
            if !(output is SOAPEmptyBody) { try reader.finish() }
            return output
        } catch {
            throw .unreadable(operation: operation.name, error)
        }
    }

    /// Returns the element from which the output is read.
    private func outputElement<Input, Output>(
        of operation: SOAPOperation<Input, Output>, _ envelope: ReceivedEnvelope
    ) throws(SOAPClientError) -> XMLElement {
        let found = envelope.bodyElements
        if operation.output == nil, Output.self is any SOAPBodyParts.Type { return envelope.body }
        guard let expected = operation.output else {
            guard found.isEmpty || options.reading.isLenient || operation.isOneWay else {
                throw .unexpectedBody(operation: operation.name, expected: nil, found: found.map(\.name))
            }
            return envelope.body
        }
        // In the SOAP encoding, referenced values follow as siblings (SOAP 1.1 section 5.4.1).
        let isAlone = found.count == 1 || operation.outputEncoding != .literal
        guard let first = found.first, first.name == expected, isAlone else {
            throw .unexpectedBody(operation: operation.name, expected: expected, found: found.map(\.name))
        }
        return first
    }
}
