// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages

/// Packs questions and records into messages that fit the link (RFC 6762 sections 7.2, 17).
struct MessagePacking {
    /// The maximum length of a message in bytes, without the UDP and IP headers.
    let maximumLength: Int

    /// Returns the queries; if the known answers need several messages, all but the last have the TC bit set.
    func queries(_ questions: [DNSQuestion], knownAnswers: (DNSQuestion) -> [DNSRecord]) -> [[UInt8]] {
        var (messages, rest) = ([[UInt8]](), questions[...])
        while !rest.isEmpty {
            var (writer, asked) = (self.writer(), [DNSQuestion]())
            while let question = rest.first, writer.append(question) {
                asked.append(question)
                rest.removeFirst()
            }
            // A name is always shorter than the maximum length.
            guard !asked.isEmpty else { break }
            for record in asked.flatMap(knownAnswers) where !writer.append(record, to: .answer) {
                var next = self.writer()
                guard next.append(record, to: .answer) else { continue }
                writer.setTruncated()
                messages.append(writer.bytes)
                writer = next
            }
            messages.append(writer.bytes)
        }
        return messages
    }

    /// Returns the probes: the question for each name is in the same message as the claimed records.
    func probes(_ probes: [(question: DNSQuestion, claimed: [DNSRecord])]) -> [[UInt8]] {
        var (messages, group, measure) = ([[UInt8]](), [(question: DNSQuestion, claimed: [DNSRecord])](), writer())
        func append(_ probe: (question: DNSQuestion, claimed: [DNSRecord])) -> Bool {
            measure.append(probe.question) && probe.claimed.allSatisfy { measure.append($0, to: .authority) }
        }
        func message() -> [UInt8] {
            let message = DNSMessage(questions: group.map(\.question), authorities: group.flatMap(\.claimed))
            return message.encoded(maximumLength: MulticastDNS.maximumPacketLength - 48, compression: .multicast)
        }
        for probe in probes {
            if !append(probe), !group.isEmpty {
                messages.append(message())
                (group, measure) = ([], writer())
                _ = append(probe)
            }
            group.append(probe)
        }
        if !group.isEmpty { messages.append(message()) }
        return messages
    }

    /// Returns the responses, and the additional records that fit; a record larger than the maximum length is sent
    /// alone.
    func responses(
        _ answers: [DNSRecord], additionals: [DNSRecord], id: UInt16 = 0, questions: [DNSQuestion] = []
    ) -> (messages: [[UInt8]], added: [DNSRecord]) {
        func start(_ length: Int? = nil) -> DNSMessageWriter {
            var writer = self.writer(id: id, [.response, .authoritative], length)
            for question in questions { _ = writer.append(question) }
            return writer
        }
        var (messages, writer) = ([[UInt8]](), start())
        var hasAnswers: Bool { writer.bytes[6...7].contains { $0 > 0 } }
        for answer in answers where !writer.append(answer, to: .answer) {
            if hasAnswers { messages.append(writer.bytes) }
            writer = start()
            guard !writer.append(answer, to: .answer) else { continue }
            var large = start(MulticastDNS.maximumPacketLength - 48)
            if large.append(answer, to: .answer) { messages.append(large.bytes) }
        }
        guard hasAnswers else { return (messages, []) }
        let added = additionals.filter { writer.append($0, to: .additional) }
        return (messages + [writer.bytes], added)
    }

    private func writer(id: UInt16 = 0, _ flags: DNSMessage.Flags = [], _ length: Int? = nil) -> DNSMessageWriter {
        DNSMessageWriter(id: id, flags: flags, maximumLength: length ?? maximumLength, compression: .multicast)
    }
}
