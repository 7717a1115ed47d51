// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// The reverse DNS of an address: the alias chain, the PTR records, and the addresses of the host names in them.
struct ReverseName: Sendable {
    struct Forward: Sendable {
        let name: DomainName
        let answer: RecordAnswer
    }

    let address: IPAddress
    let answer: RecordAnswer
    let path: AliasPath
    let pointers: [DomainName]
    let forwards: [Forward]

    /// The maximum number of PTR records of one address whose host names are resolved.
    private static let pointerLimit = 16

    init(of address: IPAddress, in source: any RecordSource) async throws {
        self.address = address
        answer = try await source.answer(to: DNSQuestion(address.reverseName, .ptr))
        path = AliasPath(from: address.reverseName, answer.records)
        pointers = answer.records.compactMap(\.data.pointer)
        var forwards: [Forward] = []
        for name in pointers.prefix(Self.pointerLimit) {
            let question = DNSQuestion(name, address.isIPv4 ? .a : .aaaa)
            forwards.append(Forward(name: name, answer: try await source.answer(to: question)))
        }
        self.forwards = forwards
    }

    /// Whether the first alias is a CNAME record in the parent zone, rather than one synthesized from a DNAME record.
    var hasOwnAlias: Bool {
        guard let first = path.targets.first else { return false }
        return !answer.records.contains { record in
            guard case .subtreeAlias(let target) = record.data else { return false }
            return address.reverseName.isWithin(record.name) && first.isWithin(target)
        }
    }

    /// Returns the problems of the PTR records and their host names, except for names in zones without an answering
    /// server.
    func findings(lameZones: Set<DomainName>) -> [ReverseFinding] {
        var kinds: [ReverseFinding.Kind] = []
        let end = path.targets.last ?? address.reverseName
        let isInLameZone = end.ancestors.contains(where: lameZones.contains)
        if case .failed(let reason) = answer.outcome, !path.isLoop, !isInLameZone {
            kinds.append(.noAnswer(end, reason))
        }
        if pointers.count > 1 { kinds.append(.severalPointers(pointers.sorted { $0.description < $1.description })) }
        kinds += forwards.compactMap(Self.kind(of: address))
        if answer.outcome == .found, Set(answer.records.filter { $0.type == .ptr }.map(\.timeToLive)).count > 1 {
            kinds.append(.differentTimes(end, .ptr))
        }
        kinds += answer.records.compactMap { record in
            guard [.ptr, .cname].contains(record.type) else { return nil }
            let isUnusual =
                record.timeToLive > TimeToLive.longest
                || (answer.hasOriginalTimes && record.timeToLive < TimeToLive.shortest)
            return isUnusual ? .unusualTime(record.name, record.type, seconds: record.timeToLive) : nil
        }
        return kinds.map { ReverseFinding(.address(address), $0) }
    }

    private static func kind(of address: IPAddress) -> (Forward) -> ReverseFinding.Kind? {
        { forward in
            switch forward.answer.outcome {
            case .unknown: return nil
            case .failed(let reason): return .noAnswer(forward.name, reason)
            case .noName, .noRecords: return .noForward(forward.name)
            case .found: break
            }
            let addresses = forward.answer.records.compactMap(\.data.address)
            guard addresses.contains(address) else { return .forwardMismatch(forward.name, addresses.sorted()) }
            let path = AliasPath(from: forward.name, forward.answer.records)
            return path.targets.last.map { .pointerToAlias(forward.name, of: $0) }
        }
    }
}
