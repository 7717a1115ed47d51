// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Whose mistake a fault is (SOAP 1.1 section 4.4.1, SOAP 1.2 Part 1 section 5.4.6).
public enum SOAPFaultCode: Hashable, Sendable {
    /// The message is not one that the service takes: `Client`, `Sender`.
    case sender
    /// The service failed: `Server`, `Receiver`.
    case receiver
    /// The envelope is of another version.
    case versionMismatch
    /// A header that must be understood is not.
    case mustUnderstand
    /// Data in an encoding that the service does not know (SOAP 1.2).
    case dataEncodingUnknown
    /// A code of the service; SOAP 1.1 allows them, also with dots such as `Client.Authentication`.
    case other(XMLName)

    /// The code of a name.
    public init(_ name: XMLName, in version: SOAPVersion) {
        let known = Self.names[version]?.first { $0.value == name.local && name.namespace == version.namespace }
        self = known?.key ?? .other(name)
    }

    /// The code's name in a version's envelopes.
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
