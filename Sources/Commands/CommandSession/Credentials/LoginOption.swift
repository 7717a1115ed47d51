// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
package import CommandSupport
import Countersign
package import Secrets

/// The value of `--user` and `--proxy-user`: a name, or as in curl a name and a password with a colon between.
package struct LoginOption: Sendable, ExpressibleByArgument {
    package let user: String
    /// `nil` where no colon follows the name.
    package let password: Secret?

    /// Reads `NAME` or `NAME:PASSWORD`; the first colon divides them, so a name cannot have one.
    package init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = parts.first.map(String.init) ?? ""
        password = parts.count == 2 ? Secret(String(parts[1])) : nil
    }

    /// - Parameter option: Its name, for the error.
    /// - Throws: ``UsageError/forbiddenCharacter(_:)`` where the value could end a line of the request.
    package func refuseLineBreaks(in option: String) throws(UsageError) {
        let isClean = user.isOneLine && password?.isOneLine ?? true
        guard isClean else { throw .forbiddenCharacter(option) }
    }
}
