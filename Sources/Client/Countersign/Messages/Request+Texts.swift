// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

extension Request {
    /// Refuses texts that could end a line of the request and begin another one, before anything is sent.
    ///
    /// RFC 9110 section 5.5 lets a recipient replace CR, LF and NUL in fields; a sender that lets them through can be made to send
    /// what its caller did not mean (CVE-2014-8150).
    ///
    /// - Throws: ``SessionError`` of ``RequestError/forbiddenCharacter(_:)``.
    func checkTexts() throws(SessionError) {
        if let flaw = flaw ?? body?.flaw ?? credential?.flaw { throw .request(.forbiddenCharacter(flaw)) }
        guard url.isOneLine else { throw .request(.forbiddenCharacter(.url)) }
        guard body?.contentType?.isOneLine ?? true else { throw .request(.forbiddenCharacter(.contentType)) }
    }
}

extension Credential {
    /// The part that could end a line; `nil` where no part could.
    var flaw: RequestError.Text? {
        switch kind {
        case .password(let user, let password): user.isOneLine ? password.isOneLine ? nil : .password : .user
        case .token(let token): token.isOneLine ? nil : .token
        case .currentUser, .identity, .serverTrust: nil
        }
    }
}

extension FormPart {
    /// The part that could end a line of a part's head; `nil` where none could.
    var flaw: RequestError.Text? {
        guard name.isOneLine else { return .formName }
        guard fileName?.isOneLine ?? true else { return .fileName }
        return contentType?.isOneLine ?? true ? nil : .contentType
    }
}
