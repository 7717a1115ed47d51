// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// What a path must be good for; the defaults are a server's on the Web.
package struct PathRequirements: Hashable, Sendable {
    /// What the leaf is to do.
    package enum Purpose: Hashable, Sendable {
        case server
        case client
    }

    package var purpose: Purpose
    /// Uses of the leaf's key that must be allowed where its certificate limits them.
    package var needsDigitalSignature: Bool
    /// How many authorities may stand between leaf and anchor, self-issued ones aside.
    package var maximumDepth: Int?

    package init(purpose: Purpose = .server, needsDigitalSignature: Bool = false, maximumDepth: Int? = nil) {
        self.purpose = purpose
        self.needsDigitalSignature = needsDigitalSignature
        self.maximumDepth = maximumDepth
    }

    var extendedKeyUsage: ExtendedKeyUsage.Usage {
        switch purpose {
        case .server: .serverAuth
        case .client: .clientAuth
        }
    }
}
