// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import Keychains
import KeychainAgents
import Secrets

/// Fuzzes the keychain's readers.
///
/// The first byte chooses the kind of the rest: sealed contents, a password
/// list, a recovery code, an agent message, or changes to a keychain file.
@main
enum KeychainFuzz {
    private static let victim = Result { try VictimKeychain() }

    static func main() throws {
        _ = try victim.get()
        let status = try FuzzDriver.run(seeds: { _ in KeychainSeeds.all }) { bytes, count in
            KeychainFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard let choice = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch choice & 7 {
        case 0: checkSealed(bytes)
        case 1: _ = try? SlotRow.Parameters(bytes)
        case 2: checkList(bytes)
        case 3: checkRecoveryCode(bytes)
        case 4: checkMessages(bytes)
        default: try? victim.get().check(changedBy: bytes)
        }
    }

    /// Reads contents that only a process with the keys could have sealed.
    private static func checkSealed(_ bytes: [UInt8]) {
        for itemClass in KeychainItem.Class.allCases {
            _ = try? ItemCoding.item(
                bytes, id: KeychainItem.ID(1), itemClass: itemClass, accessibility: .whenUnlocked, version: 1)
            _ = try? ItemCoding.secret(bytes, of: itemClass)
        }
    }

    private static func checkList(_ bytes: [UInt8]) {
        guard let list = try? PasswordList(bytes) else { return }
        let lines = list.logins.map(\.line) + list.skippedLines
        precondition(Set(lines).count == lines.count, "a line is read twice")
        precondition(list.logins.allSatisfy { !$0.password.isEmpty }, "an empty password")
    }

    private static func checkRecoveryCode(_ bytes: [UInt8]) {
        guard let code = try? RecoveryCode(Secret(utf8: bytes)) else { return }
        guard let again = try? RecoveryCode(code.text) else { fatalError("a value that was written cannot be read") }
        precondition(again.text == code.text, "another code")
    }

    private static func checkMessages(_ bytes: [UInt8]) {
        if let request = AgentRequest(bytes) {
            precondition(AgentRequest(request.encoded) == request, "another request")
        }
        if let response = AgentResponse(bytes) {
            precondition(AgentResponse(response.encoded) == response, "another response")
        }
    }
}
