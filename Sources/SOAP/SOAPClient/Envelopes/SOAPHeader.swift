// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A header block of a request (SOAP 1.1 section 4.2, SOAP 1.2 Part 1 section 5.2).
public struct SOAPHeader: Sendable {
    /// The name of the header's element.
    public let name: XMLName
    /// Whether a receiver that does not know the header must refuse the message.
    public let mustUnderstand: Bool
    /// The URI of the receiver, in the attribute `actor` or `role`; `nil` for the last receiver.
    public let role: String?
    private let encode: @Sendable (inout XMLWriter) throws(XMLValueError) -> Void

    /// Creates a header that holds a value.
    ///
    /// - Parameters:
    ///   - name: The name of the header's element.
    ///   - value: The content of the element.
    ///   - mustUnderstand: Whether a receiver that does not know the header must refuse the message; `false` by default.
    ///   - role: The URI of the receiver; `nil`, the default, for the last one.
    public init(_ name: XMLName, _ value: some XMLCodable, mustUnderstand: Bool = false, role: String? = nil) {
        (self.name, self.mustUnderstand, self.role) = (name, mustUnderstand, role)
        encode = { xml throws(XMLValueError) in try value.encode(to: &xml) }
    }

    /// Writes the block into a Header that is open.
    func encode(to xml: inout XMLWriter, version: SOAPVersion) throws(XMLValueError) {
        try xml.startElement(name.local, in: name.namespace)
        if mustUnderstand {
            try xml.attribute("mustUnderstand", in: version.namespace, version == .soap11 ? "1" : "true")
        }
        if let role { try xml.attribute(version.roleAttribute.local, in: version.namespace, role) }
        try encode(&xml)
        try xml.endElement()
    }
}
