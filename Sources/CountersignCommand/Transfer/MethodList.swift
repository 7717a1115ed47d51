// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

/// The value of `--methods` and `--proxy-methods`: names with commas between.
struct MethodList: Sendable {
    let allowed: AllowedMethods

    /// The names that an option takes.
    static let names = MethodPreference.strongestFirst + [.socksPassword]

    /// - Throws: ``WrongValue`` for a name that is none of ``names``.
    init(_ text: String) throws(WrongValue) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let methods = words.map { word in AuthenticationMethod(String(word.drop { $0 == " " })) }
        guard methods.allSatisfy(Self.names.contains) else {
            let names = Self.names.map(\.description).joined(separator: ", ")
            throw WrongValue("write names with commas between, of \(names)")
        }
        allowed = .only(Set(methods))
    }
}
