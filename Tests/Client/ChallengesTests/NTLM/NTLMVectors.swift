// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import Challenges

/// The values of MS-NLMP section 4.2.4 and of section 4.2.1, to which it refers.
enum NTLMVectors {
    static let serverChallenge = bytes("0123456789abcdef")
    static let clientChallenge: UInt64 = 0xAAAA_AAAA_AAAA_AAAA
    static let responseKey = "0c868a403bfd7a93a3001ef22ef02e3f"
    static let sessionKey = "8de40ccadbc14a82f15cb0ad0de95ca3"
    static let proof = "68cd0ab851e51c96aabc927bebef6a1c"
    static let targetInformation = bytes(
        "02000c0044006f006d00610069006e00 01000c0053006500720076006500720000000000")
    /// The CHALLENGE_MESSAGE of section 4.2.4.3.
    static let challenge = bytes(
        """
        4e544c4d53535000 02000000 0c000c0038000000 33828ae2 0123456789abcdef 0000000000000000 2400240044000000
        060070170000000f 530065007200760065007200
        02000c0044006f006d00610069006e00 01000c0053006500720076006500720000000000
        """)

    /// Decodes hexadecimal digits and ignores spaces.
    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension NTLMTargetInformation {
    static func pair(_ identifier: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: identifier)
        bytes.append(littleEndian: UInt16(value.count))
        return bytes + value
    }
}

/// A CHALLENGE_MESSAGE made for a test.
struct ServerChallenge {
    static let timestamp = NTLMTargetInformation.pair(7, [1, 2, 3, 4, 5, 6, 7, 8])
    static let end = NTLMTargetInformation.pair(0, [])

    var flags = NTLMFlags.requested
    var targetInformation = timestamp + end

    var bytes: [UInt8] {
        var bytes = NTLMChallengeMessage.signature + [2, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
        bytes.append(littleEndian: flags.rawValue)
        bytes += NTLMVectors.serverChallenge + [UInt8](repeating: 0, count: 8)
        bytes.append(littleEndian: UInt16(targetInformation.count))
        bytes.append(littleEndian: UInt16(targetInformation.count))
        bytes.append(littleEndian: UInt32(48))
        return bytes + targetInformation
    }
}

/// A client's AUTHENTICATE_MESSAGE, parsed as a server parses it.
struct Answer {
    let fields: [[UInt8]]
    let flags: NTLMFlags
    let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        var fields: [[UInt8]] = []
        for place in stride(from: 12, to: 60, by: 8) {
            guard let length = bytes.littleEndian(UInt16.self, at: place).map(Int.init),
                let offset = bytes.littleEndian(UInt32.self, at: place + 4).map(Int.init),
                offset >= 88, offset + length <= bytes.count
            else { return nil }
            fields.append(Array(bytes[offset..<offset + length]))
        }
        guard let flags = bytes.littleEndian(UInt32.self, at: 60) else { return nil }
        self.fields = fields
        self.flags = NTLMFlags(rawValue: flags)
    }

    var response: [UInt8] { fields[1] }
    var time: [UInt8] { Array(response[24..<32]) }
    var integrityCode: [UInt8] { Array(bytes[72..<88]) }
    var withoutCode: [UInt8] { bytes[..<72] + [UInt8](repeating: 0, count: 16) + bytes[88...] }
    /// The target information, between the fixed part of the response and its last four zero bytes.
    var targetInformation: [UInt8] { Array(response[44..<response.count - 4]) }
    var domain: String { Self.text(fields[2]) }
    var user: String { Self.text(fields[3]) }
    var workstation: String { Self.text(fields[4]) }

    static func text(_ bytes: [UInt8]) -> String {
        let units = stride(from: 0, to: bytes.count, by: 2).map { bytes.littleEndian(UInt16.self, at: $0) ?? 0 }
        return String(decoding: units, as: UTF16.self)
    }
}
