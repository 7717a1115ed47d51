// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension CertificatePolicyIdentifier: Codable {
    private enum Key: String, CodingKey {
        case identifier, name
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: `DecodingError` where `identifier` is no object identifier, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let text = try container.decode(String.self, forKey: .identifier)
        guard let policy = Self(text) ?? Self(hexadecimal: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .identifier, in: container, debugDescription: "This is no object identifier.")
        }
        self = policy
        let name = try container.decodeIfPresent(String.self, forKey: .name)
        if name != self.name { ownName = name }
    }

    /// Writes the object identifier, and the name where there is one.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(description, forKey: .identifier)
        try container.encodeIfPresent(name, forKey: .name)
    }
}

extension PolicyProblem: Codable {
    private enum Key: String, CodingKey {
        case found, allowed, acceptable
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let policies = { try container.decode([CertificatePolicyIdentifier].self, forKey: $0) }
        self =
            container.contains(.allowed)
            ? .notAllowed(found: try policies(.found), allowed: try policies(.allowed))
            : .notAccepted(found: try policies(.found), acceptable: try policies(.acceptable))
    }

    /// Writes the policies `found`, and beside them those `allowed` or `acceptable`.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .notAllowed(let found, let allowed):
            try container.encode(found, forKey: .found)
            try container.encode(allowed, forKey: .allowed)
        case .notAccepted(let found, let acceptable):
            try container.encode(found, forKey: .found)
            try container.encode(acceptable, forKey: .acceptable)
        }
    }
}
