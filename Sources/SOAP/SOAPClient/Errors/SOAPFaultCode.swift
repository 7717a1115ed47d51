// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The code of a fault, which tells who made the mistake (SOAP 1.1 section 4.4.1, SOAP 1.2 Part 1 section 5.4.6).
public enum SOAPFaultCode: Hashable, Sendable {
    /// The client's message was wrong: `Client` in SOAP 1.1, `Sender` in SOAP 1.2.
    case sender
    /// The service failed: `Server` in SOAP 1.1, `Receiver` in SOAP 1.2.
    case receiver
    /// The envelope is of a version that the service does not support.
    case versionMismatch
    /// The service does not understand a header that must be understood.
    case mustUnderstand
    /// The service does not know the encoding of the message's data (SOAP 1.2).
    case dataEncodingUnknown
    /// A code that the service defines; in SOAP 1.1 also one with a dot, such as `Client.Authentication`.
    case other(XMLName)

    /// Finds the code of a name; ``other(_:)`` for a name that the version does not define.
    public init(_ name: XMLName, in version: SOAPVersion) {
        let known = Self.names[version]?.first { $0.value == name.local && name.namespace == version.namespace }
        self = known?.key ?? .other(name)
    }

    /// Returns the code's name in a version's envelopes.
    ///
    /// ``dataEncodingUnknown``, which SOAP 1.1 does not have, is `Server` there.
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
