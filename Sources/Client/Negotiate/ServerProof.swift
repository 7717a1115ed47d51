// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    /// Whether a server must prove, when it accepts the client, that it has the service's key (mutual authentication, RFC 4121).
    public enum ServerProof: Hashable, Sendable {
        /// A response without a proof, or with a wrong proof, is refused.
        case required
        /// Only a response with a wrong proof is refused. Some servers send no proof; over https their certificate has authenticated them
        /// already.
        case checkedWhereSent
    }
#endif
