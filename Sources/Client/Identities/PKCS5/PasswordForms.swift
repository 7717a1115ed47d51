// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets

/// The forms in which a passphrase may have gone into a key derivation.
struct PasswordForms {
    /// The bytes as they were given, in UTF-8 (RFC 8018 section 3).
    let utf8: Secret
    /// What to try in PKCS#12's own key derivation (RFC 7292 appendix B.1), the most likely first.
    private(set) var bmpStrings: [Secret]
    /// What to try in PBES2.
    let pbes2: [Secret]

    /// The forms for a PKCS#12 file, or for a key by itself.
    init(_ passphrase: Secret?, inPKCS12 isPKCS12: Bool = false) {
        let utf8 = passphrase ?? Secret(utf8: [])
        self.utf8 = utf8
        bmpStrings = Self.bmpStrings(passphrase)
        // NSS before 3.31 gave PBES2 what PKCS#12's own derivation takes.
        pbes2 = isPKCS12 && !utf8.isEmpty ? [utf8] + bmpStrings : [utf8]
    }

    /// Tries this form first, because the integrity check was made with it.
    mutating func prefer(_ form: Secret) {
        bmpStrings = [form] + bmpStrings.filter { $0 != form }
    }

    private static func bmpStrings(_ passphrase: Secret?) -> [Secret] {
        let bytes = passphrase?.withUnsafeBytes(Array.init) ?? []
        guard !bytes.isEmpty else {
            // No password is no bytes at all, and an empty one its terminator; writers mix the two up.
            let (none, empty) = (Secret(utf8: []), Secret(utf8: [0, 0]))
            return passphrase == nil ? [none, empty] : [empty, none]
        }
        var forms: [Secret] = []
        if let text = String(validating: bytes, as: UTF8.self) { forms.append(bmpString(text.utf16)) }
        // OpenSSL before 1.1.0 widened each byte to a character instead of decoding UTF-8.
        if bytes.contains(where: { $0 >= 0x80 }) { forms.append(bmpString(bytes.map(UInt16.init))) }
        return forms
    }

    /// Big-endian, with a terminating zero; characters outside the BMP as surrogates, as all writers do.
    static func bmpString(_ units: some Sequence<UInt16>) -> Secret {
        Secret(utf8: units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + [0, 0])
    }
}
