// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import Testing

@testable import PKCS11

@Suite struct TokenErrorTests {
    @Test("Each code has an example that explains itself") func explanations() {
        #expect(problems(of: TokenError.examples) == [])
    }

    @Test(
        "Each return value has its error",
        arguments: [
            (0xA0, TokenError.pinIncorrect), (0xA4, .pinLocked), (0xA1, .pinUnusable), (0xA2, .pinUnusable),
            (0xA3, .pinUnusable), (0x102, .pinUnusable), (0xE0, .removed), (0xE1, .removed), (0x32, .removed),
            (0xB0, .sessionLost), (0xB3, .sessionLost), (0x101, .sessionLost), (0x190, .sessionLost),
            (0xE2, .writeProtected), (0x31, .full), (0x54, .unsupportedFunction(.sign)),
            (0x70, .unsupportedFunction(.sign)), (0x140, .unsupportedFunction(.sign)), (0x68, .notForSigning),
            (0x50, .cancelled), (0x30, .failed(.sign, code: 0x30)), (0x8000_0001, .failed(.sign, code: 0x8000_0001)),
        ] as [(UInt, TokenError)])
    func values(code: UInt, error: TokenError) {
        #expect(throws: error) { try TokenFunction.sign.check(code) }
        #expect(error.endsSession == [.removed, .sessionLost].contains(error))
    }

    @Test("Success throws nothing") func success() throws { try TokenFunction.sign.check(0) }

    @Test("A module must be a PKCS#11 library with an absolute path") func modules() throws {
        let uri = try TokenURI("pkcs11:")
        #expect(throws: TokenError.relativeModule(path: "module.so")) { try Token(uri, module: "module.so") }
        #expect {
            try Token(uri, module: "/nonexistent/module.so")
        } throws: { error in
            guard case TokenError.moduleNotLoaded("/nonexistent/module.so", _) = error else { return false }
            return true
        }
        #if os(Linux)
            // libm is already loaded in any case, but the loader finds it under this path only if it is there.
            let libraries = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"]
            for path in libraries {
                #expect {
                    try Token(uri, module: path)
                } throws: { error in
                    switch error {
                    case TokenError.notAModule(path), TokenError.moduleNotLoaded(path, _): true
                    default: false
                    }
                }
            }
        #endif
    }
}
