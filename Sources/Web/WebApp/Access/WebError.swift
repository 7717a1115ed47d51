// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
package import ErrorExplanations
import HTTPTypes
import KeychainService

/// The reason why the server refuses a request, or cannot be started.
package enum WebError: Error, Hashable {
    case wrongHost
    case crossSite
    case notSignedIn
    case tokenUsed
    case staleForm
    case tooLarge
    case notFound
    /// The stopped or finished fetch is no longer stored.
    case fetchExpired
    case malformedIdentity
    case portInUse(Int)
    case noFreePort(first: Int, last: Int)
    case malformedSettings(String)
    /// The command line of another client cannot be run. Holds the reason.
    case malformedClient(String)
    /// A browser on another computer cannot run other clients.
    case noPrograms
    case wrongPassphrase
    /// The session over the network has ended.
    case signedOut
    /// The system does not allow the server to listen on the address. Holds the `errno` value.
    case cannotListen(address: String, port: Int, code: Int32)
    /// A guess came too early, and was not checked. Holds the time to wait.
    case tooManyGuesses(seconds: Int)
    /// The passphrase for the network is easily guessed.
    case weakPassphrase
    /// The text is not an IP address. Holds the text.
    case noAddress(String)
    /// The server's certificate has expired, or is not valid yet.
    case certificateNotValid
    /// The server's certificate names no host.
    case certificateWithoutName
    /// The TLS library cannot use the certificate and its key.
    case unusableCertificate
    /// A fetched file exceeds the size limit. Holds the limit in bytes.
    case fileTooLarge(limit: Int)
}

