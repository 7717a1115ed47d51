// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// A proxy of SOCKS is asked as others are, and says less: one method, no realm, and a word for a wrong password.
extension RequestAuthentication {
    /// Finds the user and the password to log in with; asks once for as long as they are not rejected.
    ///
    /// - Throws: ``SessionError/proxyAuthenticationRequired(_:_:)``, ``SessionError/challengeCancelled(_:)``,
    ///   ``SessionError/methodsNotAllowed(_:offered:allowed:)``.
    func findLogin() async throws -> Credential {
        if let login { return login }
        let space = challenger.socksSpace
        offeredMethods = [.socksPassword]
        offersNoneAllowed = !allowed.contains(.socksPassword)
        if offersNoneAllowed { throw refusal }
        let (question, answer) = try await lookup.answer(.socksLogin, in: space, rejected: rejections.credentials)
        core.report(.challenged(question, answer))
        switch answer {
        case .used(let credential):
            login = credential
            return credential
        case .cancelled:
            throw SessionError.challengeCancelled(space)
        default:
            throw SessionError.proxyAuthenticationRequired(challenger.endpoint, offeredMethods)
        }
    }

    /// The proxy let the login in.
    func acceptLogin() {
        guard let login else { return }
        acceptedCredential = login
        lookup.noteAcceptance(in: challenger.socksSpace)
        accepted = (challenger.socksSpace, login)
        core.memory.remember(login: login, in: challenger.socksSpace, own: own)
    }

    /// The proxy did not let the login in; finds the next one.
    ///
    /// - Throws: What ``findLogin()`` throws.
    func rejectLogin() async throws {
        guard let login else { return }
        let space = challenger.socksSpace
        rejections.add(login, in: space)
        core.memory.forget(login, in: space, own: own)
        await lookup.drop(login, in: space)
        self.login = nil
        _ = try await findLogin()
    }
}
