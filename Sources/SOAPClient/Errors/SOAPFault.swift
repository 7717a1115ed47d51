// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a service answers with where it has no result (SOAP 1.1 section 4.4, SOAP 1.2 Part 1 section 5.4).
///
/// A call throws it where no error of the operation (``SOAPFaultDetail``) fits the detail.
public struct SOAPFault: Error, Hashable, Sendable {
    /// The reason in one language.
    public struct Reason: Hashable, Sendable {
        /// `xml:lang`, such as "en"; `nil` without the attribute.
        public let language: String?
        /// The explanation of the fault, for people.
        public let text: String

        /// A reason by its parts.
        public init(_ text: String, language: String? = nil) { (self.text, self.language) = (text, language) }
    }

    /// The version of the envelope that it came in.
    public let version: SOAPVersion
    /// The code, which says whether the client or the server made the mistake.
    public let code: SOAPFaultCode
    /// More exact codes, from the widest on (SOAP 1.2).
    public let subcodes: [XMLName]
    /// The description of the fault, in at least one language.
    public let reasons: [Reason]
    /// Which receiver on the way it comes from, `faultactor` or `Role`; `nil` for the last one.
    public let role: String?
    /// The receiver's own URL (SOAP 1.2); `nil` where it is not said.
    public let node: String?
    /// The elements in `detail`.
    public let details: [XMLElementValue]

    /// A fault by its parts.
    public init(
        version: SOAPVersion, code: SOAPFaultCode, subcodes: [XMLName] = [], reasons: [Reason], role: String? = nil,
        node: String? = nil, details: [XMLElementValue] = []
    ) {
        (self.version, self.code, self.subcodes, self.reasons) = (version, code, subcodes, reasons)
        (self.role, self.node, self.details) = (role, node, details)
    }

    /// A fault with one reason.
    public init(version: SOAPVersion, code: SOAPFaultCode, reason: String) {
        self.init(version: version, code: code, reasons: [Reason(reason)])
    }

    /// The reason in English or, where there is none, the first one.
    public var reason: String {
        let english = reasons.first { $0.language?.lowercased().hasPrefix("en") == true }
        return (english ?? reasons.first)?.text ?? ""
    }
}
