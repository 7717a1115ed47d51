// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The fault of a service, which it sends instead of a result (SOAP 1.1 section 4.4, SOAP 1.2 Part 1 section 5.4).
///
/// A call throws it where no error of the operation (``SOAPFaultDetail``) fits the detail.
public struct SOAPFault: Error, Hashable, Sendable {
    /// The reason in one language.
    public struct Reason: Hashable, Sendable {
        /// The language (`xml:lang`), such as "en"; `nil` without the attribute.
        public let language: String?
        /// The explanation of the fault for a human reader; empty where the service sends none.
        public let text: String

        /// Creates a reason from its parts.
        public init(_ text: String, language: String? = nil) { (self.text, self.language) = (text, language) }
    }

    /// The version of the envelope that the fault came in.
    public let version: SOAPVersion
    /// The code, which says whether the client or the server made the mistake.
    public let code: SOAPFaultCode
    /// The more exact codes, each within the one before it; none in SOAP 1.1.
    public let subcodes: [XMLName]
    /// The reasons of the fault, one for each language; at least one in a fault that was received.
    public let reasons: [Reason]
    /// The URI of the node that failed (`faultactor`), or of its role (`Role`); `nil` where the fault names none.
    public let role: String?
    /// The URI of the node that failed (SOAP 1.2); `nil` where the fault names none.
    public let node: String?
    /// The elements in `detail`; none where the fault has no detail.
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

    /// The text of the first reason in English or, where there is none, of the first one; empty where there are no reasons.
    public var reason: String {
        let english = reasons.first { $0.language?.lowercased().hasPrefix("en") == true }
        return (english ?? reasons.first)?.text ?? ""
    }
}
