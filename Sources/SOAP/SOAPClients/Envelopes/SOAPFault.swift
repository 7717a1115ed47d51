// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// A fault, which a service sends instead of a result (SOAP 1.1 section 4.4, SOAP 1.2 Part 1 section 5.4).
///
/// A call throws it if no error of the operation (``SOAPFaultDetail``) matches the detail.
public struct SOAPFault: Error, Hashable, Sendable {
    /// The reason in one language.
    public struct Reason: Hashable, Sendable {
        /// The language (`xml:lang`), such as "en"; `nil` without the attribute.
        public let language: String?
        /// The human-readable explanation of the fault; empty if the service sends none.
        public let text: String

        /// Creates a reason from its parts.
        public init(_ text: String, language: String? = nil) { (self.text, self.language) = (text, language) }
    }

    /// The SOAP version of the envelope with the fault.
    public let version: SOAPVersion
    /// The code, which specifies whether the client or the server caused the fault.
    public let code: SOAPFaultCode
    /// The more specific codes, each nested in the previous one; none in SOAP 1.1.
    public let subcodes: [XMLName]
    /// The reasons, one for each language; a received fault has at least one.
    public let reasons: [Reason]
    /// The URI of the node that failed (`faultactor`), or of its role (`Role`); `nil` if there is none.
    public let role: String?
    /// The URI of the node that failed (SOAP 1.2); `nil` if there is none.
    public let node: String?
    /// The elements in `detail`; none if the fault has no detail.
    public let details: [XMLElementValue]

    /// Creates a fault from its parts.
    public init(
        version: SOAPVersion, code: SOAPFaultCode, subcodes: [XMLName] = [], reasons: [Reason], role: String? = nil,
        node: String? = nil, details: [XMLElementValue] = []
    ) {
        (self.version, self.code, self.subcodes, self.reasons) = (version, code, subcodes, reasons)
        (self.role, self.node, self.details) = (role, node, details)
    }

    /// Creates a fault with one reason.
    public init(version: SOAPVersion, code: SOAPFaultCode, reason: String) {
        self.init(version: version, code: code, reasons: [Reason(reason)])
    }

    /// The text of the first English reason or, if there is none, of the first reason; empty if there are no reasons.
    public var reason: String {
        let english = reasons.first { $0.language?.lowercased().hasPrefix("en") == true }
        return (english ?? reasons.first)?.text ?? ""
    }
}

/// The code of a fault, which specifies its cause (SOAP 1.1 section 4.4.1, SOAP 1.2 Part 1 section 5.4.6).
public enum SOAPFaultCode: Hashable, Sendable {
    /// The client's message was wrong: `Client` in SOAP 1.1, `Sender` in SOAP 1.2.
    case sender
    /// The service failed: `Server` in SOAP 1.1, `Receiver` in SOAP 1.2.
    case receiver
    /// The service does not support the version of the envelope.
    case versionMismatch
    /// The service does not understand a header that must be understood.
    case mustUnderstand
    /// The service does not know the encoding of the message's data (SOAP 1.2).
    case dataEncodingUnknown
    /// A code that the service defines; in SOAP 1.1 also one with a dot, such as `Client.Authentication`.
    case other(XMLName)

    /// Creates the code with the given name; ``other(_:)`` for a name that the version does not define.
    public init(_ name: XMLName, in version: SOAPVersion) {
        let known = Self.names[version]?.first { $0.value == name.local && name.namespace == version.namespace }
        self = known?.key ?? .other(name)
    }

    /// Returns the code's name in envelopes of a version.
    ///
    /// For ``dataEncodingUnknown``, which SOAP 1.1 does not have, it returns `Server` in that version.
    public func name(in version: SOAPVersion) -> XMLName {
        if case .other(let name) = self { return name }
        return XMLName(Self.names[version]?[self] ?? "Server", in: version.namespace)
    }

    private static let names: [SOAPVersion: [SOAPFaultCode: String]] = [
        .soap11: [
            .sender: "Client", .receiver: "Server", .versionMismatch: "VersionMismatch",
            .mustUnderstand: "MustUnderstand",
        ],
        .soap12: [
            .sender: "Sender", .receiver: "Receiver", .versionMismatch: "VersionMismatch",
            .mustUnderstand: "MustUnderstand", .dataEncodingUnknown: "DataEncodingUnknown",
        ],
    ]
}

/// An error that a service declares in its description and sends as the detail of a fault.
///
/// Generated code declares one for each fault of an operation.
public protocol SOAPFaultDetail: Error, Sendable {
    /// The type of the value in the detail.
    associatedtype Detail: XMLCodable
    /// The name of the detail's element.
    static var detailName: XMLName { get }
    /// Creates the error from a fault and the value of its detail.
    init(fault: SOAPFault, detail: Detail)
}

extension SOAPFault: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let codes = [code.name(in: version)] + subcodes
        return ErrorExplanation(
            "soap.fault", "The service answered with a fault: \(reasonSentence)",
            reason: "Its code is \(codes.map(\.description).joined(separator: ", ")).", advice: advice)
    }

    /// The reason, with a period at its end.
    var reasonSentence: String {
        let text = reason.isEmpty ? "no reason" : reason
        return text.hasSuffix(".") ? text : text + "."
    }

    private var advice: String {
        switch code {
        case .sender: "Correct what is sent; the same message would fail again."
        case .receiver: "Try again later, or ask the operator of the service."
        case .versionMismatch: "Use the port of the version that the service supports."
        case .mustUnderstand: "Leave out the header, or send it without mustUnderstand."
        case .dataEncodingUnknown: "Generate the client again from the service's current description."
        case .other: "See the service's documentation for the code."
        }
    }

    package static var examples: [Self] {
        [SOAPFault(version: .soap11, code: .sender, reason: "There is no such account")]
    }
}
