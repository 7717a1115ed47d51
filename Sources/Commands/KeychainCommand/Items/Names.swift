// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
public import ArgumentParser
public import CertificateTrust
public import Keychain

// The names of the keychain's terms on the command line and in JSON.

extension KeychainItem.Class: ExpressibleByArgument {
    /// Reads a name.
    public init?(argument: String) {
        guard let named = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = named
    }

    /// The names.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    var name: String { self == .genericPassword ? "password" : words }
}

extension ItemChange.Effect {
    var name: String {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .equal: "equal"
        case .kept: "kept"
        case .superseded: "superseded"
        }
    }
}

extension TrustSettings.Setting: ExpressibleByArgument {}

extension KeychainItem.Accessibility.Availability: ExpressibleByArgument {
    /// Reads a name.
    public init?(argument: String) {
        guard let named = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = named
    }

    /// The names.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    var name: String {
        switch self {
        case .whenUnlocked: "when-unlocked"
        case .afterFirstUnlock: "after-first-unlock"
        }
    }
}

extension ProtectionSpace {
    /// Such as `https://intranet.example:8443`.
    var url: String {
        let name = host.description.contains(":") ? "[\(host)]" : "\(host)"
        let usual = ["http": 80, "https": 443][scheme]
        return "\(scheme)://\(name)" + (port == usual ? "" : ":\(port)")
    }
}
