// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Foundation
import HTTPTypes
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite struct TraceTests {
    @Test("Each exchange is an entry, without secrets") func rounds() async throws {
        try await withLab { lab, folder async throws in
            let password = try folder.write(Lab.credentials.password, to: "password")
            let url = lab[.digestSHA256].url + "?q=1&access_token=hunter2"
            let run = try await CommandRun(
                [
                    "get", url, "--anchor", folder.file("ca.pem"), "--user", "lab", "--password-file", password, "-H",
                    "X-Api-Key: hunter2", "-H", "Cookie: id=hunter2", "--trace", folder.file("trace.har"),
                ], home: folder)
            #expect(run.status == .done, "\(run.errors)")
            let archive = try Archive(folder, "trace.har")
            #expect(archive.problems.isEmpty)
            #expect(archive.statuses == [401, 200])
            for secret in ["hunter2", "response="] {
                #expect(!archive.text.contains(secret), "\(archive.text)")
            }
            #expect(archive.text.contains("Digest <redacted>"))
            #expect(archive.text.contains("access_token=redacted"))
            #expect(archive.timings("connect").map { $0 >= 0 } == [true, false])
            #expect(archive.timings("ssl").map { $0 > 0 } == [true, false])
        }
    }

    @Test("Each redirect is an entry") func redirects() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                [
                    "get", lab.url(.plainHTTP, "/redirect-to?url=" + lab.url(.plainHTTP, "/bytes/1000")), "--trace",
                    folder.file("trace.har"), "-o", folder.file("body"),
                ], home: folder)
            #expect(run.status == .done, "\(run.errors)")
            let archive = try Archive(folder, "trace.har")
            #expect(archive.problems.isEmpty)
            #expect(archive.statuses.count == 2)
            #expect(archive.statuses.last == 200)
            #expect(archive.text.contains("\"size\" : 1000"))
        }
    }

    @Test(
        "The trace of a failed request holds its exchanges and the error",
        arguments: [
            (url: "http://127.0.0.1:1/", statuses: [0], code: "connection.refused"),
            (url: "{truncated}", statuses: [200], code: "body.truncated"),
            (url: "{to-nowhere}", statuses: [302, 0], code: "connection.refused"),
            (url: "{self-signed}", statuses: [0], code: "trust.self-signed"),
        ])
    func failures(url: String, statuses: [Int], code: String) async throws {
        try await withLab { lab, folder async throws in
            let filled = url.replacing("{truncated}", with: lab[.truncatedBody].url)
                .replacing("{to-nowhere}", with: lab.url(.plainHTTP, "/redirect-to?url=http://127.0.0.1:1/"))
                .replacing("{self-signed}", with: lab[.selfSigned].url)
            let run = try await CommandRun(["get", filled, "--trace", folder.file("trace.har")], home: folder)
            #expect(run.status != .done)
            let archive = try Archive(folder, "trace.har")
            #expect(archive.problems.isEmpty)
            #expect(archive.statuses == statuses)
            #expect(archive.text.contains("\"\(code)"), "\(archive.text)")
        }
    }

    @Test("Exchanges with a proxy are recorded") func proxy() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                [
                    "get", lab[.goodHTTPS].url, "--anchor", folder.file("ca.pem"), "--proxy", lab[.proxyDigest].url,
                    "--proxy-user", "lab", "--proxy-password-file",
                    folder.write(Lab.credentials.password, to: "password"),
                    "--trace", folder.file("trace.har"), "-o", folder.file("body"),
                ], home: folder)
            #expect(run.status == .done, "\(run.errors)")
            let archive = try Archive(folder, "trace.har")
            #expect(archive.problems.isEmpty)
            #expect(archive.statuses == [407, 200, 200])
            #expect(archive.requests("method") == ["CONNECT", "CONNECT", "GET"])
            #expect(archive.requests("url").first == "localhost:\(lab[.goodHTTPS].port)")
            #expect(archive.text.contains("Digest <redacted>"))
            // The proxy's name was resolved for the first exchange and for the connection that carried the request.
            #expect(archive.timings("dns").first ?? -1 >= 0)
            #expect(archive.timings("dns").last ?? -1 >= 0)
        }
    }

    @Test("A proxy that refuses the tunnel leaves the request with status 0") func noTunnel() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                [
                    "get", lab[.goodHTTPS].url, "--proxy", lab[.proxyBasic].url, "--trace", folder.file("trace.har"),
                ], home: folder)
            #expect(run.status == .notAuthenticated, "\(run.errors)")
            let archive = try Archive(folder, "trace.har")
            #expect(archive.problems.isEmpty)
            #expect(archive.statuses == [407, 0])
            #expect(archive.requests("method") == ["CONNECT", "GET"])
        }
    }

    @Test("A DNS time is recorded for a host name only", arguments: [("localhost", true), ("127.0.0.1", false)])
    func lookup(host: String, isLookedUp: Bool) async throws {
        try await withPageServer { server, home in
            let run = try await CommandRun(
                ["get", "http://\(host):\(server.port)/", "--trace", home.file("trace.har")], home: home)
            #expect(run.status == .done)
            let archive = try Archive(home, "trace.har")
            #expect(archive.problems.isEmpty)
            #expect(archive.timings("dns").map { $0 >= 0 } == [isLookedUp])
            #expect(archive.timings("connect").allSatisfy { $0 >= 0 })
        }
    }

    @Test("With -o the trace may go to standard output") func standardOutput() async throws {
        try await withPageServer { server, home in
            let run = try await CommandRun(["get", server.url, "-o", home.file("body"), "--trace", "-"], home: home)
            #expect(run.status == .done)
            #expect(try Archive(run.output).problems.isEmpty)
        }
    }
}

