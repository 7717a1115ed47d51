// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import EssentialFoundation
import X509

/// The Certificate Transparency logs that a user agent recognizes, with their operators and states.
///
/// The list is the one that Google publishes in version 3 of its schema (`log_list.json`), or Apple's, which has the
/// same form. It is not downloaded automatically: the caller provides the list and keeps it up to date.
public struct TransparencyLogList: Sendable {
    /// The maximum size of a list in bytes; Google's list of all logs, including test logs, has a third of a mebibyte.
    static let limit = 4 << 20

    /// All logs, in the order of the list.
    public let logs: [TransparencyLog]
    /// The time at which the list was made; `nil` if the list does not state it.
    public let time: Date?
    private let byID: [[UInt8]: Int]

    /// Reads a list.
    ///
    /// - Parameter json: The list in JSON, at most 4 MiB.
    /// - Throws: ``TransparencyLogListError`` if the list is larger, has another form or no log, or if a log's
    ///   identifier is not the SHA-256 hash of its key, or if two logs have the same key.
    public init(json: some Collection<UInt8>) throws(TransparencyLogListError) {
        guard json.count <= Self.limit else { throw .tooLarge(limit: Self.limit) }
        let record = try LogListRecord(json: Data(json))
        let logs = try record.logs()
        guard !logs.isEmpty else { throw .noLogs }
        var byID: [[UInt8]: Int] = [:]
        for (index, log) in logs.enumerated() {
            // With a shared key, one log could count for two operators.
            if let first = byID.updateValue(index, forKey: log.id) {
                throw .duplicateLog(logs[first].name, log.name)
            }
        }
        (self.logs, self.byID, time) = (logs, byID, record.time)
    }

    /// Returns the log with an identifier; `nil` if it is not in the list.
    func log(withID id: [UInt8]) -> TransparencyLog? { byID[id].map { logs[$0] } }
}

extension TransparencyLogList: Hashable {
    /// Compares the logs and the time.
    public static func == (one: Self, other: Self) -> Bool { one.time == other.time && one.logs == other.logs }

    /// Hashes the time, the number of logs, and the first identifier; hashing is frequent, because every request looks
    /// up a policy.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(time)
        hasher.combine(logs.count)
        hasher.combine(logs.first?.id)
    }
}

/// An error of reading a log list.
@nonexhaustive
public enum TransparencyLogListError: Error, Hashable, Sendable {
    /// The list is larger than the limit of 4 MiB.
    case tooLarge(limit: Int)
    /// The bytes are not JSON.
    case notJSON
    /// A value is missing, or its type does not match the schema. Holds the path to it, such as
    /// `operators[0].logs[3].key`.
    case malformed(String)
    /// The list contains no log, so that no timestamp would count.
    case noLogs
    /// The identifier of a log is not the SHA-256 hash of its key. Holds the log's name.
    case wrongIdentifier(String)
    /// Two logs have the same key. Holds the names of both.
    case duplicateLog(String, String)
}

extension TransparencyLogListError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let advice =
            "Get the list from its publisher again, such as https://www.gstatic.com/ct/log_list/v3/log_list.json."
        return switch self {
        case .tooLarge(let limit):
            ErrorExplanation(
                "log-list.too-large", "The list of logs has more than \(limit) bytes.",
                reason: "Published lists are much shorter, so this is probably another file.", advice: advice)
        case .notJSON:
            ErrorExplanation(
                "log-list.not-json", "The list of logs is not JSON.",
                reason: "A log list is JSON in version 3 of Google's schema.", advice: advice)
        case .malformed(let place):
            ErrorExplanation(
                "log-list.malformed", "The list of logs has no usable value at \(place.printable).",
                reason: "The value is missing, or is not what version 3 of Google's schema has there.", advice: advice)
        case .noLogs:
            ErrorExplanation(
                "log-list.no-logs", "The list has no log.",
                reason: "Without a log no timestamp would count, and no server would be trusted.", advice: advice)
        case .wrongIdentifier(let name):
            ErrorExplanation(
                "log-list.wrong-identifier",
                "The identifier of the log \"\(name.printable)\" is not the SHA-256 of its key.",
                reason: "The list was damaged or changed (RFC 6962 section 3.2).", advice: advice)
        case .duplicateLog(let first, let second):
            ErrorExplanation(
                "log-list.duplicate-log",
                "The logs \"\(first.printable)\" and \"\(second.printable)\" have the same key.",
                reason: "One log would count as two.", advice: advice)
        }
    }

    package static var examples: [Self] {
        [
            .tooLarge(limit: TransparencyLogList.limit), .notJSON, .malformed("operators[0].logs[3].key"), .noLogs,
            .wrongIdentifier("Example 2027h1"), .duplicateLog("Example 2027h1", "Example 2027h2"),
        ]
    }
}

/// A Certificate Transparency log in a log list.
public struct TransparencyLog: Hashable, Sendable {
    /// The state of a log, which determines whether its timestamps count (Chrome's CT Log Lifecycle).
    ///
    /// The date is the instant at which the log entered the state.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// The operator has applied, but the log is not yet accepted; its timestamps do not count.
        case pending(since: Date)
        /// The log is accepted and its timestamps count, but older lists do not contain it yet.
        case qualified(since: Date)
        /// The log is accepted and its timestamps count.
        case usable(since: Date)
        /// The log accepts no more certificates; its timestamps count.
        case readOnly(since: Date)
        /// The log is no longer accepted; its timestamps from before that instant may still count.
        case retired(since: Date)
        /// The log was rejected; its timestamps do not count.
        case rejected(since: Date)
        /// The list states no state for the log; its timestamps do not count.
        case unknown
    }

    /// A former operator of the log.
    struct PreviousOperator: Hashable {
        let name: String
        /// The instant at which the operator stopped.
        let end: Date
    }

    /// The name of the log in the list, not escaped for printing; if the list has no name, ``id`` in base64.
    public let name: String
    /// The SHA-256 hash of the log's key, 32 octets (RFC 6962 section 3.2).
    public let id: [UInt8]
    /// The current operator, by its name in the list.
    public let operatorName: String
    /// The state, which determines whether the log's timestamps count.
    public let state: State
    /// Whether the log is an RFC 6962 log, rather than a static-ct-api log, which the list contains under `tiled_logs`.
    public let isRFC6962: Bool
    /// Whether the log is a test log, whose timestamps never count.
    public let isTest: Bool
    let previousOperators: [PreviousOperator]
    /// The interval in which the validity of accepted certificates must end; `nil` for no limits.
    let interval: Range<Date>?
    /// The log's key; `nil` if it is neither ECDSA on P-256 nor RSA with at least 2048 bits (RFC 6962 section 2.1.4).
    let key: Certificate.PublicKey?

    /// Returns the operator at an instant, so that a change of operator does not affect older timestamps.
    func operatorName(at time: Date) -> String {
        previousOperators.filter { time < $0.end }.min { $0.end < $1.end }?.name ?? operatorName
    }
}
