// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11

/// A slot with a token that was set up.
struct TokenSlot {
    let id: CK_SLOT_ID
    let label: String
    private let manufacturer: String
    private let model: String
    private let serial: String
    private let flags: CK_FLAGS

    /// `nil` where the slot's token cannot be asked, or was not set up.
    init?(_ id: CK_SLOT_ID, in module: TokenModule) {
        var info = CK_TOKEN_INFO()
        guard pkcs11_token_info(module.functions, id, &info) == CKR_OK, info.flags & CKF_TOKEN_INITIALIZED != 0 else {
            return nil
        }
        self.id = id
        label = withUnsafeBytes(of: info.label) { Self.text($0) }
        manufacturer = withUnsafeBytes(of: info.manufacturerID) { Self.text($0) }
        model = withUnsafeBytes(of: info.model) { Self.text($0) }
        serial = withUnsafeBytes(of: info.serialNumber) { Self.text($0) }
        flags = info.flags
    }

    /// Whether the token's keys can be used only after a login.
    var needsLogin: Bool { flags & CKF_LOGIN_REQUIRED != 0 }

    /// Whether the token asks for its PIN by itself, on a keypad.
    var hasKeypad: Bool { flags & CKF_PROTECTED_AUTHENTICATION_PATH != 0 }

    func matches(_ uri: TokenURI) -> Bool {
        [(uri.token, label), (uri.manufacturer, manufacturer), (uri.model, model), (uri.serial, serial)]
            .allSatisfy { wanted, value in wanted.map { $0 == value } ?? true }
    }

    /// A text without the blanks with which it is padded; some modules pad it with zero bytes.
    private static func text(_ field: UnsafeRawBufferPointer) -> String {
        var bytes = Array(field)
        while let last = bytes.last, last == 0x20 || last == 0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
