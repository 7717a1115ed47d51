// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Properties of every set of authorities; the argument of a failed test is the seed that reproduces the set.
struct PropertyTests {
    private static let seeds = UInt64(1)...100

    @Test("Adding certificates that are not needed does not change a trusted verdict", arguments: seeds)
    func additions(seed: UInt64) throws {
        var authorities = try RandomAuthorities(seed: seed)
        let line = authorities.line.map(\.certificate)
        let plain = try authorities.verdict(line)
        #expect(
            plain.path?.map(\.certificate) == [authorities.leaf] + line.reversed()
                + [authorities.anchors[0]].compactMap(\.self))
        for _ in 0..<2 {
            let verdict = try authorities.verdict(line + authorities.decoys)
            #expect(verdict.path == plain.path, "\(codes(verdict))")
        }
        let everything = try authorities.verdict(authorities.links.map(\.certificate) + authorities.decoys)
        #expect(everything.isTrusted, "\(codes(everything))")
    }

    @Test("Removing a needed certificate or anchor ends trust", arguments: seeds)
    func removals(seed: UInt64) throws {
        var authorities = try RandomAuthorities(seed: seed + 1000)
        for index in authorities.links.indices {
            var links = authorities.links
            links.remove(at: index)
            let verdict = try authorities.verdict(links.map(\.certificate) + authorities.decoys)
            let isReached = authorities.isReached(by: links, from: authorities.anchors)
            #expect(verdict.isTrusted == isReached, "without \(authorities.links[index]): \(codes(verdict))")
        }
        for number in authorities.anchors.keys.sorted() {
            let anchors = authorities.anchors.filter { $0.key != number }
            let verdict = try authorities.verdict(
                authorities.links.map(\.certificate) + authorities.decoys, anchors: anchors)
            let isReached = authorities.isReached(by: authorities.links, from: anchors)
            #expect(verdict.isTrusted == isReached, "without anchor \(number): \(codes(verdict))")
        }
    }

    @Test(
        "The order of certificates does not matter, and each certificate of a path was issued by the next",
        arguments: seeds)
    func order(seed: UInt64) throws {
        var authorities = try RandomAuthorities(seed: seed + 2000)
        var generator = authorities.generator
        let links = authorities.links.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
        let isReached = authorities.isReached(by: links, from: authorities.anchors)
        let good = links.map(\.certificate) + authorities.anchors.values
        for _ in 0..<4 {
            let verdict = try authorities.verdict(links.map(\.certificate) + authorities.decoys)
            #expect(verdict.isTrusted == isReached, "\(codes(verdict))")
            let path = verdict.path?.compactMap(\.certificate) ?? []
            #expect(path.dropFirst().allSatisfy(good.contains) && path.first == (isReached ? authorities.leaf : nil))
        }
    }
}
