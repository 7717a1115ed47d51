// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import EssentialFoundation
import Keychains
import Secrets

/// Measures keychains of several sizes.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure imports, opening and lookups with keychains of several sizes.")

    @Argument(help: "The numbers of items.")
    var sizes: [Int] = [1_000, 10_000, 100_000, 1_000_000]

    @Option(help: "The number of lookups of each kind.")
    var lookups = 2_000

    func run() async throws {
        print(
            "items".padded(9), "import/s".padded(9), "open ms".padded(8), "space µs".padded(9), "absent µs".padded(10),
            "add ms".padded(7), "find all ms".padded(12), "MiB".padded(7), "file/payload".padded(13))
        for size in sizes { try await measure(size) }
    }

    private func measure(_ count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/keychain-bench-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/keychain.sqlite"
        let places = Keychain.Places(deviceSecret: folder + "/device", rememberedStates: folder)
        let created = try await Keychain.create(at: path, passphrase: Secret("passphrase"), places: places)
        let items = try (0..<count).map { try SampleItem($0) }
        let clock = ContinuousClock()
        let imported = try await clock.measure { try await created.add(try items.map { try $0.newItem() }) }
        let keys = created.keys

        let opened = try await median(5) { _ in
            try await clock.measure { _ = try await Keychain.open(at: path, places: places).unlock(with: keys) }
        }
        let keychain = try await Keychain.open(at: path, places: places).unlock(with: keys)
        let spaces = items.compactMap(\.space)
        let found = try await median(lookups) { _ in
            guard let space = spaces.randomElement() else { return .zero }
            return try await clock.measure {
                guard try await keychain.read(for: space) != nil else { throw ExitCode.failure }
            }
        }
        let absent = try await median(lookups) { number in
            let space = try SampleItem.space(host: "absent\(number).example")
            return try await clock.measure {
                guard try await keychain.read(for: space) == nil else { throw ExitCode.failure }
            }
        }
        let added = try await median(20) { number in
            let item = try SampleItem(count + number * 20 + 1).newItem()
            return try await clock.measure { try await keychain.add(item) }
        }
        let all = try await clock.measure { _ = try await keychain.items() }
        // A backup is a single file without a log.
        try await keychain.backup(to: path + ".copy")
        let size = try FileManager.default.attributesOfItem(atPath: path + ".copy")[.size] as? Int ?? 0
        let payload = items.reduce(0) { $0 + $1.byteCount }
        print(
            "\(count)".padded(9), "\(Int(Double(count) / (imported / .seconds(1))))".padded(9),
            opened.text(.milliseconds(1)).padded(8), found.text(.microseconds(1)).padded(9),
            absent.text(.microseconds(1)).padded(10), added.text(.milliseconds(1)).padded(7),
            all.text(.milliseconds(1)).padded(12), "\(size >> 20)".padded(7),
            "\(Double(Int(100 * Double(size) / Double(payload))) / 100)".padded(13))
    }

    private func median(_ count: Int, _ body: (Int) async throws -> Duration) async throws -> Duration {
        var times: [Duration] = []
        for number in 0..<count { times.append(try await body(number)) }
        return times.sorted()[count / 2]
    }
}

/// A typical item: nine logins, then a note of 2,000 characters, and so on.
struct SampleItem {
    let number: Int
    let space: ProtectionSpace?
    let label: String
    private let user: String
    private let password: String
    private let comment: String

    init(_ number: Int) throws {
        self = try number % 10 == 9 ? Self(number, space: nil) : Self(login: number)
    }

    init(login number: Int) throws {
        self.init(number, space: try Self.space(host: "service\(number).department.example"))
    }

    private init(_ number: Int, space: ProtectionSpace?) {
        self.number = number
        self.space = space
        user = "person.number\(number % 50_000)@company.example"
        password = "x7!kQ2p-\(number)-vLm4z"
        label = "Service \(number) of the department"
        comment = space == nil ? "" : "Changed on 2026-01-01; the second factor is on the phone of number \(number)."
    }

    static func space(host: String) throws -> ProtectionSpace {
        ProtectionSpace(
            host: try HostName(host), port: 443, scheme: "https", realm: "Members of staff only", method: .basic)
    }

    private var text: String { String(repeating: "A line of a note. ", count: 111) }

    /// The number of bytes in its texts.
    var byteCount: Int {
        let texts =
            [label, comment]
            + (space.map { [$0.host.description, $0.scheme, $0.realm ?? "", user, password] } ?? [text])
        return texts.reduce(0) { $0 + $1.utf8.count }
    }

    func newItem() throws -> NewItem {
        guard let space else { return .note(Secret(text), label: label, comment: comment) }
        return .internetPassword(
            Secret(password), user: user, space: space, label: label, comment: comment, accessibility: .afterFirstUnlock
        )
    }
}

extension String {
    func padded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

extension Duration {
    func text(_ unit: Duration) -> String { "\(Double(Int(10 * (self / unit))) / 10)" }
}