/// A recording, with checks of the requirements of HAR 1.2.
private struct Archive {
    let text: String
    private let root: [String: Any]

    init(_ folder: Folder, _ name: String) throws {
        try self.init(try #require(folder.contents(of: name)))
    }

    init(_ bytes: [UInt8]) throws {
        text = String(decoding: bytes, as: UTF8.self)
        root = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private var log: [String: Any] { root["log"] as? [String: Any] ?? [:] }
    private var entries: [[String: Any]] { log["entries"] as? [[String: Any]] ?? [] }

    var statuses: [Int] { entries.map { Self.object($0, "response")["status"] as? Int ?? -1 } }

    func requests(_ name: String) -> [String?] { entries.map { Self.object($0, "request")[name] as? String } }

    func timings(_ name: String) -> [Double] {
        entries.map { Self.object($0, "timings")[name] as? Double ?? .nan }
    }

    private static func object(_ parent: [String: Any], _ name: String) -> [String: Any] {
        parent[name] as? [String: Any] ?? [:]
    }

    /// The types of fields that HAR requires: a string, a number, a time, a list of names and values, or an object.
    private enum Kind { case string, number, time, list, object }

    private static let required: [(path: String, fields: [(String, Kind)])] = [
        (
            "",
            [
                ("startedDateTime", .string), ("time", .time), ("request", .object), ("response", .object),
                ("cache", .object), ("timings", .object),
            ]
        ),
        (
            "request",
            [
                ("method", .string), ("url", .string), ("httpVersion", .string), ("cookies", .list),
                ("headers", .list), ("queryString", .list), ("headersSize", .number), ("bodySize", .number),
            ]
        ),
        (
            "response",
            [
                ("status", .number), ("statusText", .string), ("httpVersion", .string), ("cookies", .list),
                ("headers", .list), ("content", .object), ("redirectURL", .string), ("headersSize", .number),
                ("bodySize", .number),
            ]
        ),
        ("response.content", [("size", .number), ("mimeType", .string)]),
        ("timings", [("send", .time), ("wait", .time), ("receive", .time)]),
    ]

    var problems: [String] {
        var problems: [String] = []
        if log["version"] as? String != "1.2" { problems.append("version") }
        let creator = Self.object(log, "creator")
        if !(creator["name"] is String), !(creator["version"] is String) { problems.append("creator") }
        if log["entries"] as? [Any] == nil || entries.isEmpty { problems.append("entries") }
        for entry in entries {
            for (path, fields) in Self.required {
                let object = path.split(separator: ".").reduce(entry) { Self.object($0, String($1)) }
                problems += fields.filter { !Self.holds(object[$0.0], $0.1) }.map { "\(path).\($0.0)" }
            }
            problems += Self.wrongTimes(entry)
        }
        return problems
    }

    private static func holds(_ value: Any?, _ kind: Kind) -> Bool {
        switch kind {
        case .string: value is String
        case .number: value is NSNumber || value is Int || value is Double
        case .time: (value as? Double).map { $0 >= 0 } ?? false
        case .object: value is [String: Any]
        case .list: (value as? [[String: Any]])?.allSatisfy { $0["name"] is String && $0["value"] is String } ?? false
        }
    }

    /// Returns the fields with a wrong time: the entry's time is the sum
    /// of its stages, TLS is part of connecting, and dates are in ISO 8601.
    private static func wrongTimes(_ entry: [String: Any]) -> [String] {
        let timings = object(entry, "timings")
        let sum = ["blocked", "dns", "connect", "send", "wait", "receive"]
            .map { max(timings[$0] as? Double ?? 0, 0) }.reduce(0, +)
        var problems = abs(sum - (entry["time"] as? Double ?? -1)) < 0.01 ? [] : ["time"]
        if let ssl = timings["ssl"] as? Double, ssl > timings["connect"] as? Double ?? -1 { problems.append("ssl") }
        let start = entry["startedDateTime"] as? String ?? ""
        if (try? Date(start, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))) == nil {
            problems.append("startedDateTime")
        }
        return problems
    }
}
