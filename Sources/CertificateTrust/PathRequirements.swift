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
    /// What the leaf's key must be allowed to do, where its certificate limits that.
    package enum KeyUse: Hashable, Sendable {
        case anything
        case digitalSignature
        /// One of those with which TLS proves possession of a key.
        case handshake
    }

    package var keyUse: KeyUse
    /// How many authorities may stand between leaf and anchor, self-issued ones aside.
    package var maximumDepth: Int?

    /// The rules on form; `nil` takes those of the profile of the anchor that a path ends in.
    var rules: RuleSet?

    package init(purpose: Purpose = .server, keyUse: KeyUse = .handshake, maximumDepth: Int? = nil) {
        self.purpose = purpose
        self.keyUse = keyUse
        self.maximumDepth = maximumDepth
    }

    var extendedKeyUsage: ExtendedKeyUsage.Usage {
        switch purpose {
        case .server: .serverAuth
        case .client: .clientAuth
        }
    }
}

extension PathRequirements.Purpose {
    /// By the name of RFC 5280 section 4.2.1.12.
    var text: String {
        switch self {
        case .server: "serverAuth"
        case .client: "clientAuth"
        }
    }
}
