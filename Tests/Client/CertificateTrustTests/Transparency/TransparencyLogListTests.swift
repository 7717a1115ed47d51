// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes

@testable import CertificateTrust

@Suite("Log lists") struct TransparencyLogListTests {
    private static func day(_ text: String) -> Date { InternetTime(text)?.date ?? .distantPast }

    private static func error(_ json: String) -> TransparencyLogListError? {
        do {
            _ = try TransparencyLogList(json: Array(json.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("Logs, operators and times are read in order") func reading() throws {
        let interval =
            #""temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "end_exclusive": "2026-07-01T00:00:00Z"}"#
        let first = TestLog("one", by: "A").with {
            $0.more =
                #", "log_type": "test", "previous_operators": [{"name": "Z", "end_time": "2025-01-01T00:00:00Z"}], "#
                + interval
        }
        let logs = [first, TestLog("two", by: "A", isTiled: true), try TestLog(rsa: "three", by: "B")]
        let list = try TransparencyLogList(json: TestLog.json(logs))
        #expect(list.logs.map(\.name) == ["one", "two", "three"])
        #expect(list.logs.map(\.operatorName) == ["A", "A", "B"] && list.logs.map(\.isRFC6962) == [true, false, true])
        #expect(list.logs.map(\.isTest) == [true, false, false] && list.logs.allSatisfy { $0.key != nil })
        #expect(list.time == Self.day("2026-05-20T12:00:00Z"))
        #expect(list.logs[0].interval == Self.day("2026-01-01T00:00:00Z")..<Self.day("2026-07-01T00:00:00Z"))
        #expect(list.log(withID: logs[2].id)?.name == "three" && list.log(withID: []) == nil)
        #expect(list.logs[0].operatorName(at: Self.day("2024-12-31T23:59:59Z")) == "Z")
        #expect(list.logs[0].operatorName(at: Self.day("2025-01-01T00:00:00Z")) == "A")
        #expect(try list == TransparencyLogList(json: TestLog.json(logs)))
        #expect(try list != TransparencyLogList(json: TestLog.json(Array(logs.dropLast()))))
    }

    @Test(
        "The name of the only member of the JSON object is the log's state",
        arguments: [
            (#"{"pending": {"timestamp": "2025-01-01T00:00:00Z"}}"#, .pending(since: day("2025-01-01T00:00:00Z"))),
            (#"{"qualified": {"timestamp": "2025-01-01T00:00:00Z"}}"#, .qualified(since: day("2025-01-01T00:00:00Z"))),
            (#"{"usable": {"timestamp": "2025-01-01T00:00:00.5Z"}}"#, .usable(since: day("2025-01-01T00:00:00.5Z"))),
            (
                #"{"readonly": {"timestamp": "2025-01-01T00:00:00Z", "final_tree_head": {"tree_size": 1}}}"#,
                .readOnly(since: day("2025-01-01T00:00:00Z"))
            ),
            (#"{"retired": {"timestamp": "2025-01-01T00:00:00Z"}}"#, .retired(since: day("2025-01-01T00:00:00Z"))),
            (#"{"rejected": {"timestamp": "2025-01-01T00:00:00Z"}}"#, .rejected(since: day("2025-01-01T00:00:00Z"))),
            (#"{"frozen": {"timestamp": "2025-01-01T00:00:00Z"}}"#, .unknown), ("{}", .unknown), ("null", .unknown),
        ] as [(String, TransparencyLog.State)])
    func states(json: String, state: TransparencyLog.State) throws {
        let list = try TransparencyLogList(json: TestLog.json([TestLog("one", by: "A", state: json)]))
        #expect(list.logs.first?.state == state)
    }

    @Test("Input that violates the schema is refused with its location") func malformed() throws {
        #expect(Self.error("") == .notJSON)
        #expect(Self.error("-----BEGIN CERTIFICATE-----") == .notJSON)
        #expect(Self.error("[]") == .malformed("the top"))
        #expect(Self.error("{}") == .malformed("operators"))
        #expect(Self.error(#"{"operators": []}"#) == .noLogs)
        #expect(Self.error(#"{"operators": [{"name": "", "logs": []}]}"#) == .malformed("operators[0].name"))
        let bare = #"{"operators": [{"name": "A", "logs": [{"log_id": "AA=="}]}]}"#
        #expect(Self.error(bare) == .malformed("operators[0].logs[0].key"))
        let bad: [(String, String)] = [
            (#"{"usable": {"timestamp": "2025-02-30T00:00:00Z"}}"#, "state.usable.timestamp"),
            (
                #"{"usable": {"timestamp": "2025-01-01T00:00:00Z"}, "retired": {"timestamp": "2025-01-01T00:00:00Z"}}"#,
                "state"
            ),
        ]
        for (state, place) in bad {
            let json = String(decoding: TestLog.json([TestLog("one", by: "A", state: state)]), as: UTF8.self)
            guard case .malformed(let found)? = Self.error(json) else {
                Issue.record("accepted: \(state)")
                continue
            }
            #expect(found.hasPrefix("operators[0].logs[0].\(place)"))
        }
        let reversed = TestLog("one", by: "A").with {
            $0.more =
                #", "temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "end_exclusive": "2026-01-01T00:00:00Z"}"#
        }
        #expect(
            Self.error(String(decoding: TestLog.json([reversed]), as: UTF8.self))
                == .malformed("operators[0].logs[0].temporal_interval.end_exclusive"))
        #expect(Self.error(String(repeating: " ", count: TransparencyLogList.limit + 1)) == .tooLarge(limit: 4 << 20))
    }

    @Test("A repeated key and an identifier of another key are refused") func keys() throws {
        let log = TestLog("one", by: "A")
        let twice = String(decoding: TestLog.json([log, log]), as: UTF8.self)
        #expect(Self.error(twice) == .duplicateLog("one", "one"))
        let json = String(decoding: TestLog.json([log]), as: UTF8.self)
        let other = Data(TestLog("two", by: "A").id).base64EncodedString()
        let changed = json.replacingOccurrences(of: Data(log.id).base64EncodedString(), with: other)
        #expect(Self.error(changed) == .wrongIdentifier("one"))
    }
}
