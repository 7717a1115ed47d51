// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI
    import Challenges
    import Synchronization

    /// The client's side of one exchange of tokens (RFC 2743 section 2.2), by SPNEGO (RFC 4178) with Kerberos (RFC 4121).
    package final class SecurityContext: Sendable {
        /// Where the exchange stands.
        package struct Step: Hashable, Sendable {
            /// What to send, if anything.
            package let token: [UInt8]?
            /// Whether nothing more is awaited.
            package let isComplete: Bool
            /// Whether the server has shown that it has the service's key; known once the exchange is complete.
            package let isMutual: Bool
        }

        private let state: Mutex<GSSContext>
        private let flags: OM_uint32
        private let binding: [UInt8]?

        /// Prepares an exchange; fetching a principal's tickets may take a while.
        ///
        /// - Parameters:
        ///   - host: Whose service `HTTP` is meant.
        ///   - owner: Who asks.
        ///   - binding: The application data of the channel's bindings (RFC 5929 section 4); `nil` where there is no channel.
        ///   - delegation: Whether the server may act in the client's name.
        /// - Throws: ``GSSError``, such as that there is no ticket.
        package init(
            host: String, owner: GSSCredential.Owner, binding: [UInt8]?, delegation: Delegation = .none
        ) throws(GSSError) {
            state = Mutex(GSSContext(name: try GSSName(serviceOn: host), credential: try GSSCredential(of: owner)))
            flags = OM_uint32(GSS_C_MUTUAL_FLAG) | delegation.flag
            self.binding = binding
        }

        /// Takes the server's token and makes the next; may ask the KDC over the network, and wait for it.
        ///
        /// - Parameter token: What the server sent, `nil` at the start.
        /// - Returns: What to send, and where the exchange stands.
        /// - Throws: ``GSSError``; the exchange is over then.
        package func step(_ token: [UInt8]?) throws(GSSError) -> Step {
            try state.withLock { state throws(GSSError) in try state.step(token, flags: flags, binding: binding) }
        }
    }

    extension SecurityContext {
        /// Prepares an exchange in the words of the schemes of HTTP.
        convenience init(
            for request: RequestFacts, credential: Credential, delegation: Delegation
        ) throws(HTTPAuthenticatorError) {
            try request.host.refuseControlCharacters(in: .target)
            // The library would take this machine's own name instead.
            guard !request.host.isEmpty else { throw .mechanism("it is not known which host asks") }
            let owner = try GSSCredential.Owner(credential)
            do {
                try self.init(
                    host: request.host, owner: owner, binding: request.channelBinding?.applicationData,
                    delegation: delegation)
            } catch {
                throw .mechanism(error.text)
            }
        }

        /// Takes the server's token, `nil` at the start, and makes the next.
        func answer(to token: [UInt8]?) throws(HTTPAuthenticatorError) -> Step {
            do {
                return try step(token)
            } catch {
                throw .mechanism(error.text)
            }
        }
    }

    extension GSSCredential.Owner {
        fileprivate init(_ credential: Credential) throws(HTTPAuthenticatorError) {
            switch credential.kind {
            case .currentUser:
                self = .currentUser
            case .password(let user, let password):
                try user.refuseControlCharacters(in: .user)
                self = .principal(user, password: password)
            default:
                throw .unsuitableCredential(.negotiate)
            }
        }
    }
#endif
