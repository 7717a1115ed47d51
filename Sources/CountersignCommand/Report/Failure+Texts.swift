// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

extension Failure {
    /// Says that a text could end a line of the request.
    ///
    /// - Parameter text: What has the character, with its article.
    /// - Returns: The message.
    static func forbiddenCharacter(in text: String) -> String {
        "\(text.prefix(1).uppercased() + text.dropFirst()) has a line break or a zero byte, which could forge a part of the request."
    }

    static let forbiddenAdvice = "Leave it out. Nothing was sent."
}

extension SessionError.RequestText {
    /// Such as "the URL".
    var words: String {
        switch self {
        case .url: "the URL"
        case .field(let name): "the field \(name)"
        case .user: "the user name"
        case .password: "the password"
        case .token: "the token"
        case .formName: "the name of a form's part"
        case .fileName: "the name of a form's file"
        case .contentType: "the type of a body"
        }
    }
}
