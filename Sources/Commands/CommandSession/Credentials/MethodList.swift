// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import Challenges

/// The value of `--methods` and `--proxy-methods`: names with commas between.
package struct MethodList: Sendable {
    package let allowed: AllowedMethods

    /// The names that an option takes.
    package static let names = AuthenticationMethod.selectable

    /// - Throws: ``WrongValue`` for a name that is none of ``names``.
    package init(_ text: String) throws(WrongValue) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let methods = words.map { word in AuthenticationMethod(String(word.drop { $0 == " " })) }
        guard methods.allSatisfy(Self.names.contains) else {
            let names = Self.names.map(\.description).joined(separator: ", ")
            throw WrongValue("write names with commas between, of \(names)")
        }
        allowed = .only(Set(methods))
    }
}
