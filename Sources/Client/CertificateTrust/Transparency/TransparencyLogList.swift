// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The logs that a user agent recognizes, with their operators and states.
///
/// The list is the one that Google publishes in version 3 of its schema (`log_list.json`), or Apple's, which has the same form. Nothing is
/// downloaded: the user gives the list, and keeps it up to date.
public struct TransparencyLogList: Sendable {
    /// Google's list of every log ever, test logs included, has a third of a mebibyte.
    static let limit = 4 << 20

    /// Every log, in the order of the list.
    public let logs: [TransparencyLog]
    /// When the list was made; `nil` where it does not say.
    public let time: Date?
    private let byID: [[UInt8]: Int]

    /// Reads a list.
    ///
    /// - Parameter json: The list in JSON, of at most 4 MiB.
    /// - Throws: ``TransparencyLogListError`` where it is larger, has another form or no log, where a log's identifier is not the SHA-256
    ///   of its key, or where two logs have the same key.
    public init(json: some Collection<UInt8>) throws(TransparencyLogListError) {
        guard json.count <= Self.limit else { throw .tooLarge(limit: Self.limit) }
        let record = try LogListRecord(json: Data(json))
        let logs = try record.logs()
        guard !logs.isEmpty else { throw .noLogs }
        var byID: [[UInt8]: Int] = [:]
        for (index, log) in logs.enumerated() {
            // Two operators with one key could satisfy a rule on operators with one log.
            if let first = byID.updateValue(index, forKey: log.id) {
                throw .duplicateLog(logs[first].name, log.name)
            }
        }
        (self.logs, self.byID, time) = (logs, byID, record.time)
    }

    /// The log with an identifier; `nil` where the list has none.
    func log(withID id: [UInt8]) -> TransparencyLog? { byID[id].map { logs[$0] } }
}

extension TransparencyLogList: Hashable {
    /// Compares the logs and the time.
    public static func == (one: Self, other: Self) -> Bool { one.time == other.time && one.logs == other.logs }

    /// Hashes the time, the number of logs, and the first identifier, because a policy is looked up for every request.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(time)
        hasher.combine(logs.count)
        hasher.combine(logs.first?.id)
    }
}

/// Why bytes are no list of logs.
@nonexhaustive
public enum TransparencyLogListError: Error, Hashable, Sendable {
    /// The list has more bytes than the limit, which is 4 MiB.
    case tooLarge(limit: Int)
    /// The bytes are not JSON.
    case notJSON
    /// A value is missing, or is of another type than the schema has. Holds its place, such as `operators[0].logs[3].key`.
    case malformed(String)
    /// The list has no log, so that no timestamp would count.
    case noLogs
    /// The identifier of a log is not the SHA-256 of its key. Holds the log's name.
    case wrongIdentifier(String)
    /// Two logs have one key. Holds the names of both.
    case duplicateLog(String, String)
}
