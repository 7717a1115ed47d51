// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11
package import ErrorExplanations

/// An error in using a token or a key in it.
///
/// No case holds a PIN or the text of a URI that could contain one.
package enum TokenError: Error, Hashable {
    /// The text is not a PKCS#11 URI (RFC 7512). Holds the byte offset of the error.
    case malformedURI(offset: Int)
    /// The URI has an unknown or a duplicate attribute.
    case unknownAttribute(String)
    /// The URI has the attribute `pin-value`.
    case pinInURI
    /// The path of the module does not begin with a slash.
    case relativeModule(path: String)
    /// The system's loader cannot load the module. Holds the loader's error message.
    case moduleNotLoaded(path: String, detail: String)
    /// The library has no PKCS#11 functions, or an unknown version of them.
    case notAModule(path: String)
    /// No token matches the URI. Holds the labels of the tokens that are present.
    case tokenNotFound(uri: String, present: [String])
    /// More than one token matches the URI.
    case severalTokens(uri: String)
    /// The token has no such private key.
    case keyNotFound(uri: String)
    /// The token has more than one such private key.
    case severalKeys(uri: String)
    /// The token already has a key with the new key's name.
    case keyExists(uri: String)
    /// The key is neither an RSA key nor a key on P-256 or P-384.
    case unsupportedKey
    /// The key cannot sign with the algorithm.
    case unsupportedSignature(String)
    case pinNeeded
    case pinIncorrect
    case pinLocked
    /// The PIN was never set, has expired, or has a length or a character that the token does not accept.
    case pinUnusable
    /// The token is no longer in its slot.
    case removed
    /// The module no longer knows the session or its login.
    case sessionLost
    case writeProtected
    case full
    /// The module does not have the function, or the token does not support the mechanism, curve or key size.
    case unsupportedFunction(TokenFunction)
    /// The key's attributes do not permit signing.
    case notForSigning
    /// The user cancelled at the token's keypad.
    case cancelled
    /// The private key cannot be exported from its token.
    case notExportable
    /// The module's result is invalid.
    case malformedAnswer(TokenFunction)
    /// The function failed with another error. Holds its return value.
    case failed(TokenFunction, code: UInt)
}

extension TokenError: CataloguedError {
    package var explanation: ErrorExplanation {
        uriExplanation ?? moduleExplanation ?? pinExplanation ?? keyExplanation
    }

    private var uriExplanation: ErrorExplanation? {
        switch self {
        case .malformedURI(let offset):
            ErrorExplanation(
                "token.malformed-uri", "Character \(offset + 1) of the token's URI is wrong.",
                reason: "A PKCS#11 URI is written as RFC 7512 says: pkcs11:NAME=VALUE;NAME=VALUE.",
                advice: "Write it like pkcs11:token=home;object=issuing, with %20 for a space.")
        case .unknownAttribute(let name):
            ErrorExplanation(
                "token.unknown-attribute",
                "The token's URI has the attribute \"\(name)\", which is unknown or duplicated.",
                reason: "Without it, the URI could select another token or key than intended.",
                advice:
                    "Use token, serial, manufacturer, model, object and id, each once, and module-path after a question mark."
            )
        case .pinInURI:
            ErrorExplanation(
                "token.pin-in-uri", "The token's URI holds a PIN.",
                reason: "A URI is stored and logged, and others can read it there.",
                advice: "Leave pin-value out, and give the PIN in a file. If others could have read it, change it.")
        default: nil
        }
    }

