// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The URL of a service and its version of SOAP (WSDL 1.1 section 2.6).
public struct SOAPPort: Hashable, Sendable {
    /// Its name in the description.
    public let name: String
    /// The URL; `nil` where the description has none.
    public let endpoint: String?
    /// The version of its binding.
    public let version: SOAPVersion

    /// A port by its parts.
    public init(_ name: String, endpoint: String? = nil, version: SOAPVersion) {
        (self.name, self.endpoint, self.version) = (name, endpoint, version)
    }
}
