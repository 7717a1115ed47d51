// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

extension Request: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, without the user, the password and the values of secret parameters in the URL.
    public var description: String {
        "\(method.rawValue) \((try? HTTPURL(url))?.redacted ?? Redaction.unreadableURL(url))"
    }

    /// Shows no more than the description, so that `dump` prints no secret of the URL or the header fields either.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
