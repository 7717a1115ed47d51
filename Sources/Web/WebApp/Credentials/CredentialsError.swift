// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// The reason why the credentials page refuses a request.
package enum CredentialsError: Error, Hashable {
    case noFile
    case nothingInFile
    case noURL
    /// The contents to confirm are no longer stored.
    case importExpired
    /// The form confirms fingerprints other than the displayed ones.
    case otherFingerprints
    case differentPassphrases
    case emptyPassphrase
    /// The passphrase is easily guessed, and was not confirmed.
    case weakPassphrase
    /// The word that confirms the reset is missing. Holds the word.
    case wordMissing(String)
    case noItem
    /// Passwords are to be saved in the keychain, but it is locked or does not exist.
    case keychainNeeded
    /// The keychain's trust settings are required, but the keychain is locked.
    case trustLocked
    /// The keychain's trust settings were in use, but the keychain no longer exists. Holds its path.
    case keychainMissing(path: String)
    /// A host in the form is invalid. Holds the text.
    case malformedHost(String)
}

extension CredentialsError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .noFile:
            ErrorExplanation(
                "credentials.no-file", "No file was sent.",
                reason: "The browser sends the file with the form only after it was chosen.",
                advice: "Choose a file in PEM, DER or PKCS#12.")
        case .nothingInFile:
            ErrorExplanation(
                "credentials.nothing-in-file", "The file contains no certificate that can be added.",
                reason: "A key is added together with its certificate only.",
                advice: "Choose a file that holds both, or a certificate.")
        case .noURL:
            ErrorExplanation(
                "credentials.no-url", "A certificate cannot be fetched from this URL.",
                reason: "A certificate is fetched by http or https.", advice: "Write the whole URL.")
        case .importExpired:
            ErrorExplanation(
                "credentials.addition-gone", "The contents that you confirmed are no longer stored.",
                reason:
                    "One addition waits at a time, until the keychain is locked or the program ends. Nothing was added.",
                advice: "Choose the file or the URL again.")
        case .otherFingerprints:
            ErrorExplanation(
                "credentials.other-fingerprints", "You confirmed other fingerprints than those that were shown.",
                reason: "The form was changed, or is of an earlier addition. Nothing was added.",
                advice: "Choose the file or the URL again, and compare the fingerprints.")
        case .differentPassphrases:
            ErrorExplanation(
                "credentials.different-passphrases", "The two passphrases are not the same. Nothing was changed.",
                reason: "One of them is mistyped.", advice: "Type both again.")
        case .emptyPassphrase:
            ErrorExplanation(
                "credentials.empty-passphrase", "An empty passphrase protects nothing. Nothing was changed.",
                reason: "Only the passphrase protects the file from others.",
                advice: "Choose some words that no one else would put together.")
        case .weakPassphrase:
            ErrorExplanation(
                "credentials.weak-passphrase", "This passphrase is easily guessed. Nothing was changed.",
                reason: "It is short, a common one, or a pattern: a program that guesses tries it early.",
                advice: "Choose four or more words at random, or confirm that you want this one.")
        case .wordMissing(let word):
            ErrorExplanation(
                "credentials.word-missing", "The word \"\(word)\" was not typed. Nothing was removed.",
                reason: "The word shows that the reset is meant.", advice: "Type it, or go back.")
        case .noItem:
            ErrorExplanation(
                "credentials.no-item", "There is no such credential.",
                reason: "It was removed, or is of another keychain.", advice: "Look for it in the list.")
        case .keychainNeeded:
            ErrorExplanation(
                "credentials.keychain-needed", "The keychain is locked, or does not exist yet.",
                reason: "Permanent passwords are stored in it. Nothing was changed.",
                advice: "Unlock or create it on the page of credentials, and choose again.")
        case .trustLocked:
            ErrorExplanation(
                "credentials.trust-locked", "The keychain is locked, so its rules for servers are not known.",
                reason:
                    "Its distrusted certificates, pins and anchors count with server trust “Imported”. Nothing was sent without them.",
                advice: "Try again, and unlock the keychain.")
        case .keychainMissing(let path):
            ErrorExplanation(
                "credentials.trust-gone", "The keychain is not at \(path.printable) any more.",
                reason:
                    "Its distrusted certificates, pins and anchors counted with server trust “Imported”. Nothing was sent without them.",
                advice:
                    "Put it back, or make a new one on the page of credentials. To go on without one, choose another server trust in the settings, and then this one again."
            )
        case .malformedHost(let text):
            ErrorExplanation(
                "credentials.malformed-host", "The host \"\(text.printable)\" cannot be read. Nothing was changed.",
                reason: "A host is a name or an address as in a URL, without scheme and port.",
                advice: "Write one in each line, such as intranet.example.")
        }
    }

    package static var examples: [CredentialsError] {
        [
            .noFile, .nothingInFile, .noURL, .importExpired, .otherFingerprints, .differentPassphrases,
            .emptyPassphrase, .weakPassphrase, .wordMissing("delete"), .noItem, .keychainNeeded,
            .trustLocked, .keychainMissing(path: "/home/me/keys/keychain.sqlite"),
            .malformedHost("https://intranet.example"),
        ]
    }
}
