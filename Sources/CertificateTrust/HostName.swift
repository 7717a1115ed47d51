// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The name or address that a connection was made to, in the one spelling that certificates are matched against.
public struct HostName: Hashable, Sendable, CustomStringConvertible {
    /// The canonical spelling: lower case, no final dot, no brackets.
    public let description: String

    public init(_ text: String) throws(HostNameError) {
        guard !text.isEmpty else { throw .malformed(text) }
        description = text.lowercased()
    }

    public var isAddress: Bool { false }
}

public enum HostNameError: Error, Hashable, Sendable {
    case malformed(String)
}
