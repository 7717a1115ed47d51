// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A PKCS#11 module: the library by which the token's maker lets programs reach it.
///
/// It stays loaded until the process ends, because other code of the process may use it too.
struct TokenModule {
    /// Far more than any machine has.
    private static let mostSlots = CK_ULONG(1_024)

    let functions: UnsafePointer<CK_FUNCTION_LIST>

    /// Loads and starts a module.
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

    /// Starts the module, which other code of the process may have done before.
    func start() throws(TokenError) {
        let result = pkcs11_initialize(functions)
        if result != CKR_CRYPTOKI_ALREADY_INITIALIZED { try TokenFunction.initialize.check(result) }
    }

    /// Finds the one token that a URI names, among those that were set up.
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
        guard count <= Self.mostSlots else { throw .malformedAnswer(.slots) }
        guard count > 0 else { return [] }
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
        try TokenFunction.slots.check(pkcs11_slots(functions, &slots, &count))
        guard count <= CK_ULONG(slots.count) else { throw .malformedAnswer(.slots) }
        return Array(slots.prefix(Int(count)))
    }
}
