// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Encodings
import EssentialFoundation
import X509

/// The used members of a log list in JSON (https://www.gstatic.com/ct/log_list/v3/log_list_schema.json).
struct LogListRecord: Decodable {
    struct Operator: Decodable {
        let name: String
        let logs: [Log]?
        let tiledLogs: [Log]?

        enum CodingKeys: String, CodingKey {
            case name, logs
            case tiledLogs = "tiled_logs"
        }
    }

    struct Log: Decodable {
        let description: String?
        let id: Data
        let key: Data
        let type: String?
        let state: State?
        let interval: Interval?
        let previousOperators: [PreviousOperator]?

        enum CodingKeys: String, CodingKey {
            case description, key, state
            case id = "log_id"
            case type = "log_type"
            case interval = "temporal_interval"
            case previousOperators = "previous_operators"
        }
    }

    struct PreviousOperator: Decodable {
        let name: String
        let end: Time

        enum CodingKeys: String, CodingKey {
            case name
            case end = "end_time"
        }
    }

    struct Interval: Decodable {
        let range: Range<Date>

        private enum Key: String, CodingKey {
            case start = "start_inclusive"
            case end = "end_exclusive"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let start = try container.decode(Time.self, forKey: .start).date
            let end = try container.decode(Time.self, forKey: .end).date
            guard start < end else {
                throw DecodingError.dataCorruptedError(forKey: .end, in: container, debugDescription: "ends first")
            }
            range = start..<end
        }
    }

    /// The state of a log, an object with one member that is named
    /// after the state and contains the time of entering it.
    struct State: Decodable {
        private struct Entry: Decodable {
            let timestamp: Time
        }

        private enum Key: String, CodingKey, CaseIterable {
            case pending, qualified, usable, readonly, retired, rejected
        }

        let state: TransparencyLog.State

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            guard let key = container.allKeys.first else {
                state = .unknown
                return
            }
            guard container.allKeys.count == 1 else {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "two states")
            }
            let since = try container.decode(Entry.self, forKey: key).timestamp.date
            state =
                switch key {
                case .pending: .pending(since: since)
                case .qualified: .qualified(since: since)
                case .usable: .usable(since: since)
                case .readonly: .readOnly(since: since)
                case .retired: .retired(since: since)
                case .rejected: .rejected(since: since)
                }
        }
    }

    struct Time: Decodable {
        let date: Date

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let time = InternetTime(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not RFC 3339")
            }
            date = time.date
        }
    }

    private let timestamp: Time?
    private let operators: [Operator]

    private enum CodingKeys: String, CodingKey {
        case operators
        case timestamp = "log_list_timestamp"
    }

    var time: Date? { timestamp?.date }

    init(json: Data) throws(TransparencyLogListError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as DecodingError {
            guard let path = error.path else { throw .notJSON }
            throw .malformed(path)
        } catch {
            throw .notJSON
        }
    }

    func logs() throws(TransparencyLogListError) -> [TransparencyLog] {
        var logs: [TransparencyLog] = []
        for (index, one) in operators.enumerated() {
            guard !one.name.isEmpty else { throw .malformed("operators[\(index)].name") }
            for log in one.logs ?? [] { logs.append(try log.log(operatedBy: one.name, isRFC6962: true)) }
            for log in one.tiledLogs ?? [] { logs.append(try log.log(operatedBy: one.name, isRFC6962: false)) }
        }
        return logs
    }
}

extension LogListRecord.Log {
    func log(operatedBy operatorName: String, isRFC6962: Bool) throws(TransparencyLogListError) -> TransparencyLog {
        let name = description ?? Base64.encode(id)
        guard SHA256.hash(data: key).elementsEqual(id) else { throw .wrongIdentifier(name) }
        return TransparencyLog(
            name: name, id: Array(id), operatorName: operatorName, state: state?.state ?? .unknown,
            isRFC6962: isRFC6962, isTest: type == "test",
            previousOperators: (previousOperators ?? []).map { .init(name: $0.name, end: $0.end.date) },
            interval: interval?.range, key: publicKey)
    }

    private var publicKey: Certificate.PublicKey? {
        if let key = try? P256.Signing.PublicKey(derRepresentation: key) { return Certificate.PublicKey(key) }
        guard let key = try? _RSA.Signing.PublicKey(derRepresentation: key), key.keySizeInBits >= RSAKeySize.smallest
        else { return nil }
        return Certificate.PublicKey(key)
    }
}

extension DecodingError {
    /// The path to the invalid value; `nil` if the text is not JSON.
    fileprivate var path: String? {
        let keys: [any CodingKey]
        switch self {
        case .keyNotFound(let key, let context): keys = context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context): keys = context.codingPath
        case .dataCorrupted(let context): keys = context.codingPath
        @unknown default: return nil
        }
        if case .dataCorrupted = self, keys.isEmpty { return nil }
        let path = keys.reduce("") { path, key in
            key.intValue.map { "\(path)[\($0)]" } ?? (path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)")
        }
        return path.isEmpty ? "the top" : path
    }
}
