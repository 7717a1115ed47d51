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
        /// These alone.
        case only([Certificate])
    }

    /// Whether chains and names are checked at all.
    public enum Validation: Hashable, Sendable {
        case full
        /// Accepts any certificate for any host: anyone on the way can read and change everything. Pins still bind.
        case dangerouslyDisabled
    }

    public var anchors: Anchors
    public var pins: Set<Pin>
    public var validation: Validation

    public init(anchors: Anchors = .system, pins: Set<Pin> = [], validation: Validation = .full) {
        self.anchors = anchors
        self.pins = pins
        self.validation = validation
    }
}
