// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets

/// The forms in which a passphrase may have gone into PKCS#12's own key derivation (RFC 7292 appendix B.1).
struct PKCS12Password {
    /// What to try, the most likely first.
    let candidates: [Secret]

    init(_ passphrase: Secret?) {
        let bytes = passphrase?.withUnsafeBytes(Array.init) ?? []
        guard !bytes.isEmpty else {
            // No password is no bytes at all, and an empty one its terminator; writers mix the two up.
            let (none, empty) = (Secret(utf8: []), Secret(utf8: [0, 0]))
            candidates = passphrase == nil ? [none, empty] : [empty, none]
            return
        }
        var candidates: [Secret] = []
        if let text = String(validating: bytes, as: UTF8.self) { candidates.append(Self.bmpString(text.utf16)) }
        // OpenSSL before 1.1.0 widened each byte to a character instead of decoding UTF-8.
        if bytes.contains(where: { $0 >= 0x80 }) { candidates.append(Self.bmpString(bytes.map(UInt16.init))) }
        self.candidates = candidates
    }

    /// Big-endian, with a terminating zero; characters outside the BMP as surrogates, as all writers do.
    private static func bmpString(_ units: some Sequence<UInt16>) -> Secret {
        Secret(utf8: units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + [0, 0])
    }
}
