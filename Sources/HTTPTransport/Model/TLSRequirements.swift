// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

/// What one server must satisfy in a TLS handshake.
package struct TLSRequirements: Hashable, Sendable {
    package let trust: TrustPolicy
    package let versions: TLSVersions

    package init(trust: TrustPolicy, versions: TLSVersions) {
        (self.trust, self.versions) = (trust, versions)
    }
}
