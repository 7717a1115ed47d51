// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TLSTransport
import TLSRecipes

/// An input with a byte for the options, one for the portions, one for the length of records, and chunks.
struct TLSInput {
    struct Options: OptionSet {
        let rawValue: UInt8

        static let isTLS13 = Self(rawValue: 1)
        static let offersHTTP2 = Self(rawValue: 2)
        static let presentsIdentity = Self(rawValue: 4)
        static let answersLate = Self(rawValue: 8)
        static let resumes = Self(rawValue: 16)
        static let offersOneVersion = Self(rawValue: 32)
    }

    private static let maximumSteps = 400
    private static let maximumBytes = 1 << 15
    /// The number of bytes before the chunks.
    static let prefix = 3

    let options: Options
    let portion: Int
    let fragmentLength: Int
    let script: ServerScript

    init?(_ input: [UInt8]) {
        guard input.count > Self.prefix else { return nil }
        options = Options(rawValue: input[0])
        (portion, fragmentLength) = (Int(input[1]) + 1, 1 + Int(input[2]) * 64)
        var (steps, count) = ([ServerScript.Step](), 0)
        for chunk in TLSChunk.all(input[Self.prefix...]) {
            guard let step = chunk.step else { continue }
            for _ in 0..<chunk.count where steps.count < Self.maximumSteps && count < Self.maximumBytes {
                steps.append(step)
                count += chunk.content.count
            }
        }
        script = ServerScript(isTLS13: options.contains(.isTLS13), steps: steps)
    }

    func settings(_ library: TLSLibrary) -> TLSClientSettings {
        let version = options.contains(.isTLS13) ? TLSProtocolVersion.tls13 : .tls12
        return TLSClientSettings(
            serverName: "a.test", versions: options.contains(.offersOneVersion) ? version...version : .tls12 ... .tls13,
            applicationProtocols: options.contains(.offersHTTP2) ? ["h2", "http/1.1"] : [], library: library)
    }
}

/// A step of the script: a byte for the kind and the repetitions, a length of two bytes, and the content.
struct TLSChunk {
    var kind: UInt8
    /// The binary logarithm of the number of repetitions.
    var exponent: UInt8 = 0
    var content: [UInt8] = []

    var count: Int { 1 << Int(exponent & 7) }

    var bytes: [UInt8] { [kind & 15 | exponent << 4] + ServerScript.vector(content, octets: 2) }

    init(_ kind: UInt8, _ content: [UInt8], exponent: UInt8 = 0) {
        (self.kind, self.content, self.exponent) = (kind, content, exponent)
    }

    init(_ step: ServerScript.Step, exponent: UInt8 = 0) {
        let (kind, content): (UInt8, [UInt8]) =
            switch step {
            case .wait(let type): (0, [type])
            case .message(let type, let body): (1, [type] + body)
            case .forgery(let type, let body): (2, [type] + body)
            case .omission(let type, let body): (3, [type] + body)
            case .signature(let change): (4, [change])
            case .finished(let change): (5, [change])
            case .changeCipherSpec: (6, [])
            case .keys(let keys): (7, [keys.rawValue])
            case .record(let type, let content): (8, [type] + content)
            case .bytes(let bytes): (9, bytes)
            }
        self.init(kind, content, exponent: exponent)
    }

    /// The step; `nil` if the kind is unknown.
    var step: ServerScript.Step? {
        let (first, rest) = (content.first ?? 0, Array(content.dropFirst()))
        return switch kind & 15 {
        case 0: .wait(first)
        case 1: .message(first, rest)
        case 2: .forgery(first, rest)
        case 3: .omission(first, rest)
        case 4: .signature(first)
        case 5: .finished(first)
        case 6: .changeCipherSpec
        case 7: ServerScript.Keys(rawValue: first % 3).map { .keys($0) }
        case 8: .record(first, rest)
        case 9: .bytes(content)
        default: nil
        }
    }

    /// Returns the chunks of an input, of which the last may be truncated.
    static func all(_ input: some Sequence<UInt8>) -> [TLSChunk] {
        var (rest, chunks) = (Array(input)[...], [TLSChunk]())
        while let first = rest.popFirst() {
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            chunks.append(TLSChunk(first & 15, Array(rest.dropFirst(2).prefix(length)), exponent: first >> 4))
            rest = rest.dropFirst(2 + length)
        }
        return chunks
    }
}
