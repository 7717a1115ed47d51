// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Testing
import X509

@testable import CertificateTrust

struct NameKeyTests {
    private func name(_ texts: (UInt8, String)...) -> [UInt8] {
        let sets = texts.flatMap { tag, text -> [UInt8] in
            let value: [UInt8] = [6, 3, 0x55, 4, 3, tag, UInt8(text.utf8.count)] + text.utf8
            return [0x31, UInt8(value.count + 2), 0x30, UInt8(value.count)] + value
        }
        return [0x30, UInt8(sets.count)] + sets
    }

    @Test("Names are equal regardless of case, spaces and string type") func equalNames() {
        let plain = NameKey(name((0x0c, "Root CA"))[...])
        for (tag, text) in [(0x13, "Root CA"), (0x0c, "root  ca"), (0x13, " ROOT CA  ")] as [(UInt8, String)] {
            #expect(NameKey(name((tag, text))[...]) == plain)
        }
    }

    @Test("Names with any other difference have different keys") func differentNames() {
        let plain = NameKey(name((0x0c, "Root CA"))[...])
        let others = [
            name((0x0c, "RootCA")), name((0x0c, "Root CB")), name((0x1e, "Root CA")),
            name((0x0c, "Root"), (0x0c, "CA")),
            name((0x0c, "Root CA"), (0x0c, "Root CA")), name(), [0x30], [0x30, 0x80, 0, 0],
        ]
        #expect(Set(others.map { NameKey($0[...]) } + [plain]).count == others.count + 1)
    }

    @Test("A value that contains separators differs from two values") func separators() {
        let one: [UInt8] = [0x30, 15, 0x31, 13, 0x30, 11, 6, 3, 0x55, 4, 3, 0x0c, 4, 0x61, 0xff, 0x31, 0x62]
        #expect(NameKey(one[...]) != NameKey(name((0x0c, "a"), (0x0c, "b"))[...]))
    }

}
