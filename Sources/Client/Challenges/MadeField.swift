// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A field's value that depends on nothing but the credential: made once, and handed out again without allocating.
///
/// It lives as long as the credential beside it, and prints no more. A reference, so that an authenticator that holds one fits into
/// an existential, which then can be copied for nothing.
final class MadeField: Sendable {
    let value: String
    private let kind: Credential.Kind

    init(_ value: String, for kind: Credential.Kind) {
        self.value = value
        self.kind = kind
    }

    /// Whether it was made for this.
    func belongs(to kind: Credential.Kind) -> Bool { self.kind == kind }
}

extension MadeField: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }

    /// Shows no children, so that `dump` prints no secret either.
    var customMirror: Mirror { Mirror(self, children: []) }
}
