// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import XMLDocuments

extension SOAPClient {
    /// Verifies a message, and reads it as an operation's response.
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
                // Services seldom sign their faults, and the reason must not be lost.
                let envelope = try? ReceivedEnvelope(bytes, expecting: call.version, limits: options.documentLimits)
                guard let fault = try? envelope?.fault?.fault() else { throw error }
                throw SOAPClientError.unverifiedFault(fault, error)
            }
        }
        let envelope = try ReceivedEnvelope(bytes, expecting: call.version, limits: options.documentLimits)
        if let fault = envelope.fault { throw try fault.error(of: operation.faults, options: options.reading) }
        if !options.ignoresUnknownHeaders {
            let unknown = envelope.headersNotUnderstood(besides: understood)
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
        // What a verifier saw is in the envelope; it knows nothing of the attachments.
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
            if !(output is SOAPNothing) { try reader.finish() }
            return output
        } catch {
            throw .unreadable(operation: operation.name, error)
        }
    }

    /// The element that the output's reader stands in.
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
        // In SOAP's encoding, the values that others refer to follow as siblings (SOAP 1.1 section 5.4.1).
        let isAlone = found.count == 1 || operation.outputEncoding != .literal
        guard let first = found.first, first.name == expected, isAlone else {
            throw .unexpectedBody(operation: operation.name, expected: expected, found: found.map(\.name))
        }
        return first
    }
}
