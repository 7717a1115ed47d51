// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// Why an authority's key could not be read.
package enum AuthorityKeyError: Error, Hashable {
    /// The file of a key is missing.
    case keyNotFound(path: String)
    /// The keychain has no identity with the label.
    case keyNotInKeychain(label: String)
    /// The key is not that of the authority's certificate.
    case otherKey
}

extension AuthorityKeyError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .keyNotFound(let path):
            ErrorExplanation(
                "ca.key-not-found", "The authority's key \(path) is not there.",
                reason: "Nothing can be signed without it. A root's key may have been taken offline on purpose.",
                advice: "Bring the file back for as long as it is needed.")
        case .keyNotInKeychain(let label):
            ErrorExplanation(
                "ca.key-not-in-keychain", "The keychain has no identity \"\(label)\".",
                reason: "The authority's key was put there, and was removed or renamed since.",
                advice: "List the identities with 'countersign keychain find --class identity'.")
        case .otherKey:
            ErrorExplanation(
                "ca.other-key", "The key is not that of the authority's certificate.",
                reason: "It was replaced by another.", advice: "Bring the right one back.")
        }
    }

    package static var examples: [AuthorityKeyError] {
        [
            .keyNotFound(path: "/home/me/.config/countersign/ca/root-key.pem"),
            .keyNotInKeychain(label: "Home issuing authority"), .otherKey,
        ]
    }
}
