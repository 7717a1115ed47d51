// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI

    /// Whether a server may act in the client's name towards other servers.
    public enum Delegation: Hashable, Sendable {
        /// The server may not act in the client's name.
        case none
        /// The server may act in the client's name if the realm's administrators have marked the service as trusted for it (RFC 5896).
        case whereRealmTrustsServer
        /// The server receives the client's own ticket, with which it can do everything that the client can (RFC 4121 section 4.1.1).
        case unrestricted

        var flag: OM_uint32 {
            switch self {
            case .none: 0
            case .whereRealmTrustsServer: OM_uint32(GSS_C_DELEG_POLICY_FLAG)
            case .unrestricted: OM_uint32(GSS_C_DELEG_FLAG)
            }
        }
    }
#endif
