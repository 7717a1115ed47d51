// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A part of a message that is signed, named by its place.
public enum MessagePart: Hashable, Sendable {
    /// The envelope's body.
    case body
    /// The headers of a name, right below the envelope's header; at least one must be there.
    case header(XMLName)
    /// The time in the security header (`Timestamp`).
    case timestamp
    /// The user's name and password in the security header.
    case usernameToken
    /// The certificate in the security header that the signature refers to.
    case certificate
}

extension MessagePart: CustomStringConvertible {
    /// The name of the part's element.
    public var description: String {
        switch self {
        case .body: "Body"
        case .header(let name): name.description
        case .timestamp: "Timestamp"
        case .usernameToken: "UsernameToken"
        case .certificate: "BinarySecurityToken"
        }
    }
}
