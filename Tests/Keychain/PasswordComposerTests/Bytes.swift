// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import PasswordComposer

func secret(_ text: String) -> SecretBytes {
    secret(Array(text.utf8))
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
    let secret = SecretBytes(count: bytes.count)
    for index in bytes.indices { secret.bytes.words[index] = bytes[index] }
    return secret
}

func text(_ secret: borrowing SecretBytes) -> String {
    secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

func bytes(_ scratch: borrowing Scratch<UInt8>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: scratch.words, count: scratch.count))
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}

func compose(_ mode: ComposerMode, _ master: String, _ domain: String) throws -> String {
    text(try mode.compose(secret(master), for: SiteName(domain)))
}
