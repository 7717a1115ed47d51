// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A port of a service: its URL and its version of SOAP (WSDL 1.1 section 2.6).
public struct SOAPPort: Hashable, Sendable {
    /// The port's name in the description.
    public let name: String
    /// The URL; `nil` where the description has none.
    public let endpoint: String?
    /// The version of SOAP of the port's binding.
    public let version: SOAPVersion

    /// Creates a port from its parts.
    public init(_ name: String, endpoint: String? = nil, version: SOAPVersion) {
        (self.name, self.endpoint, self.version) = (name, endpoint, version)
    }
}