    private var moduleExplanation: ErrorExplanation? {
        switch self {
        case .relativeModule(let path):
            ErrorExplanation(
                "token.relative-module", "The path of the PKCS#11 module \(path) is not absolute.",
                reason: "Another library of that name could be loaded from another folder.",
                advice: "Give the absolute path.")
        case .moduleNotLoaded(let path, let detail):
            ErrorExplanation(
                "token.module-not-loaded", "The PKCS#11 module \(path) cannot be loaded (\(detail)).",
                reason: "The token is reached through this library, which comes with the token's software.",
                advice: "Install that software, or give the path of its library.")
        case .notAModule(let path):
            ErrorExplanation(
                "token.not-a-module", "The library \(path) is not a PKCS#11 module of version 2 or 3.",
                reason: "It can be loaded, but does not offer the functions of PKCS#11.",
                advice: "Give the path of the library that came with the token.")
        case .tokenNotFound(let uri, let present):
            ErrorExplanation(
                "token.not-found", "No token matches \(uri).",
                reason: present.isEmpty
                    ? "The module sees no initialized token."
                    : "The module sees these tokens: \(present.map { "\"\($0)\"" }.joined(separator: ", ")).",
                advice: "Insert the token, or correct the URI.")
        case .severalTokens(let uri):
            ErrorExplanation(
                "token.ambiguous", "More than one token matches \(uri).",
                reason: "It is not clear which of them is meant.", advice: "Add the serial number: serial=...")
        case .removed:
            ErrorExplanation(
                "token.removed", "The token was removed.",
                reason: "Its slot is empty, or the connection to it was lost.",
                advice: "Insert the token, and try again.")
        case .sessionLost:
            ErrorExplanation(
                "token.session-lost", "The token ended the session, and ended a second one as well.",
                reason: "Another program may have reset it.",
                advice: "End the other programs that use the token, and try again.")
        case .writeProtected:
            ErrorExplanation(
                "token.write-protected", "The token is write-protected.", reason: "No key can be made in it.",
                advice: "Lift the protection with the token's own software.")
        case .full:
            ErrorExplanation(
                "token.full", "The token has no space for another key.", reason: "Its memory is full.",
                advice: "Remove keys that are no longer needed, with the token's own software.")
        default: nil
        }
    }

    private var pinExplanation: ErrorExplanation? {
        switch self {
        case .pinNeeded:
            ErrorExplanation(
                .notAuthenticated, "token.pin-needed", "The token needs its PIN.",
                reason: "Its keys can be used only after a login.",
                advice: "Give the PIN, or start this at a terminal to be asked for it.")
        case .pinIncorrect:
            ErrorExplanation(
                .notAuthenticated, "token.pin-incorrect", "The token refused the PIN.",
                reason: "It is the wrong one. A token locks itself after a few wrong PINs.",
                advice: "Check the PIN before the next attempt.")
        case .pinLocked:
            ErrorExplanation(
                .notAuthenticated, "token.pin-locked", "The token's PIN is locked.",
                reason: "Too many wrong PINs were tried.",
                advice: "Unlock it as the token's security officer, with the token's own software.")
        case .pinUnusable:
            ErrorExplanation(
                "token.pin-unusable", "The token has no usable PIN.",
                reason: "It was never set or has expired, or the given one has a wrong length or character.",
                advice: "Set a new PIN with the token's own software.")
        case .cancelled:
            ErrorExplanation(
                "token.cancelled", "The request was cancelled at the token.",
                reason: "The token prompts its user itself.",
                advice: "Start again, and confirm at the token.")
        default: nil
        }
    }

    private var keyExplanation: ErrorExplanation {
        switch self {
        case .keyNotFound(let uri):
            ErrorExplanation(
                "token.key-not-found", "The token has no private key for \(uri).",
                reason: "It was removed or renamed, or the token was initialized again.",
                advice: "List the token's objects with its own software, and name one of them.")
        case .severalKeys(let uri):
            ErrorExplanation(
                "token.several-keys", "The token has more than one private key for \(uri).",
                reason: "It is not clear which of them is meant.",
                advice: "Add the key's identifier: id=..., with a percent sign before each byte.")
        case .keyExists(let uri):
            ErrorExplanation(
                "token.key-exists", "The token already has a key for \(uri).",
                reason: "A second one of the same name could be mistaken for it.",
                advice: "Name another object, or remove that key with the token's own software.")
        case .unsupportedKey:
            ErrorExplanation(
                "token.unsupported-key", "Keys of this kind are not used in a token.",
                reason: "Supported are ECDSA on P-256 and P-384, and RSA of 2048, 3072 and 4096 bits.",
                advice: "Choose one of these kinds.")
        case .unsupportedSignature(let algorithm):
            ErrorExplanation(
                "token.unsupported-signature", "The key in the token cannot sign with \(algorithm).",
                reason: "The algorithm is for another kind of key, or is too weak.",
                advice: "Choose an algorithm of the key's kind with SHA-256, SHA-384 or SHA-512.")
        case .unsupportedFunction(let function):
            ErrorExplanation(
                "token.unsupported-function",
                "The token does not support the requested operation (\(function.rawValue)).",
                reason: "Some tokens support only some curves and key sizes.", advice: "Choose another kind of key.")
        case .notForSigning:
            ErrorExplanation(
                "token.not-for-signing", "The key in the token may not sign.",
                reason: "It was made for another purpose.", advice: "Name another key.")
        case .notExportable:
            ErrorExplanation(
                "token.not-exportable", "A private key in a token cannot be read.",
                reason: "It never leaves the token, which is the purpose of the token.",
                advice: "Have the token sign, or make a key in a file.")
        case .malformedAnswer(let function):
            ErrorExplanation(
                "token.malformed-answer",
                "The token's module returned an invalid result (\(function.rawValue)).",
                reason: "A length, a key or a signature in it is wrong, so it was discarded.",
                advice: "Update the token's software. If it happens again, the token may be broken.")
        case .failed(let function, let code):
            ErrorExplanation(
                "token.failed", "The token's module failed (\(function.rawValue), 0x\(String(code, radix: 16))).",
                reason: "The number is the return value, which PKCS#11 lists as CKR_.",
                advice: "Look the number up in the documentation of the token's software.")
        default:
            ErrorExplanation(
                "token.failed", "The token's module failed.", reason: "It gave no reason.", advice: "Try again.")
        }
    }

    package static var examples: [TokenError] {
        [
            .malformedURI(offset: 7), .unknownAttribute("pin-source"), .pinInURI,
            .relativeModule(path: "softhsm/libsofthsm2.so"),
            .moduleNotLoaded(path: "/usr/lib/softhsm/libsofthsm2.so", detail: "No such file or directory"),
            .notAModule(path: "/usr/lib/libz.so"), .tokenNotFound(uri: "pkcs11:token=home", present: ["office"]),
            .severalTokens(uri: "pkcs11:token=home"), .keyNotFound(uri: "pkcs11:token=home;object=Home%20issuing"),
            .severalKeys(uri: "pkcs11:token=home;object=Home%20issuing"),
            .keyExists(uri: "pkcs11:token=home;object=Home%20issuing"), .unsupportedKey,
            .unsupportedSignature("SignatureAlgorithm.ed25519"), .pinNeeded, .pinIncorrect, .pinLocked, .pinUnusable,
            .removed, .sessionLost, .writeProtected, .full, .unsupportedFunction(.generate), .notForSigning, .cancelled,
            .notExportable, .malformedAnswer(.attribute), .failed(.sign, code: 0x30),
        ]
    }
}

