// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import Secrets

/// A 16-byte key that clears its memory and is redacted in descriptions.
struct NTLMKey: Sendable {
    private let secret: Secret

    /// Copies a key, and clears the original bytes.
    init(erasing bytes: inout [UInt8]) {
        secret = Secret(utf8: bytes)
        bytes.erase()
    }

    /// Derives the key of an account's answers (NTOWFv2, MS-NLMP section 3.3.2).
    ///
    /// - Throws: ``NTLMError/passwordNotUTF8``.
    init(account: NTLMAccount, password: Secret) throws(NTLMError) {
        let hash = try Self(hashing: password)
        var code = hash.code(Array(utf16: account.user.uppercasedForNTLM) + Array(utf16: account.domain))
        self.init(erasing: &code)
    }

    /// Computes the NT hash of a password (NTOWFv1, section 3.3.1).
    init(hashing password: Secret) throws(NTLMError) {
        var hash: [UInt8]? = password.withUnsafeBytes { bytes in
            var units: [UInt8] = []
            // UTF-16 needs at most two bytes for each UTF-8 byte,
            // so appending never reallocates and leaves no copy in memory.
            units.reserveCapacity(2 * bytes.count)
            defer { units.erase() }
            let isBroken = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) {
                units.append(littleEndian: $0)
            }
            return isBroken ? nil : units.withUnsafeBytes(MD4.digest)
        }
        guard var digest = hash.take() else { throw .passwordNotUTF8 }
        self.init(erasing: &digest)
    }

    /// Computes HMAC-MD5 of the concatenated parts.
    func code(_ parts: [UInt8]...) -> [UInt8] {
        secret.withUnsafeBytes { bytes in
            var code = HMAC<Insecure.MD5>(key: SymmetricKey(data: bytes))
            for part in parts { code.update(data: part) }
            return Array(code.finalize())
        }
    }
}

/// The proof of the password, and the resulting session key (MS-NLMP sections 2.2.2.7, 2.2.2.8 and 3.3.2).
struct NTLMResponse {
    /// The NTLMv2_RESPONSE.
    let bytes: [UInt8]
    /// The SessionBaseKey, which for NTLMv2 without key exchange is also the key of the message integrity code.
    let sessionKey: NTLMKey

    init(
        to serverChallenge: [UInt8], key: NTLMKey, time: [UInt8], clientChallenge: UInt64,
        targetInformation: NTLMTargetInformation
    ) {
        var body: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0]
        body += time
        body.append(littleEndian: clientChallenge)
        body += [0, 0, 0, 0]
        body += targetInformation.encoded
        body += [0, 0, 0, 0]
        let proof = key.code(serverChallenge, body)
        bytes = proof + body
        var sessionKey = key.code(proof)
        self.sessionKey = NTLMKey(erasing: &sessionKey)
    }
}

/// An account: a user, and the domain of the user.
struct NTLMAccount: Hashable {
    let user: String
    /// The domain; empty for a user principal name, which contains it, and if the server selects it.
    let domain: String

    /// Parses the name of an account.
    ///
    /// - Parameter name: `DOMAIN\user`, `user@domain` or `user`.
    /// - Throws: ``NTLMError/emptyUser``.
    init(_ name: String) throws(NTLMError) {
        let parts = name.split(separator: "\\", maxSplits: 1, omittingEmptySubsequences: false)
        user = String(parts.last ?? "")
        domain = parts.count == 2 ? String(parts[0]) : ""
        guard !user.isEmpty else { throw .emptyUser }
    }
}

extension String {
    /// The upper-case text for Windows' comparison of user names,
    /// one UTF-16 unit at a time (MS-NLMP section 6, `Uppercase`).
    ///
    /// The standard only says "uppercased"; Windows maps single units. Therefore a letter with a longer upper case is
    /// unchanged ("ß", not "SS"), and so are characters beyond the basic plane. No character outside ASCII is mapped to
    /// an ASCII letter ("ı" and "ſ" are unchanged), so that no name becomes that of another user.
    var uppercasedForNTLM: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            let upper = scalar.properties.uppercaseMapping.unicodeScalars
            guard let first = upper.first, upper.count == 1, scalar.value <= 0xFFFF, first.value <= 0xFFFF,
                first.isASCII == scalar.isASCII
            else {
                result.append(scalar)
                continue
            }
            result.append(first)
        }
        return String(result)
    }
}

/// The hash function of stored NT passwords (RFC 1320), which is broken for every other use.
package enum MD4 {
    private typealias State = (a: UInt32, b: UInt32, c: UInt32, d: UInt32)

    /// Returns the digest, 16 bytes; no copy of the message remains in memory.
    package static func digest(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        var padded: [UInt8] = []
        // At most 63 bytes of padding and 8 bytes of length: appending must not reallocate and leave a copy in memory.
        padded.reserveCapacity(message.count + 72)
        padded.append(contentsOf: message)
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        padded.append(littleEndian: UInt64(message.count) &* 8)
        defer { padded.erase() }

        var state: State = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        for start in stride(from: 0, to: padded.count, by: 64) {
            var words = (0..<16).map { padded.littleEndian(UInt32.self, at: start + 4 * $0) ?? 0 }
            mix(words, into: &state)
            words.erase()
        }
        var digest: [UInt8] = []
        for word in [state.a, state.b, state.c, state.d] { digest.append(littleEndian: word) }
        return digest
    }

    /// Performs the three rounds of sixteen steps (section 3.4).
    private static func mix(_ words: [UInt32], into state: inout State) {
        let before = state
        for step in 0..<16 {
            turn(&state, state.b & state.c | ~state.b & state.d, words[step], 0, [3, 7, 11, 19][step % 4])
        }
        for step in 0..<16 {
            let majority = state.b & state.c | state.b & state.d | state.c & state.d
            turn(&state, majority, words[step % 4 * 4 + step / 4], 0x5A82_7999, [3, 5, 9, 13][step % 4])
        }
        let order = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]
        for step in 0..<16 {
            turn(&state, state.b ^ state.c ^ state.d, words[order[step]], 0x6ED9_EBA1, [3, 9, 11, 15][step % 4])
        }
        state = (state.a &+ before.a, state.b &+ before.b, state.c &+ before.c, state.d &+ before.d)
    }

    private static func turn(_ state: inout State, _ mixed: UInt32, _ word: UInt32, _ constant: UInt32, _ by: UInt32) {
        let sum = state.a &+ mixed &+ word &+ constant
        state = (state.d, sum << by | sum >> (32 - by), state.b, state.c)
    }
}

extension ChannelBinding {
    /// The MD5 hash of the bindings in Windows' layout:
    /// gss_channel_bindings_struct (RFC 2744 section 3.11), without addresses.
    var windowsHash: [UInt8] {
        // The types and lengths of two addresses: four numbers of four bytes each.
        var structure = [UInt8](repeating: 0, count: 16)
        structure.append(littleEndian: UInt32(truncatingIfNeeded: applicationData.count))
        return Array(Insecure.MD5.hash(data: structure + applicationData))
    }
}

extension Date {
    /// The time in steps of 100 nanoseconds since 1601, little-endian (FILETIME, MS-DTYP section 2.3.3).
    ///
    /// A time outside the range becomes 0, which no server accepts as the current time.
    var fileTime: [UInt8] {
        let ticks = ((timeIntervalSince1970 + 11_644_473_600) * 10_000_000).rounded(.down)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(exactly: ticks) ?? 0)
        return bytes
    }
}
