// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    /// Whether a server must show with its acceptance that it has the service's key.
    public enum ServerProof: Hashable, Sendable {
        /// A response without a proof is refused, and so is one with a wrong proof.
        case required
        /// Only a wrong proof is refused: some servers send none, and over https their certificate has spoken for them.
        case checkedWhereSent
    }
#endif
