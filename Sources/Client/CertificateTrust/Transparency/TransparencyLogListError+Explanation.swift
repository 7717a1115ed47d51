// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

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
