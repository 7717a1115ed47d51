// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// Whose challenges a handler answers: a redirect may lead anywhere, and a handler is asked about every server there.
struct HandlerBinding: Hashable {
    let host: String
    /// `nil` for the scheme's own; a proxy, which was named and not found, may have any.
    let port: Int?
    let allowsPlainHTTP: Bool
    let role: ProtectionSpace.Role

    func covers(_ space: ProtectionSpace) -> Bool {
        guard space.role == role, space.host.description == host.lowercased() else { return false }
        guard role == .origin else { return port == nil || port == space.port }
        return space.port == port ?? (space.isEncrypted ? 443 : 80) && (space.isEncrypted || allowsPlainHTTP)
    }
}
