// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The error of a signed request that is refused.
@nonexhaustive
public enum JWSError: Error, Hashable, Sendable {
    /// The part of a signed request that cannot be read.
    @nonexhaustive
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// The JSON object that contains the three parts.
        case body
        /// The protected header.
        case header
        /// The signer in the header, which has neither or both of `jwk` and `kid`.
        case signer
        /// The nonce in the header, which is not base64url.
        case nonce
        /// The signed payload.
        case payload
        /// The signature.
        case signature
    }

    /// The message is larger than 128 KiB.
    case tooLarge
    /// A part of the message cannot be read.
    case malformed(Part)
    /// The algorithm is unknown or does not fit the key. Holds the name in the header.
    case unsupportedAlgorithm(String)
    /// The key is malformed, of an unsupported kind or size, or a private key.
    case unusableKey
    /// The message was signed with another key, or was changed after signing.
    case wrongSignature
}

extension JWSError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .tooLarge:
            ErrorExplanation(
                "jws.too-large", "The signed request has more than 128 KiB.",
                reason: "Requests to an authority are far smaller.", advice: "Ask for fewer names at once.")
        case .malformed(let part):
            ErrorExplanation(
                "jws.malformed", "The signed request cannot be read: \(part.clause).",
                reason: "It is not a flattened JSON web signature as ACME requires.",
                advice: "Report it to the maker of the client.")
        case .unsupportedAlgorithm(let name):
            ErrorExplanation(
                "jws.unsupported-algorithm", "The signed request uses the algorithm \"\(name)\".",
                reason: "It is unknown, or does not fit the key.",
                advice: "Use RS256, ES256, ES384, ES512 or EdDSA, depending on the key.")
        case .unusableKey:
            ErrorExplanation(
                "jws.unusable-key", "The key of the signed request cannot be used.",
                reason: "Keys are RSA of 2,048 to 8,192 bits, EC on P-256, P-384 or P-521, or Ed25519.",
                advice: "Use another key, preferably on P-256.")
        case .wrongSignature:
            ErrorExplanation(
                "jws.wrong-signature", "The signed request was not signed with the key that it names.",
                reason: "Another key signed it, or it was changed after signing.", advice: "Use the key of the account."
            )
        }
    }

    package static var examples: [Self] {
        [.tooLarge, .malformed(.signer), .unsupportedAlgorithm("none"), .unusableKey, .wrongSignature]
    }
}

extension JWSError.Part {
    fileprivate var clause: String {
        switch self {
        case .body: "it is not a JSON object with only protected, payload and signature"
        case .header: "the protected header"
        case .signer: "the protected header needs one of jwk and kid"
        case .nonce: "the nonce"
        case .payload: "the payload"
        case .signature: "the signature"
        }
    }
}
