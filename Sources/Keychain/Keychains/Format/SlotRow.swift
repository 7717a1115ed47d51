// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
internal import GRDB
internal import KeychainAgents
internal import Secrets

/// A key slot's row in the file: the root key, wrapped with the key of an unlock method.
package struct SlotRow {
    let id: Int64
    let kind: KeySlot.Kind
    let parameters: Parameters
    let wrapped: [UInt8]

    /// The parameters for deriving the wrapping key.
    package struct Parameters {
        let salt: [UInt8]
        /// The scrypt cost, for ``KeySlot/Kind/passphrase`` and ``KeySlot/Kind/pin`` only.
        let cost: Scrypt?
        /// The number of wrong PINs after which the slot is erased; 0 for never.
        let eraseAfter: Int64

        init(cost: Scrypt?, eraseAfter: Int64 = 0) {
            salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
            (self.cost, self.eraseAfter) = (cost, eraseAfter)
        }

        package init(_ bytes: [UInt8]) throws(KeychainError) {
            do {
                var reader = FieldReader(bytes)
                salt = try reader.field()
                let rounds = try reader.number()
                let blockSize = try reader.number()
                let parallelism = try reader.number()
                eraseAfter = try reader.number()
                try reader.end()
                cost = Scrypt(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
                guard rounds == 0 || cost != nil else { throw FieldReader.Malformed() }
            } catch {
                throw .damaged(.slot)
            }
        }

        var encoded: [UInt8] {
            var writer = FieldWriter()
            writer.field(salt)
            for number in [cost?.rounds, cost?.blockSize, cost?.parallelism] { writer.number(number ?? 0) }
            writer.number(eraseAfter)
            return writer.bytes
        }
    }

    /// Returns the readable slots, ordered by number, and the numbers of all others.
    static func all(_ database: Database) throws -> (slots: [SlotRow], damaged: [Int64]) {
        var (slots, damaged) = ([SlotRow](), [Int64]())
        for row in try Row.fetchAll(database, sql: "SELECT id, kind, parameters, wrapped FROM slot ORDER BY id") {
            let id: Int64 = row["id"]
            guard
                let kind = Int64.fromDatabaseValue(row["kind"])
                    .flatMap({ KeySlot.Kind(rawValue: UInt8(clamping: $0)) }),
                let parameters = [UInt8].stored(row["parameters"]).flatMap({ try? Parameters($0) }),
                let wrapped = [UInt8].stored(row["wrapped"])
            else {
                damaged.append(id)
                continue
            }
            slots.append(SlotRow(id: id, kind: kind, parameters: parameters, wrapped: wrapped))
        }
        return (slots, damaged)
    }

    /// Wraps the root key with the key of an unlock method.
    init(
        id: Int64, kind: KeySlot.Kind, parameters: Parameters, wrapping root: SymmetricKey, with key: SymmetricKey,
        of keychain: KeychainID
    ) throws(KeychainError) {
        (self.id, self.kind, self.parameters) = (id, kind, parameters)
        var bytes = root.withUnsafeBytes { Array($0) }
        defer { bytes.erase() }
        wrapped = try Seal.seal(
            bytes, with: key, for: Self.authenticated(id, kind, parameters, keychain))
    }

    private init(id: Int64, kind: KeySlot.Kind, parameters: Parameters, wrapped: [UInt8]) {
        (self.id, self.kind, self.parameters, self.wrapped) = (id, kind, parameters, wrapped)
    }

    func write(_ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO slot VALUES (?, ?, ?, ?)",
            arguments: [id, Int64(kind.rawValue), parameters.encoded.stored, wrapped.stored])
    }

    /// Unwraps the root key; returns `nil` if the key is wrong.
    func root(_ key: SymmetricKey, of keychain: KeychainID) -> SymmetricKey? {
        var root = Seal.open(wrapped, with: key, for: Self.authenticated(id, kind, parameters, keychain))
        defer { root?.erase() }
        return root.map { SymmetricKey(data: $0) }
    }

    private static func authenticated(
        _ id: Int64, _ kind: KeySlot.Kind, _ parameters: Parameters, _ keychain: KeychainID
    ) -> [UInt8] {
        var writer = FieldWriter()
        writer.text("countersign keychain slot")
        writer.number(Schema.version)
        writer.field(keychain.bytes)
        writer.number(id)
        writer.byte(kind.rawValue)
        writer.field(parameters.encoded)
        return writer.bytes
    }

    /// Derives the wrapping key of a slot from an unlock method.
    ///
    /// - Throws: ``KeychainError``, and the errors of a ``KeyHolder``.
    static func key(
        _ method: UnlockMethod, id: Int64, parameters: Parameters, keychain: KeychainID, device: DeviceSecret?,
        keeping newKey: Secret? = nil
    ) async throws -> SymmetricKey {
        let input: SymmetricKey
        var salt = parameters.salt
        switch method {
        case .passphrase(let secret), .pin(let secret):
            guard let cost = parameters.cost else { throw KeychainError.damaged(.slot) }
            input = try cost.key(from: secret, salt: parameters.salt)
            if case .pin = method {
                guard let device else { throw KeychainError.notOnThisDevice }
                salt += device.key.withUnsafeBytes { Array($0) }
            }
        case .recoveryCode(let code): input = code.bytes.withUnsafeBytes { SymmetricKey(data: $0) }
        case .keyFile(let secret): input = secret.withUnsafeBytes { SymmetricKey(data: $0) }
        case .holder(let holder):
            let name = Hexadecimal.encode(keychain.bytes + [UInt8(truncatingIfNeeded: id)])
            guard let secret = try await holder.key(named: name, keeping: newKey) else {
                throw KeychainError.noHeldKey
            }
            input = secret.withUnsafeBytes { SymmetricKey(data: $0) }
        }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Array("countersign keychain slot \(method.kind.rawValue)".utf8),
            outputByteCount: 32)
    }
}

/// The wrong guesses for a slot since the last right one.
struct Attempts {
    let failures: Int
    /// The time of the last wrong guess, in seconds since 1970.
    let last: Int64

    init(_ database: Database, _ slot: Int64) throws {
        let row = try Row.fetchOne(
            database, sql: "SELECT failures, last FROM attempt WHERE slot = ?", arguments: [slot])
        failures = Int(clamping: Int64.fromDatabaseValue(row?["failures"] ?? .null) ?? 0)
        last = Int64.fromDatabaseValue(row?["last"] ?? .null) ?? 0
    }

    static func count(_ database: Database, _ slot: Int64, failures: Int, at time: Int64) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?)", arguments: [slot, failures, time])
    }

    static func forget(_ database: Database, _ slot: Int64) throws {
        try database.execute(sql: "DELETE FROM attempt WHERE slot = ?", arguments: [slot])
    }
}
