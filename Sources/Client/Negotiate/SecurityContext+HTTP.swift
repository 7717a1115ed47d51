// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import Challenges

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
