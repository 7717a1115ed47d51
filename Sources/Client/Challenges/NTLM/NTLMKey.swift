// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import Secrets

/// A key of sixteen bytes that clears its memory and prints nothing.
struct NTLMKey: Sendable {
    private let secret: Secret

    /// Takes a key over, and clears where it was.
    init(erasing bytes: inout [UInt8]) {
        secret = Secret(utf8: bytes)
        bytes.erase()
    }

    /// What an account's answers are made with (NTOWFv2, MS-NLMP section 3.3.2).
    ///
    /// - Throws: ``NTLMError/passwordNotUTF8``
    init(account: NTLMAccount, password: Secret) throws(NTLMError) {
        let hash = try Self(hashing: password)
        var code = hash.code(Array(utf16: account.user.uppercasedForNTLM) + Array(utf16: account.domain))
        self.init(erasing: &code)
    }

    /// The NT hash of a password (NTOWFv1, section 3.3.1).
    init(hashing password: Secret) throws(NTLMError) {
        var hash: [UInt8]? = password.withUnsafeBytes { bytes in
            var units: [UInt8] = []
            // UTF-16 never needs more than two bytes for one of UTF-8, so appending leaves no smaller copy behind.
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

    /// HMAC-MD5 of the parts, one after the other.
    func code(_ parts: [UInt8]...) -> [UInt8] {
        secret.withUnsafeBytes { bytes in
            var code = HMAC<Insecure.MD5>(key: SymmetricKey(data: bytes))
            for part in parts { code.update(data: part) }
            return Array(code.finalize())
        }
    }
}

/// The proof itself, and the key that both sides have after it (MS-NLMP sections 2.2.2.7, 2.2.2.8 and 3.3.2).
struct NTLMResponse {
    /// NTLMv2_RESPONSE.
    let bytes: [UInt8]
    /// SessionBaseKey: for NTLMv2 without key exchange also the key of the messages' integrity code.
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

/// Whose password is proved: a user and the domain that knows it.
struct NTLMAccount: Hashable {
    let user: String
    /// Empty for a user principal name, whose domain stands in it, and where the server is to choose.
    let domain: String

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
    /// The text as Windows compares user names, one UTF-16 unit at a time (MS-NLMP section 6, `Uppercase`).
    ///
    /// The standard says no more than "uppercased"; Windows maps single units. So a letter whose upper case is longer stays as
    /// it is ("ß", not "SS"), and so does what lies beyond the basic plane. Nothing outside ASCII becomes a letter of ASCII
    /// ("ı" and "ſ" stay), so that no name turns into that of another user.
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

/// The hash that NT passwords are kept under (RFC 1320); broken for every other use.
package enum MD4 {
    private typealias State = (a: UInt32, b: UInt32, c: UInt32, d: UInt32)

    /// The digest, 16 bytes; no copy of the message is left behind.
    package static func digest(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        var padded: [UInt8] = []
        // At most 63 bytes of padding and 8 of length: appending must not leave a first, smaller copy.
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

    /// Section 3.4: three rounds of sixteen steps.
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
    /// MD5 of the bindings as Windows lays them out: gss_channel_bindings_struct (RFC 2744 section 3.11), without addresses.
    var windowsHash: [UInt8] {
        // The types and lengths of two addresses: four numbers of four bytes.
        var structure = [UInt8](repeating: 0, count: 16)
        structure.append(littleEndian: UInt32(truncatingIfNeeded: applicationData.count))
        return Array(Insecure.MD5.hash(data: structure + applicationData))
    }
}

extension Date {
    /// Steps of 100 nanoseconds since 1601, least significant byte first (FILETIME, MS-DTYP section 2.3.3).
    ///
    /// What lies before or beyond its range becomes its first moment, which no server takes for the present.
    var fileTime: [UInt8] {
        let ticks = ((timeIntervalSince1970 + 11_644_473_600) * 10_000_000).rounded(.down)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(exactly: ticks) ?? 0)
        return bytes
    }
}
