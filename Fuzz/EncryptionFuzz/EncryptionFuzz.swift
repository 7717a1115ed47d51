// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import XMLEncryption

/// Fuzzes decryption with an encrypted document.
///
/// The input is also encrypted and decrypted, because a sender can encrypt any text.
@main
enum EncryptionFuzz {
    static func main() async throws {
        let seeds = try seeds()
        for seed in seeds { test(seed) }
        let status = try FuzzDriver.run(seeds: { _ in seeds }) { bytes, count in
            EncryptionFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let key = [UInt8](repeating: 7, count: 16)
    private static let document = "<a xmlns=\"urn:a\" xmlns:p=\"urn:p\"><b Id=\"x\">text &amp; <p:c d=\"e\"/></b></a>"
    private static let path = [XMLName("a", in: "urn:a"), XMLName("b", in: "urn:a")]
    private static let decryptor = XMLDecryptor(
        keys: [.shared(key), .content(key)], policy: EncryptionPolicy(algorithms: Set(ContentAlgorithm.allCases)))

    private static func seeds() throws -> [[UInt8]] {
        var seeds = [Array(document.utf8)]
        for form in EncryptedForm.allCases {
            var encryptor = XMLEncryptor(for: .shared(key, name: "k"))
            encryptor.algorithm = .aes128GCM
            seeds.append(try encryptor.encrypt(Array(document.utf8), at: path, as: form))
        }
        return seeds
    }

    private static func test(_ input: [UInt8]) {
        _ = try? decryptor.decrypt(input)
        for form in EncryptedForm.allCases {
            guard let encrypted = try? XMLEncryptor(for: .shared(key)).encrypt(input, at: [], as: form) else { return }
            // If a document can be read and encrypted, it can also be decrypted.
            precondition((try? decryptor.decrypt(encrypted)) != nil, "an encrypted document does not decrypt")
        }
    }
}
