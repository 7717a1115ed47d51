// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

extension SOAPClient {
    /// Writes a request, passes it to the interceptors and the signer, and adds attachments.
    func request<Input, Output>(
        of operation: SOAPOperation<Input, Output>, _ input: Input, headers: [SOAPHeader],
        attachments: [XMLAttachment], _ call: SOAPCall
    ) async throws -> SessionRequest {
        let (envelope, values) = try envelope(of: operation, input, headers: headers, call)
        var message = SOAPMessage(envelope: envelope, headerFields: fields(of: call), attachments: values + attachments)
        for interceptor in interceptors { try await interceptor.prepare(&message, for: call) }
        if let signer { message.envelope = try await signer.protect(message.envelope) }
        let isMTOM = !values.isEmpty
        if !message.attachments.isEmpty {
            let packing = MultipartPacking(version: call.version, action: call.action, isXOP: isMTOM)
            message.headerFields[.contentType] = packing.contentType
            for interceptor in interceptors { await interceptor.sending(message, for: call) }
            return request(message, body: packing.body(of: message.envelope, message.attachments))
        }
        for interceptor in interceptors { await interceptor.sending(message, for: call) }
        return request(message, body: .bytes(message.envelope))
    }

    private func request(_ message: SOAPMessage, body: SessionRequestBody) -> SessionRequest {
        var request = SessionRequest(url: endpoint, method: .post, headerFields: message.headerFields, body: body)
        request.totalTimeout = options.timeout
        return request
    }

    private func envelope<Input, Output>(
        of operation: SOAPOperation<Input, Output>, _ input: Input, headers: [SOAPHeader], _ call: SOAPCall
    ) throws(SOAPClientError) -> (bytes: [UInt8], attachments: [XMLAttachment]) {
        var all = self.headers + headers
        if let addressing, let messageID = call.messageID {
            guard !(addressing.action ?? call.action).isEmpty else { throw .noAction(operation: operation.name) }
            all =
                addressing.headers(
                    endpoint: endpoint.droppingUserInfo, action: call.action, messageID: messageID,
                    expectsReply: !operation.isOneWay)
                + all
        }
        var threshold: Int?
        if case .attached(let size) = options.binaries, signer == nil { threshold = size }
        let writer = EnvelopeWriter(
            version: call.version, encoding: operation.inputEncoding, attachmentThreshold: threshold)
        do throws(XMLValueError) {
            return try writer.envelope(headers: all, element: operation.input, input)
        } catch {
            throw .unwritable(operation: operation.name, error)
        }
    }

    private static let soapAction = HTTPField.Name("SOAPAction")

    /// Returns the header fields of a request (SOAP 1.1 section 6.1.1, SOAP 1.2 Part 2 section 7.1.4).
    private func fields(of call: SOAPCall) -> HTTPFields {
        var fields = options.headerFields
        switch call.version {
        case .soap11:
            fields[.contentType] = "text/xml; charset=utf-8"
            if let soapAction = Self.soapAction {
                fields[soapAction] = "\"\(call.action.replacing("\"", with: "%22"))\""
            }
        case .soap12:
            let action = call.action.isEmpty ? [] : [("action", call.action)]
            fields[.contentType] = MediaType.field("application/soap+xml; charset=utf-8", action)
        }
        if fields[.accept] == nil { fields[.accept] = "\(call.version.mediaType), multipart/related" }
        return fields
    }
}
