// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// What a server's chain must satisfy.
public struct TrustPolicy: Hashable, Sendable {
    /// Where a chain may end.
    public enum Anchors: Hashable, Sendable {
        /// The operating system's anchors.
        case system
        /// The operating system's anchors and these.
        case systemAnd([Certificate])
        /// These alone. One may be a server's own certificate.
        case only([Certificate])
    }

    /// Whether chains and names are checked at all.
    public enum Validation: String, Hashable, Sendable, Codable {
        case full
        /// Accepts any certificate for any host: anyone on the way can read and change everything. Pins still bind.
        case dangerouslyDisabled
    }

    /// Which rules beyond RFC 5280 a path must follow.
    @nonexhaustive
    public enum Profile: String, Hashable, Sendable, Codable {
        /// The CA/Browser Forum's Baseline Requirements, as far as clients can check them.
        case webPKI
        /// What in-house authorities get wrong without harm is let through.
        case privatePKI
    }

    /// Where a chain may end.
    public var anchors: Anchors
    /// `nil` takes ``Profile/webPKI`` for paths that end in the system's anchors, and ``Profile/privatePKI`` for those
    /// that end in given ones.
    public var profile: Profile?
    /// One of them must be the key of a certificate in the path, in addition to everything else; empty asks for none.
    public var pins: Set<Pin>
    /// Whether chains and names are checked at all.
    public var validation: Validation

    /// A policy; without arguments, the operating system's anchors and every check.
    public init(
        anchors: Anchors = .system, profile: Profile? = nil, pins: Set<Pin> = [], validation: Validation = .full
    ) {
        self.anchors = anchors
        self.profile = profile
        self.pins = pins
        self.validation = validation
    }
}
