// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

/// What one server must satisfy in a TLS handshake.
package struct TLSRequirements: Hashable, Sendable {
    /// The policy that the server's chain must satisfy.
    package let trust: TrustPolicy
    /// The versions of TLS that may be negotiated.
    package let versions: TLSVersions

    package init(trust: TrustPolicy, versions: TLSVersions) {
        (self.trust, self.versions) = (trust, versions)
    }
}
