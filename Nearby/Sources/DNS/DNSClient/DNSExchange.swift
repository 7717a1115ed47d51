// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// A query to one server, which blocks its thread.
struct DNSExchange {
    private let question: DNSQuestion
    private let server: DNSServer
    private let recursion: Bool
    private let timeout: Duration
    /// Whether queries contain an OPT record; some old servers reject it (RFC 6891 section 7).
    private var usesExtensions = true

    /// The maximum datagram size that avoids fragmentation nearly everywhere, as agreed for DNS flag day 2020.
    private static let datagramLength = 1_232
    /// The maximum number of unrelated datagrams in an attempt, so that a flood costs little.
    private static let strayLimit = 64

    init(_ question: DNSQuestion, _ server: DNSServer, recursion: Bool, timeout: Duration) {
        (self.question, self.server, self.recursion, self.timeout) = (question, server, recursion, timeout)
    }

    mutating func response(attempts: Int) throws(DNSClientError) -> DNSMessage {
        var failure = DNSClientError.noResponse(server)
        for attempt in 1...attempts {
            do throws(DNSClientError) {
                let response = try response(mixingCase: attempt == 1 || attempt < attempts)
                guard usesExtensions, [.formatError, .notImplemented].contains(response.responseCode) else {
                    return response
                }
                usesExtensions = false
                return try self.response(mixingCase: false)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Sends the query once, either with random letter case, which an attacker would have to guess, or unchanged: some
    /// servers answer in lower case.
    private func response(mixingCase: Bool) throws(DNSClientError) -> DNSMessage {
        let query = query(mixingCase: mixingCase)
        let response = try overDatagrams(query, mixingCase)
        return response.flags.contains(.truncated) ? try overConnection(query, mixingCase) : response
    }

    private func query(mixingCase: Bool) -> DNSMessage {
        var asked = question
        if mixingCase { asked.name = Self.mixed(question.name) }
        let options = DNSRecord(
            .root, .other(.opt, []), timeToLive: 0, recordClass: UInt16(Self.datagramLength))
        return DNSMessage(
            id: .random(in: .min ... .max), flags: recursion ? .recursionDesired : [], questions: [asked],
            additionals: usesExtensions ? [options] : [])
    }

    private static func mixed(_ name: DomainName) -> DomainName {
        let labels = name.labels.map { label in
            label.map { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && Bool.random() ? byte ^ 0x20 : byte
            }
        }
        return (try? DomainName(labels: labels)) ?? name
    }

    /// Returns the decoded response if the bytes are a response to the query.
    private func response(_ bytes: [UInt8], to query: DNSMessage, _ exactCase: Bool) -> DNSMessage? {
        guard let message = try? DNSMessage(decoding: bytes), message.flags.contains(.response),
            message.id == query.id, message.operation == 0
        else { return nil }
        // A server that cannot parse the query may leave out the question.
        let isUnread = message.questions.isEmpty && message.responseCode == .formatError
        guard message.questions == query.questions || isUnread else { return nil }
        guard !exactCase || isUnread || message.questions.map(\.name.labels) == query.questions.map(\.name.labels)
        else { return nil }
        return message
    }

    private func overDatagrams(_ query: DNSMessage, _ exactCase: Bool) throws(DNSClientError) -> DNSMessage {
        let deadline = ContinuousClock.now + timeout
        let socket = try Socket.connected(to: server, isStream: false)
        try socket.send(query.encoded(), until: deadline)
        for _ in 0..<Self.strayLimit {
            let bytes = try socket.receive(until: deadline)
            if let response = response(bytes, to: query, exactCase) { return response }
        }
        throw .noResponse(server)
    }

    private func overConnection(_ query: DNSMessage, _ exactCase: Bool) throws(DNSClientError) -> DNSMessage {
        let deadline = ContinuousClock.now + timeout
        let socket = try Socket.connected(to: server, isStream: true)
        let message = query.encoded()
        try socket.send([UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message, until: deadline)
        let head = try socket.receive(exactly: 2, until: deadline)
        let bytes = try socket.receive(exactly: Int(head[0]) << 8 | Int(head[1]), until: deadline)
        guard let response = response(bytes, to: query, exactCase) else { throw .malformedResponse(server) }
        return response
    }
}
