// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

extension PinError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let advice = "Write it as sha256/ and 44 characters of base64, such as a verdict prints for each certificate."
        return switch self {
        case .malformed(let text):
            ErrorExplanation(
                "pin.malformed", "\"\(text)\" is not a pin.",
                reason: "A pin is a SHA-256 digest of 32 bytes, in base64 or hexadecimal.", advice: advice)
        case .unsupportedHash(let name):
            ErrorExplanation(
                "pin.unsupported-hash", "The hash \(name) is not supported for pins.",
                reason: "Pins are SHA-256 digests, as in RFC 7469 section 2.4.", advice: advice)
        }
    }

    package static var examples: [Self] { [.malformed("sha256/abc"), .unsupportedHash("sha1")] }
}
