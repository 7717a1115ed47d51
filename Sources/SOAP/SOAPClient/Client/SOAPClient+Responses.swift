// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import XMLDocuments

extension SOAPClient {
    /// Reads a response's envelope and attachments by the rules of HTTP (SOAP 1.1 section 6.2, SOAP 1.2 Part 2 section 7.5).
    ///
    /// - Returns: The message as the interceptors leave it; `nil` where the response has none and needs none.
    func receive(_ response: Response, for call: SOAPCall, isOneWay: Bool) async throws -> SOAPMessage? {
        let isSuccess = response.status.kind == .successful
        let type = response.headerFields[.contentType].flatMap(MediaType.init(field:))
        guard type.map(Self.isMessage) ?? true else {
            let summary = try await response.summary()
            guard isSuccess else { throw SOAPClientError.unexpectedStatus(summary) }
            // What a gateway says about a one-way message is of no use.
            if isOneWay || summary.beginning.isEmpty { return nil }
            throw SOAPClientError.unexpectedMediaType(summary)
        }
        var message = SOAPMessage(envelope: [], headerFields: response.headerFields, status: response.status)
        let charset: String?
        if let type, type.essence == "multipart/related" {
            let parts = try await MultipartMessage(
                reading: response.body, type: type, limits: options.multipartLimits,
                mostEnvelopeBytes: options.documentLimits.mostBytes)
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

    /// Whether the page of an error is a message, as a fault is.
    private func isEnvelope(_ message: SOAPMessage, for call: SOAPCall) -> Bool {
        do throws(SOAPClientError) {
            _ = try ReceivedEnvelope(message.envelope, expecting: call.version, limits: options.documentLimits)
            return true
        } catch {
            // Of a message with a flaw, the flaw says more than the status.
            switch error {
            case .document, .notAnEnvelope: return false
            default: return true
            }
        }
    }

    private func envelope(in response: Response) async throws -> [UInt8] {
        let most = options.documentLimits.mostBytes
        do {
            return try await response.bytes(upTo: most)
        } catch SessionError.limit(.bodyTooLarge) {
            throw SOAPClientError.responseTooLarge(mostBytes: most)
        }
    }

    /// The result where no message came back.
    func emptyResponse<Input, Output>(
        to operation: SOAPOperation<Input, Output>, _ response: Response
    ) throws -> SOAPResponse<Output> {
        guard operation.isOneWay || Output.self == SOAPNothing.self,
            let output = try? Output(xml: Array("<Body/>".utf8))
        else { throw SOAPClientError.noEnvelope(response.summary(beginning: [])) }
        return SOAPResponse(output: output, status: response.status, headerFields: response.headerFields)
    }
}
