// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The paths below the base URL.
enum Location: Hashable {
    case directory
    case newNonce
    case newAccount
    case newOrder
    case revokeCertificate
    case keyChange
    case account(String)
    case accountOrders(String)
    case order(String)
    case finalize(String)
    case authorization(String)
    case challenge(authorization: String, kind: String)
    case certificate(String)
    case renewalInfo(String)

    init?(path: String) {
        guard path.utf8.count <= 512, path.first == "/" else { return nil }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (parts.count, parts.first) {
        case (1, "directory"): self = .directory
        case (1, "new-nonce"): self = .newNonce
        case (1, "new-account"): self = .newAccount
        case (1, "new-order"): self = .newOrder
        case (1, "revoke-cert"): self = .revokeCertificate
        case (1, "key-change"): self = .keyChange
        case (2, "account"): self = .account(parts[1])
        case (3, "account") where parts[2] == "orders": self = .accountOrders(parts[1])
        case (2, "order"): self = .order(parts[1])
        case (3, "order") where parts[2] == "finalize": self = .finalize(parts[1])
        case (2, "authorization"): self = .authorization(parts[1])
        case (3, "challenge"): self = .challenge(authorization: parts[1], kind: parts[2])
        case (2, "certificate"): self = .certificate(parts[1])
        case (2, "renewal-info"): self = .renewalInfo(parts[1])
        default: return nil
        }
    }

    var path: String {
        switch self {
        case .directory: "/directory"
        case .newNonce: "/new-nonce"
        case .newAccount: "/new-account"
        case .newOrder: "/new-order"
        case .revokeCertificate: "/revoke-cert"
        case .keyChange: "/key-change"
        case .account(let id): "/account/\(id)"
        case .accountOrders(let id): "/account/\(id)/orders"
        case .order(let id): "/order/\(id)"
        case .finalize(let id): "/order/\(id)/finalize"
        case .authorization(let id): "/authorization/\(id)"
        case .challenge(let authorization, let kind): "/challenge/\(authorization)/\(kind)"
        case .certificate(let id): "/certificate/\(id)"
        case .renewalInfo(let id): "/renewal-info/\(id)"
        }
    }
}
