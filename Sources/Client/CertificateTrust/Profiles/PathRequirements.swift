// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import X509

/// What a path must be good for; the defaults are a server's on the Web.
package struct PathRequirements: Hashable, Sendable {
    /// What the leaf's key must be allowed to do, where its certificate limits that.
    package enum KeyUse: Hashable, Sendable {
        case anything
        /// One of those with which TLS proves possession of a key.
        case handshake
        /// All of these.
        case every(KeyUsage)
    }

    /// What each certificate of the path must be for, all of them, where it limits that.
    package var purposes: Set<ExtendedKeyUsage.Usage>
    package var keyUse: KeyUse
    /// How many authorities may stand between leaf and anchor, self-issued ones aside.
    package var maximumDepth: Int?
    /// Those that may sign a certificate of the path; `nil` lets every one that cannot be forged.
    package var signatureAlgorithms: Set<Certificate.SignatureAlgorithm>?
    /// The rules on form; `nil` takes those of the profile of the anchor that a path ends in.
    package var rules: RuleSet?

    /// Those of a server on the Web.
    static let server = PathRequirements()

    package init(
        purposes: Set<ExtendedKeyUsage.Usage> = [.serverAuth], keyUse: KeyUse = .handshake, maximumDepth: Int? = nil
    ) {
        self.purposes = purposes
        self.keyUse = keyUse
        self.maximumDepth = maximumDepth
    }
}
