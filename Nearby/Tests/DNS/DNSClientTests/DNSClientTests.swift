// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSClient
import DNSMessages
import DNSNames
import Testing

@Suite struct DNSClientTests {
    private static func question() throws -> DNSQuestion {
        DNSQuestion(try DomainName("1.2.0.192.in-addr.arpa"), .ptr)
    }

    /// Returns a correct answer, whose name distinguishes it from wrong answers.
    private static func answer(_ query: DNSMessage, _ name: String = "right.example") -> DNSMessage {
        let records = query.questions.flatMap { question in
            [try? DomainName(name)].compactMap { $0.map { DNSRecord(question.name, .pointer($0), timeToLive: 60) } }
        }
        return DNSMessage(
            id: query.id, flags: [.response, .authoritative], questions: query.questions, answers: records)
    }

    /// Returns the names that the client accepts from a server; on a busy machine the server may need seconds to
    /// answer.
    private static func names(attempts: Int = 3, _ answer: @escaping Responder.Answer) async throws -> [String] {
        let responder = try await Responder.start(answer)
        let client = DNSClient(concurrency: 2, attempts: attempts, timeout: .seconds(3))
        let result: Result<DNSMessage, any Error>
        do {
            result = .success(try await client.response(to: question(), from: responder.server, recursion: false))
        } catch {
            result = .failure(error)
        }
        try await client.shutDown()
        try await responder.stop()
        return try result.get().answers.compactMap { record in
            if case .pointer(let name) = record.data { name.description } else { nil }
        }
    }

    @Test("An answer is accepted, and earlier answers to other queries are ignored") func forgeries() async throws {
        let names = try await Self.names { query, _ in
            var (otherID, otherName, otherType, otherCase) = (query, query, query, query)
            otherID.id &+= 1
            otherName.questions[0].name = .root
            otherType.questions[0].type = .a
            let swapped = query.questions[0].name.labels.map { $0.map { $0 >= 0x41 ? $0 ^ 0x20 : $0 } }
            otherCase.questions[0].name = (try? DomainName(labels: swapped)) ?? .root
            let wrong = [otherID, otherName, otherType, otherCase].map { Self.answer($0, "wrong.example").encoded() }
            let garbage: [[UInt8]] = [[], [1], Array(repeating: 0xC0, count: 600), query.encoded()]
            return garbage + wrong + [Self.answer(query).encoded()]
        }
        #expect(names == ["right.example."])
    }

    @Test("A truncated answer is queried again over TCP") func truncation() async throws {
        let names = try await Self.names { query, isStream in
            var answer = Self.answer(query)
            if !isStream {
                answer.answers = []
                answer.flags.insert(.truncated)
            }
            return [answer.encoded()]
        }
        #expect(names == ["right.example."])
    }

    @Test("A server that rejects EDNS is queried without it (RFC 6891 section 7)") func withoutExtensions() async throws
    {
        let names = try await Self.names(attempts: 1) { query, _ in
            if query.additionals.isEmpty { return [Self.answer(query).encoded()] }
            return [DNSMessage(id: query.id, flags: .response, responseCode: .formatError).encoded()]
        }
        #expect(names == ["right.example."])
    }

    @Test("A server that answers in lower case is accepted in the last attempt") func lowerCase() async throws {
        let names = try await Self.names(attempts: 2) { query, _ in
            var lower = query
            let labels = query.questions[0].name.labels.map { $0.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
            lower.questions[0].name = (try? DomainName(labels: labels)) ?? .root
            return [Self.answer(lower).encoded()]
        }
        #expect(names == ["right.example."])
    }

    @Test("A flood of unrelated datagrams ends an attempt") func flood() async throws {
        await #expect(throws: DNSClientError.self) {
            try await Self.names(attempts: 2) { _, _ in Array(repeating: [0], count: 500) }
        }
    }

    @Test("Responses over TCP are also validated", arguments: [true, false]) func stream(isShort: Bool) async throws {
        await #expect(throws: DNSClientError.self) {
            try await Self.names(attempts: 1) { query, isStream in
                var truncated = Self.answer(query)
                truncated.flags.insert(.truncated)
                guard isStream else { return [truncated.encoded()] }
                var other = query
                other.id &+= 1
                return isShort ? [] : [Self.answer(other).encoded()]
            }
        }
    }

    @Test("A missing response and an unreachable server give different errors") func failures() async throws {
        let responder = try await Responder.start { _, _ in [] }
        let client = DNSClient(concurrency: 1, attempts: 2, timeout: .milliseconds(50))
        await #expect(throws: DNSClientError.noResponse(responder.server)) {
            try await client.response(to: Self.question(), from: responder.server, recursion: false)
        }
        try await responder.stop()
        // Another test may reuse the responder's port. Port 1 is reserved (tcpmux), and no test uses it.
        let absent = try #require(DNSServer("127.0.0.1:1"))
        await #expect(throws: DNSClientError.unreachable(absent)) {
            try await client.response(to: Self.question(), from: absent, recursion: false)
        }
        try await client.shutDown()
    }

    @Test(
        "Servers are parsed from texts",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:53", "192.0.2.1"), ("192.0.2.1:5300", "192.0.2.1:5300"),
            ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]:5300", "[2001:db8::1]:5300"), ("", nil), ("a", nil),
            ("192.0.2.1:0", nil), ("192.0.2.1:65536", nil), ("[192.0.2.1]:53", nil), ("[2001:db8::1]", nil),
        ] as [(String, String?)])
    func servers(text: String, written: String?) { #expect(DNSServer(text)?.description == written) }

    @Test("The servers in resolv.conf are read") func configuration() {
        let text = "# a\nsearch example\nnameserver 192.0.2.1\nnameserver\t2001:db8::1 # b\nnameserver fe80::1%eth0\n"
        let servers = DNSServer.servers(ofResolverConfiguration: text)
        #expect(servers.map(\.description) == ["192.0.2.1", "2001:db8::1"])
    }
}
