// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI
    import Challenges
    import Synchronization

    /// The client side of one token exchange (RFC 2743 section 2.2), with SPNEGO (RFC 4178) and Kerberos (RFC 4121).
    package final class SecurityContext: Sendable {
        /// The result of one step of the exchange.
        package struct Step: Hashable, Sendable {
            /// The token to send, if any.
            package let token: [UInt8]?
            /// Whether the exchange is complete and needs no further token.
            package let isComplete: Bool
            /// Whether the server has proven that it has the service's key; valid once the exchange is complete.
            package let isMutual: Bool
        }

        private let state: Mutex<GSSContext>
        private let flags: OM_uint32
        private let binding: [UInt8]?

        /// Prepares an exchange; fetching a principal's tickets may take some time.
        ///
        /// - Parameters:
        ///   - host: The host of the `HTTP` service.
        ///   - owner: The owner of the tickets.
        ///   - binding: The application data of the channel bindings (RFC 5929 section 4); `nil` without a TLS channel.
        ///   - delegation: Whether the server may act on behalf of the client.
        /// - Throws: ``GSSError``, for example if there is no ticket.
        package init(
            host: String, owner: GSSCredential.Owner, binding: [UInt8]?, delegation: Delegation = .none
        ) throws(GSSError) {
            state = Mutex(GSSContext(name: try GSSName(serviceOn: host), credential: try GSSCredential(of: owner)))
            flags = OM_uint32(GSS_C_MUTUAL_FLAG) | delegation.flag
            self.binding = binding
        }

        /// Reads the server's token and creates the next one; may block while the library contacts the KDC.
        ///
        /// - Parameter token: The server's token; `nil` at the start.
        /// - Returns: The token to send and the state of the exchange.
        /// - Throws: ``GSSError``, which ends the exchange.
        package func step(_ token: [UInt8]?) throws(GSSError) -> Step {
            try state.withLock { state throws(GSSError) in try state.step(token, flags: flags, binding: binding) }
        }
    }

    extension SecurityContext {
        /// Prepares an exchange for a request with a credential.
        convenience init(
            for request: RequestFacts, credential: Credential, delegation: Delegation
        ) throws(HTTPAuthenticatorError) {
            try request.host.refuseControlCharacters(in: .target)
            // For an empty host, the library would use the name of this machine.
            guard !request.host.isEmpty else { throw .mechanism("the request has no host") }
            let owner = try GSSCredential.Owner(credential)
            do {
                try self.init(
                    host: request.host, owner: owner, binding: request.channelBinding?.applicationData,
                    delegation: delegation)
            } catch {
                throw .mechanism(error.text)
            }
        }

        /// Reads the server's token, `nil` at the start, and creates the next one.
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