extension TokenFunction {
    /// Throws the error of a return value that is not a success.
    func check(_ result: CK_RV) throws(TokenError) {
        guard result == CKR_OK else { throw TokenError(result, of: self) }
    }
}

extension TokenError {
    /// Creates the error for a function's return value (PKCS#11 section 5.1).
    init(_ code: CK_RV, of function: TokenFunction) {
        self =
            switch code {
            case CKR_PIN_INCORRECT: .pinIncorrect
            case CKR_PIN_LOCKED: .pinLocked
            case CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED, CKR_USER_PIN_NOT_INITIALIZED: .pinUnusable
            case CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED, CKR_DEVICE_REMOVED: .removed
            case CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_KEY_HANDLE_INVALID,
                CKR_OBJECT_HANDLE_INVALID, CKR_CRYPTOKI_NOT_INITIALIZED:
                .sessionLost
            case CKR_TOKEN_WRITE_PROTECTED: .writeProtected
            case CKR_DEVICE_MEMORY: .full
            case CKR_MECHANISM_INVALID, CKR_FUNCTION_NOT_SUPPORTED, CKR_CURVE_NOT_SUPPORTED, CKR_KEY_SIZE_RANGE:
                .unsupportedFunction(function)
            case CKR_KEY_FUNCTION_NOT_PERMITTED: .notForSigning
            case CKR_CANCEL, CKR_FUNCTION_CANCELED: .cancelled
            default: .failed(function, code: code)
            }
    }

    /// Whether reopening the session may help.
    var endsSession: Bool { self == .sessionLost || self == .removed }
}

/// A PKCS#11 function, with its name in the specification.
package enum TokenFunction: String, Hashable, Sendable {
    case initialize = "C_Initialize"
    case slots = "C_GetSlotList"
    case openSession = "C_OpenSession"
    case logIn = "C_Login"
    case find = "C_FindObjects"
    case attribute = "C_GetAttributeValue"
    case generate = "C_GenerateKeyPair"
    case destroy = "C_DestroyObject"
    case sign = "C_Sign"
}