extension WebError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .wrongHost:
            ErrorExplanation(
                "web.wrong-host", "The request names another host than this server.",
                reason: "A web site may have pointed its own name to this computer, to read these pages.",
                advice: "Open the page by the address that the program printed when it started.")
        case .crossSite:
            ErrorExplanation(
                "web.cross-site", "Another web site sent this request.",
                reason: "Only the pages of this server may use it.", advice: "Go back, and use the page itself.")
        case .notSignedIn:
            ErrorExplanation(
                "web.not-signed-in", "This browser is not the one that the program opened.",
                reason: "One browser at a time may use the pages: the one that was opened last.",
                advice: "Start the program once more: it opens the browser again.")
        case .tokenUsed:
            ErrorExplanation(
                "web.token-used", "The file that opens the browser was used before.",
                reason: "Its token is valid only once, so that a copy of it is worthless.",
                advice: "Start the program once more: it opens the browser again.")
        case .staleForm:
            ErrorExplanation(
                "web.stale-form", "The form belongs to an earlier session.",
                reason: "The forms of each session contain a secret, so that no other site can forge one.",
                advice: "Load the page again, and repeat what you did.")
        case .tooLarge:
            ErrorExplanation(
                "web.too-large", "The request is too long.",
                reason: "No form of this server needs more.", advice: "Choose a smaller file, or a shorter text.")
        case .notFound:
            ErrorExplanation(
                "web.not-found", "There is no such page.",
                reason: "The address was mistyped, or is of another version.",
                advice: "Begin at the page for fetching.")
        case .fetchExpired:
            ErrorExplanation(
                "web.fetch-gone", "This fetch is no longer stored.",
                reason: "Only the latest fetches are stored, until the program ends.", advice: "Fetch the URL again.")
        case .malformedIdentity:
            ErrorExplanation(
                "web.no-identity-file", "No identity was sent.",
                reason: "The browser sends the file with the form only after it was chosen.",
                advice: "Choose a file in PEM or PKCS#12 that holds a certificate and its key.")
        case .portInUse(let port):
            ErrorExplanation(
                "web.port-in-use", "Port \(port) is in use.",
                reason: "The web application keeps its port, and it may run already.",
                advice: "End the other program, or choose another port.")
        case .noFreePort(let first, let last):
            ErrorExplanation(
                "web.no-free-port", "All ports from \(first) to \(last) are in use.",
                reason: "Other programs listen on them.", advice: "End one of them, or choose another port.")
        case .malformedSettings(let path):
            ErrorExplanation(
                "web.malformed-settings", "The settings of the web application cannot be read: \(path).",
                reason: "The file was changed, or is damaged.", advice: "Remove the file, and start again.")
        case .malformedClient(let reason):
            ErrorExplanation(
                "web.malformed-client", "The command line of the client cannot be run: \(reason).",
                reason: "Quotes, braces and brackets come in pairs, and {url} stands for the URL to fetch.",
                advice: "Correct it, and grade the client again.")
        case .noPrograms:
            ErrorExplanation(
                "web.no-programs", "Other clients are not run over the network.",
                reason: "They are programs of the computer that serves the pages.",
                advice: "Grade them at the command line of that computer.")
        case .wrongPassphrase:
            ErrorExplanation(
                "web.wrong-passphrase", "The passphrase is wrong.",
                reason: "After some wrong ones, you have to wait longer each time.",
                advice: "Type the passphrase that the program was started with.")
        case .signedOut:
            ErrorExplanation(
                "web.signed-out", "You are signed out.",
                reason: "The session has ended, or another browser has signed in.",
                advice: "Sign in again, and repeat what you did.")
        case .cannotListen(let address, let port, let code):
            ErrorExplanation(
                "web.cannot-listen",
                "The server cannot listen at \(address), port \(port): \(systemErrorText(code)).", systemCode: code,
                reason: "The address has to be one of this computer, and ports below 1024 need privileges.",
                advice: "Choose another address or port; 0.0.0.0 is for all addresses.")
        case .tooManyGuesses(let seconds):
            ErrorExplanation(
                "web.too-many-guesses", "Too many wrong passphrases came from your address.",
                reason: "This one was not checked.",
                advice: "Wait \(Duration.seconds(seconds).text), and type it again.")
        case .weakPassphrase:
            ErrorExplanation(
                "web.weak-passphrase", "The passphrase for the network is easily guessed.",
                reason: "It is short, a common one, or a pattern: a program that guesses tries it early.",
                advice: "Choose four or more words at random.")
        case .noAddress(let text):
            ErrorExplanation(
                "web.no-address", "The server cannot listen at \(text): it is no IP address.",
                reason: "The server listens at one address of this computer, or at all of them.",
                advice: "Give an address of this computer, or 0.0.0.0 for all.")
        case .certificateNotValid:
            ErrorExplanation(
                "web.certificate-not-valid", "The server's certificate is not valid today.",
                reason: "It has expired, or its time has not begun.",
                advice: "Let your authority issue a new one.")
        case .certificateWithoutName:
            ErrorExplanation(
                "web.certificate-without-name", "The server's certificate names no host.",
                reason: "Browsers compare its subject alternative names with the address that they open.",
                advice: "Let your authority issue one for the name or the address.")
        case .unusableCertificate:
            ErrorExplanation(
                "web.unusable-certificate", "The server's certificate and its key cannot be used for TLS.",
                reason: "The kind of the key is not supported, or the two do not belong together.",
                advice: "Use a certificate of an RSA key, or of P-256 or P-384.")
        case .fileTooLarge(let limit):
            ErrorExplanation(
                "web.file-too-large", "The response is longer than \(limit >> 20) MiB.",
                reason: "The server stores fetched files until it ends, and limits their size.",
                advice: "Fetch it on the command line, into a file.")
        }
    }

    /// The status of the error response.
    var status: HTTPResponse.Status {
        switch self {
        case .wrongHost: .misdirectedRequest
        case .crossSite, .notSignedIn, .tokenUsed, .staleForm: .forbidden
        case .tooLarge: .contentTooLarge
        case .notFound: .notFound
        case .fetchExpired: .gone
        case .malformedIdentity, .malformedClient: .badRequest
        case .noPrograms, .wrongPassphrase, .signedOut: .forbidden
        case .tooManyGuesses: .tooManyRequests
        case .weakPassphrase, .noAddress, .certificateNotValid, .certificateWithoutName, .unusableCertificate,
            .cannotListen, .portInUse, .noFreePort, .malformedSettings, .fileTooLarge:
            .internalServerError
        }
    }

    package static var examples: [WebError] {
        [
            .wrongHost, .crossSite, .notSignedIn, .tokenUsed, .staleForm, .tooLarge, .notFound, .fetchExpired,
            .malformedIdentity, .portInUse(8377), .noFreePort(first: 8377, last: 8396),
            .malformedSettings("/home/me/web.json"), .malformedClient("it has no {url}"), .noPrograms, .wrongPassphrase,
            .signedOut,
            .cannotListen(address: "192.0.2.1", port: 8443, code: 99),
            .tooManyGuesses(seconds: 4), .weakPassphrase, .noAddress("example"), .certificateNotValid,
            .certificateWithoutName, .unusableCertificate,
            .fileTooLarge(limit: 1 << 30),
        ]
    }
}

extension ErrorOptions {
    /// The sentences for errors on the pages, which have no command options.
    static let web: ErrorOptions = .common + .keychain
}
