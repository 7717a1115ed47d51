// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import XMLDocuments

/// The WS-Addressing headers that a client writes into requests, and checks in responses.
public struct SOAPAddressing: Hashable, Sendable {
    /// A version of WS-Addressing.
    public enum Version: Hashable, Sendable {
        /// WS-Addressing 1.0 (W3C Recommendation of 2006).
        case v10
        /// The W3C Member Submission of August 2004.
        case v200408

        /// The namespace of the headers.
        public var namespace: String {
            switch self {
            case .v10: "http://www.w3.org/2005/08/addressing"
            case .v200408: "http://schemas.xmlsoap.org/ws/2004/08/addressing"
            }
        }

        /// The anonymous address, with which a sender requests the response on the same connection.
        var anonymous: String {
            switch self {
            case .v10: "\(namespace)/anonymous"
            case .v200408: "\(namespace)/role/anonymous"
            }
        }

        /// The values of `RelationshipType` that denote a reply, which is also the default without the attribute.
        var replyTypes: Set<String> {
            switch self {
            case .v10: ["\(namespace)/reply"]
            case .v200408: ["wsa:Reply", "Reply"]
            }
        }
    }

    /// The version of WS-Addressing.
    public var version: Version
    /// The value of the header `To`; `nil` for the endpoint.
    public var to: String?
    /// The value of the header `Action`; `nil` for the operation's action.
    public var action: String?
    /// Whether To and Action have the attribute `mustUnderstand`; `false` by default.
    public var mustUnderstand = false
    /// Whether a response without a `RelatesTo` header is refused; `true` by default.
    ///
    /// A response whose `RelatesTo` names another message is always refused. If there is a verifier, unsigned headers
    /// are ignored.
    public var requiresRelation = true

    /// Creates WS-Addressing settings.
    ///
    /// - Parameters:
    ///   - version: The version; 1.0 by default.
    ///   - to: The value of the header `To`; `nil`, the default, for the endpoint.
    ///   - action: The value of the header `Action`; `nil`, the default, for the operation's action.
    public init(_ version: Version = .v10, to: String? = nil, action: String? = nil) {
        (self.version, self.to, self.action) = (version, to, action)
    }

    /// The names of the headers that the client reads.
    var understoodHeaders: Set<XMLName> {
        let names = ["To", "From", "ReplyTo", "FaultTo", "Action", "MessageID", "RelatesTo", "ReferenceParameters"]
        return Set(names.map(name))
    }

    private func name(_ local: String) -> XMLName { XMLName(local, in: version.namespace) }
}

// MARK: Messages

extension SOAPAddressing {
    /// Returns a new message identifier.
    static func newMessageID() -> String { "urn:uuid:" + UUID().uuidString.lowercased() }

    /// Returns the headers of a request.
    func headers(endpoint: String, action: String, messageID: String, expectsReply: Bool) -> [SOAPHeader] {
        var headers = [
            SOAPHeader(name("To"), to ?? endpoint, mustUnderstand: mustUnderstand),
            SOAPHeader(name("Action"), self.action ?? action, mustUnderstand: mustUnderstand),
            SOAPHeader(name("MessageID"), messageID),
        ]
        if expectsReply {
            let address = XMLElementValue(name("Address"), text: version.anonymous)
            headers.append(SOAPHeader(name("ReplyTo"), EndpointReference(address: address)))
        }
        return headers
    }

    /// Checks that the headers are those of a reply to the request with the given message identifier.
    func check(_ headers: [XMLElement], isReplyTo messageID: String) throws(SOAPClientError) {
        let relations = headers.filter { header in
            guard header.name == name("RelatesTo") else { return false }
            let type = header[XMLName("RelationshipType")]
            return type == nil || version.replyTypes.contains(type ?? "")
        }
        guard let relation = relations.first else {
            guard !requiresRelation else { throw .unrelated(expected: messageID, found: nil) }
            return
        }
        guard relations.contains(where: { $0.trimmedText == messageID }) else {
            throw .unrelated(expected: messageID, found: relation.trimmedText)
        }
    }
}

/// An endpoint reference with only an address.
private struct EndpointReference: XMLCodable {
    let address: XMLElementValue

    init(address: XMLElementValue) { self.address = address }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.any(address) }

    init(from xml: inout XMLReader) throws(XMLValueError) { address = try xml.any(.any) }
}
