// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A SOAP version, which the namespace of an envelope determines.
public enum SOAPVersion: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// SOAP 1.1 (W3C Note of 2000).
    case soap11
    /// SOAP 1.2 (W3C Recommendation of 2007).
    case soap12

    /// The namespace of the envelope.
    public var namespace: String {
        switch self {
        case .soap11: "http://schemas.xmlsoap.org/soap/envelope/"
        case .soap12: "http://www.w3.org/2003/05/soap-envelope"
        }
    }

    /// The media type of an envelope without attachments.
    public var mediaType: String {
        switch self {
        case .soap11: "text/xml"
        case .soap12: "application/soap+xml"
        }
    }

    /// "SOAP 1.1" or "SOAP 1.2".
    public var description: String {
        switch self {
        case .soap11: "SOAP 1.1"
        case .soap12: "SOAP 1.2"
        }
    }

    /// Returns the name of an element or an attribute of the envelope.
    func name(_ local: String) -> XMLName { XMLName(local, in: namespace) }

    /// The name of the attribute that specifies the receiver of a header.
    var roleAttribute: XMLName {
        switch self {
        case .soap11: name("actor")
        case .soap12: name("role")
        }
    }

    /// The roles of the receiver of a response (SOAP 1.1 section 4.2.2, SOAP 1.2 Part 1 section 2.2).
    var receiverRoles: Set<String> {
        switch self {
        case .soap11: ["", "http://schemas.xmlsoap.org/soap/actor/next"]
        case .soap12: ["", "\(namespace)/role/next", "\(namespace)/role/ultimateReceiver"]
        }
    }
}
