// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11
internal import POSIX

/// A PKCS#11 module: the manufacturer's library for access to a token.
///
/// It stays loaded until the process ends, because other code in the process may use it too.
struct TokenModule {
    /// The maximum number of slots, far more than any machine has.
    private static let maximumSlotCount = CK_ULONG(1_024)

    let functions: UnsafePointer<CK_FUNCTION_LIST>

    /// Loads and initializes a module.
    init(path: String) throws(TokenError) {
        guard path.hasPrefix("/") else { throw .relativeModule(path: path) }
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw .moduleNotLoaded(path: path, detail: dlerror().map { String(cString: $0) } ?? "no reason given")
        }
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        guard let address = dlsym(library, "C_GetFunctionList"), pkcs11_function_list(address, &list) == CKR_OK,
            let found = list, (2...3).contains(found.pointee.version.major)
        else {
            dlclose(library)
            throw .notAModule(path: path)
        }
        functions = UnsafePointer(found)
        try start()
    }

    /// Initializes the module, which is not an error if other code in the process has done it before.
    func start() throws(TokenError) {
        let result = pkcs11_initialize(functions)
        if result != CKR_CRYPTOKI_ALREADY_INITIALIZED { try TokenFunction.initialize.check(result) }
    }

    /// Finds the only initialized token that matches a URI.
    func slot(of uri: TokenURI) throws(TokenError) -> TokenSlot {
        let present = try slots().compactMap { TokenSlot($0, in: self) }
        let matching = present.filter { $0.matches(uri) }
        guard let slot = matching.first else {
            throw .tokenNotFound(uri: uri.withoutObject.description, present: present.map(\.label))
        }
        guard matching.count == 1 else { throw .severalTokens(uri: uri.withoutObject.description) }
        return slot
    }

    private func slots() throws(TokenError) -> [CK_SLOT_ID] {
        var count: CK_ULONG = 0
        try TokenFunction.slots.check(pkcs11_slots(functions, nil, &count))
        guard count <= Self.maximumSlotCount else { throw .malformedAnswer(.slots) }
        guard count > 0 else { return [] }
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
        try TokenFunction.slots.check(pkcs11_slots(functions, &slots, &count))
        guard count <= CK_ULONG(slots.count) else { throw .malformedAnswer(.slots) }
        return Array(slots.prefix(Int(count)))
    }
}

/// A slot with an initialized token.
struct TokenSlot {
    let id: CK_SLOT_ID
    let label: String
    private let manufacturer: String
    private let model: String
    private let serial: String
    private let flags: CK_FLAGS

    /// Reads the information about a slot's token; returns `nil` if that fails or the token is not initialized.
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

    /// Whether using the token's keys requires a login.
    var needsLogin: Bool { flags & CKF_LOGIN_REQUIRED != 0 }

    /// Whether the token has a keypad, on which it prompts for the PIN.
    var hasKeypad: Bool { flags & CKF_PROTECTED_AUTHENTICATION_PATH != 0 }

    func matches(_ uri: TokenURI) -> Bool {
        [(uri.token, label), (uri.manufacturer, manufacturer), (uri.model, model), (uri.serial, serial)]
            .allSatisfy { wanted, value in wanted.map { $0 == value } ?? true }
    }

    /// Returns a text without its padding of blanks; some modules pad with zero bytes.
    private static func text(_ field: UnsafeRawBufferPointer) -> String {
        var bytes = Array(field)
        while let last = bytes.last, last == 0x20 || last == 0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
